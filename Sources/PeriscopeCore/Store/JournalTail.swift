import JournalKit
import SegmentIndex
import Synchronization

/// What the journals of a store hold that no segment file does yet, as in-memory segments.
///
/// Reading is incremental: a later call reads only the entries that came since.
final class JournalTail: Sendable {
  private let store: SegmentStore
  /// One part per journal, by the name of its directory.
  private let parts = Mutex<[String: Part]>([:])

  init(of store: SegmentStore) {
    self.store = store
  }

  private var directory: String { store.journalsDirectory }
  private var fileSystem: any FileSystem { store.fileSystem }

  /// What was read of one journal.
  struct Part {
    let journal: UInt128
    /// Entries up to here are in segment files.
    let folded: UInt64
    /// Entries up to here are in `segments`.
    var read: UInt64
    var segments: [Segment] = []
    var gaps: [Gap] = []
  }

  /// Many small segments, one per call, are slower to ask than one: past this number all is read again.
  private static let segmentLimit = 8

  /// The parts of all journals, beyond what is folded in `snapshot`.
  func read(beyond snapshot: Snapshot) throws(StoreError) -> [Part] {
    let names: [String]
    do throws(DiskError) {
      let exists = try fileSystem.status(at: directory)?.isDirectory == true
      names = try exists ? fileSystem.list(directory) : []
    } catch {
      throw .disk(error)
    }
    return try parts.withLock { parts throws(StoreError) in
      var current: [String: Part] = [:]
      for name in names { current[name] = try part(of: name, known: parts[name], snapshot) }
      parts = current
      return names.compactMap { current[$0] }
    }
  }

  /// What one journal holds; nil for a directory without a readable segment.
  private func part(
    of name: String, known: Part?, _ snapshot: Snapshot
  ) throws(StoreError) -> Part? {
    let path = FilePath.join(directory, name)
    do {
      guard let id = try JournalRecovery.beginning(of: path, fileSystem: fileSystem)?.journalID
      else { return nil }
      let folded = snapshot.compactedUpTo(journal: id)
      let isCurrent = known?.journal == id && known?.folded == folded
      if let known, isCurrent, known.segments.count < Self.segmentLimit {
        return try extended(known, name, path)
      }
      return try extended(Part(journal: id, folded: folded, read: folded), name, path)
    } catch let error as DiskError {
      // Folded and removed while it was being read: the next snapshot has it.
      if error.isMissing { return nil }
      throw .disk(error)
    } catch {
      throw StoreError(error)
    }
  }

  private func extended(_ known: Part, _ name: String, _ path: String) throws -> Part {
    var part = known
    var decoder = LogJournalDecoder(journalName: name)
    var batch = Batch(name: path)
    let report = try JournalRecovery.scan(
      directory: path, fileSystem: fileSystem, after: known.read
    ) { entry throws(SegmentError) in
      part.read = max(part.read, entry.sequence)
      try batch.add(decoder.decode(entry.payload), entry, to: &part)
    }
    try batch.seal(into: &part)
    for damage in report.damages {
      guard let gap = Gap(damage, in: store), !part.gaps.contains(gap) else { continue }
      part.gaps.append(gap)
    }
    return part
  }
}

extension JournalTail {
  /// Records on their way into an in-memory segment.
  private struct Batch {
    let name: String
    private var builder = SegmentBuilder()
    private var sessions: [SessionInfo] = []

    init(name: String) {
      self.name = name
    }

    mutating func add(
      _ decoded: DecodedEntry, _ entry: borrowing JournalEntry, to part: inout Part
    ) throws(SegmentError) {
      switch decoded {
      case .session(let info):
        if !sessions.contains(info) { sessions.append(info) }
      case .record(let record):
        if builder.rowCount >= SegmentBuilder.rowLimit { try seal(into: &part) }
        builder.append(record)
      case .skip: break
      case .malformed:
        part.gaps.append(
          Gap(file: entry.file, offset: entry.offset, cause: .malformed, missing: 1))
      }
    }

    mutating func seal(into part: inout Part) throws(SegmentError) {
      guard builder.rowCount > 0 else { return }
      var full = builder
      builder = SegmentBuilder()
      for session in sessions { full.add(session) }
      part.segments.append(try Segment(bytes: full.finish(), name: name))
    }
  }
}
