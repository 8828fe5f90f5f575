import JournalKit
import SegmentIndex
import Synchronization

/// What the journals of a store hold that no segment file does yet, as in-memory segments.
///
/// What was decoded once is kept: a later call decodes only the entries that came since.
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
    /// 0 when not even that can be read.
    let journal: UInt128
    /// Entries up to here are in segment files.
    let folded: UInt64
    /// Entries up to here are in `segments`.
    var read: UInt64
    var segments: [Segment] = []
    var gaps: [Gap] = []
    /// What the entries up to there say of gaps.
    var journalGaps: JournalGaps
    /// Whether something was unreadable that may be readable the next time.
    var isPreliminary = false

    private var places: [Gap: Int] = [:]

    init(journal: UInt128, folded: UInt64) {
      self.journal = journal
      self.folded = folded
      read = folded
      journalGaps = JournalGaps(after: folded)
    }

    mutating func add(_ gap: Gap) {
      if let index = places[gap.place] {
        gaps[index] = gap
      } else if gaps.count < [Gap].limit {
        places[gap.place] = gaps.count
        gaps.append(gap)
      } else {
        // How many are behind it, the fold will say.
        gaps[gaps.count - 1].missing = nil
        gaps[gaps.count - 1].timeRange = nil
      }
    }
  }

  /// Many small segments, one per call, are slower to ask than one: past this number all is read again.
  private static let segmentLimit = 8

  /// The parts of all journals, beyond what is folded in `snapshot`.
  func read(beyond snapshot: Snapshot) throws(StoreError) -> [Part] {
    do {
      guard try fileSystem.status(at: directory)?.isDirectory == true else { return [] }
      let names = try fileSystem.list(directory)
      return try parts.withLock { parts in
        let known = parts.filter { !$0.value.isPreliminary }
        parts = [:]
        for name in names { parts[name] = try part(of: name, known: known[name], snapshot) }
        return names.compactMap { parts[$0] }
      }
    } catch {
      throw StoreError(error)
    }
  }

  /// What the journal `name` holds; nil when it is gone, which means that it has been folded since it was listed.
  private func part(of name: String, known: Part?, _ snapshot: Snapshot) throws -> Part? {
    let path = FilePath.join(directory, name)
    let journal: UInt128
    do throws(DiskError) {
      journal = try JournalRecovery.beginning(of: path, fileSystem: fileSystem)?.journalID ?? 0
    } catch {
      return error.isMissing ? nil : unreadable(path)
    }
    let folded = snapshot.compactedUpTo(journal: journal)
    if let known, known.journal == journal, known.folded == folded,
      known.segments.count < Self.segmentLimit
    {
      return try extended(known, name, path)
    }
    return try extended(Part(journal: journal, folded: folded), name, path)
  }

  /// One that may be readable the next time. Somebody else's journal must not keep the rest from being read.
  private func unreadable(_ path: String) -> Part {
    var part = Part(journal: 0, folded: 0)
    part.isPreliminary = true
    part.add(Gap(unreadable: path, in: store))
    return part
  }

  private func extended(_ known: Part, _ name: String, _ path: String) throws -> Part {
    var part = known
    var decoder = LogJournalDecoder(journalName: name)
    var batch = Batch(name: path)
    let report = try JournalRecovery.scan(
      directory: path, fileSystem: fileSystem, after: known.read
    ) { entry throws(SegmentError) in
      part.read = max(part.read, entry.sequence)
      let decoded = decoder.decode(entry.payload)
      part.journalGaps.take(entry, as: decoded)
      switch (entry.kind, decoded) {
      case (_, .session(let info)): batch.add(info)
      case (.entry, .record(let record)): try batch.add(record, to: &part)
      // Every segment repeats its header: what else is in one, the fold reports.
      case (.header, _), (.entry, .malformed), (.entry, .skip): break
      }
    }
    // How far it is folded, is known only of the journal that it began as.
    if let journal = report.journalID, journal != part.journal { return unreadable(path) }
    try batch.seal(into: &part)
    for damage in report.damages {
      if case .unreadable = damage.kind { part.isPreliminary = true }
    }
    for gap in part.journalGaps.gaps(report, of: path, after: known.read, in: store) {
      part.add(gap)
    }
    return part
  }
}

extension JournalTail {
  /// Records on their way into an in-memory segment.
  private struct Batch {
    private let name: String
    private var builder = SegmentBuilder()
    private var sessions = SessionDescriptions()

    init(name: String) {
      self.name = name
    }

    mutating func add(_ session: SessionInfo) {
      sessions.add(session)
    }

    mutating func add(_ record: Record, to part: inout Part) throws(SegmentError) {
      if builder.rowCount >= SegmentBuilder.rowLimit { try seal(into: &part) }
      builder.append(record)
    }

    mutating func seal(into part: inout Part) throws(SegmentError) {
      guard builder.rowCount > 0 else { return }
      var full = builder
      builder = SegmentBuilder()
      for session in sessions.all { full.add(session) }
      part.segments.append(try Segment(bytes: full.finish(), name: name))
    }
  }
}
