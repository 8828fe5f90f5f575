internal import JournalKit

/// Folds journals into segments: every entry exactly once, wherever a fold is interrupted.
///
/// The manifest says for each journal up to which sequence the store has it. That number moves in the same
/// commit in which the segments join, and only then are the journal's files removed. So a fold that dies before
/// its commit never happened, and one that dies after it leaves files that the next fold only has to remove.
package struct Compactor {
  private let store: SegmentStore
  private let rowLimit: Int

  package init(_ store: SegmentStore, rowLimit: Int = SegmentBuilder.rowLimit) {
    self.store = store
    self.rowLimit = rowLimit
  }

  /// Folds the journal in `journalDirectory`, and removes what it holds.
  ///
  /// With `onlyClosedSegments`, for the journal of this very process, the segment that is being written is left
  /// alone; otherwise the journal must have no living owner. `decode` gets each entry with its sequence, and the
  /// header entries with 0, of which only sessions count.
  ///
  /// Damaged files, and files with malformed entries, are moved to the quarantine; what they lack is noted in
  /// the manifest. Throws `busy`, `journalIsLive`, `unreadable`, `disk` and `segment`; the journal is unchanged
  /// then, or only lacks files whose entries the store has.
  package func fold(
    journalDirectory: String, onlyClosedSegments: Bool = false,
    decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> FoldReport {
    let fileSystem = store.fileSystem
    let claim: JournalClaim?
    do throws(DiskError) {
      guard try fileSystem.status(at: journalDirectory) != nil else { return FoldReport() }
      claim =
        onlyClosedSegments
        ? nil : try JournalClaim.claim(directory: journalDirectory, fileSystem: fileSystem)
    } catch {
      throw .disk(error)
    }
    guard onlyClosedSegments || claim != nil else { throw .journalIsLive(journalDirectory) }
    let transaction = try StoreTransaction(store, rowLimit: rowLimit)
    var fold = Fold(store: store, transaction: transaction)
    try fold.read(journalDirectory, closedOnly: onlyClosedSegments, decode)
    try fold.commit()
    fold.clear(claim)
    return fold.report
  }
}

/// One fold on its way.
private struct Fold {
  let store: SegmentStore
  let transaction: StoreTransaction
  var report = FoldReport()
  private var scanned = JournalRecoveryReport()
  /// The files with malformed entries: where the first one is, and how many there are.
  private var malformed: [String: (offset: Int64, count: UInt64)] = [:]

  init(store: SegmentStore, transaction: StoreTransaction) {
    self.store = store
    self.transaction = transaction
  }

  mutating func read(
    _ directory: String, closedOnly: Bool, _ decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) {
    let id: UInt128?
    do throws(DiskError) {
      id = try JournalRecovery.beginning(of: directory, fileSystem: store.fileSystem)?.journalID
    } catch {
      throw .disk(error)
    }
    let known = id.flatMap { transaction.contents.manifest.compactedUpTo[$0] } ?? 0
    scanned = try JournalRecovery.scan(
      directory: directory, fileSystem: store.fileSystem, after: known, closedOnly: closedOnly
    ) { entry throws(StoreError) in
      try take(entry, id, decode(entry.payload, entry.sequence))
    }
    for damage in scanned.damages {
      switch damage.kind {
      case .unreadable, .unsupportedVersion: throw .unreadable(damage)
      default: note(damage)
      }
    }
    if let id, scanned.lastSequence > known { transaction.advance(id, to: scanned.lastSequence) }
    noteRest(directory, after: known)
  }

  private mutating func take(
    _ entry: borrowing JournalEntry, _ id: UInt128?, _ decoded: DecodedEntry
  ) throws(StoreError) {
    let isHeader = entry.kind == .header
    if !isHeader { report.entryCount += 1 }
    switch decoded {
    case .session(let session):
      transaction.add(session)
      report.sessions.removeAll { $0.id == session.id }
      report.sessions.append(session)
    case .record(let record) where !isHeader:
      try transaction.append(record)
      report.recordCount += 1
    case .malformed(let reason):
      report.malformedCount += 1
      let (file, offset) = (entry.file, entry.offset)
      malformed[file, default: (offset, 0)].count += isHeader ? 0 : 1
      // The count tells of the others.
      if report.malformedCount <= 10 {
        report.problems.append(
          StoreProblem(file: file, offset: Int(offset), reason: reason))
      }
    case .record, .skip:
      if !isHeader { report.skippedCount += 1 }
    }
    if !isHeader, let id { transaction.advance(id, to: entry.sequence) }
  }

  private mutating func note(_ damage: JournalDamage) {
    report.problems.append(StoreProblem(damage))
    if let gap = Gap(damage, in: store) { add(gap) }
  }

  private mutating func noteRest(_ directory: String, after known: UInt64) {
    if scanned.droppedOlderEntries {
      add(
        Gap(
          file: store.layout.relative(directory), offset: Int64(known), cause: .dropped,
          missing: scanned.droppedEntryCount))
    }
    for (file, entries) in malformed.sorted(by: { $0.key < $1.key }) where entries.count > 0 {
      add(
        Gap(
          file: store.layout.relative(file), offset: entries.offset, cause: .malformed,
          missing: entries.count))
    }
    report.journalID = scanned.journalID
    report.foundTornEntry = scanned.foundTornEntry
    report.isCleanlyClosed = scanned.isCleanlyClosed
  }

  private mutating func add(_ gap: Gap) {
    report.gaps.append(gap)
    transaction.add(gap)
  }

  mutating func commit() throws(StoreError) {
    // Files may only go after a commit of this fold: of an earlier one that left them, nobody knows whether its
    // last sync succeeded.
    if scanned.segments.contains(where: { $0.info.length > 0 }) { transaction.requireCommit() }
    report.segmentCount = transaction.segmentCount
    try transaction.commit()
  }

  /// Removes what the store now has. A file that stays is removed by the next fold.
  mutating func clear(_ claim: JournalClaim?) {
    var isClear = true
    for segment in scanned.segments {
      let path = segment.info.path
      do {
        if segment.condition == .damaged || malformed[path] != nil {
          _ = try store.quarantine(path)
        } else {
          try store.fileSystem.unlink(path)
        }
      } catch {
        if let error = error as? DiskError, error.isMissing { continue }
        isClear = false
        report.problems.append(StoreProblem(path, error))
      }
    }
    guard let claim, isClear else { return }
    do throws(DiskError) {
      try claim.removeJournal()
      report.isJournalRemoved = true
    } catch {
      report.problems.append(StoreProblem(claim.directory, error))
    }
  }
}
