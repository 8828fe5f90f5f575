import JournalKit
import SegmentIndex
import Synchronization

/// What the journals of a store hold that no segment file does yet, as in-memory segments.
///
/// Reading is incremental: a later call reads only the entries that came since.
final class JournalTail: Sendable {
  private let directory: StoreDirectory
  private let fileSystem: any FileSystem
  /// One part per journal, by the name of its directory.
  private let parts = Mutex<[String: Part]>([:])

  init(directory: StoreDirectory, fileSystem: any FileSystem) {
    self.directory = directory
    self.fileSystem = fileSystem
  }

  private struct Part {
    /// Entries up to here are in segment files.
    var folded: UInt64
    /// Entries up to here are in `segments`.
    var read: UInt64
    var segments: [Segment] = []
    var sessions: [SessionInfo] = []
    var gaps: [Gap] = []
  }

  /// Many small segments, one per call, are slower to ask than one: past this number all is read again.
  private static let segmentLimit = 8
  private static let rowLimit = 1 << 17

  /// The segments and gaps of all journals beyond what is folded in `snapshot`.
  func read(beyond snapshot: Snapshot) throws(StoreError) -> (segments: [Segment], gaps: [Gap]) {
    let names = try journalNames()
    return try parts.withLock { parts throws(StoreError) in
      parts = parts.filter { names.contains($0.key) }
      var segments: [Segment] = []
      var gaps: [Gap] = []
      for name in names {
        let part = try extended(parts[name], journal: name, snapshot: snapshot)
        parts[name] = part
        segments += part.segments
        gaps += part.gaps
      }
      return (segments, gaps)
    }
  }

  private func journalNames() throws(StoreError) -> [String] {
    do throws(DiskError) {
      guard try fileSystem.status(at: directory.journals) != nil else { return [] }
      return try fileSystem.list(directory.journals)
    } catch {
      throw StoreError(error)
    }
  }

  /// The part of one journal, brought up to date.
  private func extended(
    _ known: Part?, journal name: String, snapshot: Snapshot
  ) throws(StoreError) -> Part {
    let path = directory.journal(name)
    guard let id = JournalRecovery.identity(of: path, fileSystem: fileSystem) else {
      return known ?? Part(folded: 0, read: 0)
    }
    let folded = snapshot.compactedUpTo(journal: id)
    var part = Part(folded: folded, read: folded)
    if let known, known.folded == folded, known.segments.count < Self.segmentLimit { part = known }

    var decoder = LogJournalDecoder(journalName: name)
    var builder = SegmentBuilder()
    var error: SegmentError?
    let report = JournalRecovery.scan(
      directory: path, fileSystem: fileSystem, after: part.read
    ) { entry in
      part.read = max(part.read, entry.sequence)
      switch decoder.decode(entry.payload) {
      case .session(let info): builder.add(info)
      case .record(let record): builder.append(record)
      case .skip: break
      case .malformed(let reason): break
      }
    }
    return part
  }
}
