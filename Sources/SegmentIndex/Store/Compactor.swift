internal import JournalKit
internal import Synchronization

/// Folds journals into segments, every entry exactly once wherever a fold is interrupted, and keeps the store small.
///
/// The manifest says for each journal up to which sequence the store has it. That number moves in the same
/// commit in which the segments join, and only then are the journal's files removed. So a fold that dies before
/// its commit never happened, and one that dies after it leaves files that the next fold only has to remove.
package struct Compactor {
  let store: SegmentStore
  let rowLimit: Int

  package init(_ store: SegmentStore, rowLimit: Int = SegmentBuilder.rowLimit) {
    self.store = store
    self.rowLimit = rowLimit
  }

  /// Folds the journal in `journalDirectory`, and removes what it holds.
  ///
  /// With `onlyClosedSegments`, for the journal of this very process, the segment that is being written is left
  /// alone; otherwise the journal must have no living owner. `decode` gets each entry with its sequence, and the
  /// header entries with 0, of which only sessions count. `now`, in nanoseconds since 1970, bounds the times of what is
  /// missing at a journal's end.
  ///
  /// Damaged files, and files with malformed entries, are moved to the quarantine; what they lack is noted in
  /// the manifest. Folds through the same `SegmentStore` wait for each other.
  ///
  /// Throws `busy`, `journalIsLive`, `unreadable`, `disk` and `segment`; the journal is unchanged then, or only
  /// lacks files whose entries the store has.
  package func fold(
    journalDirectory: String, onlyClosedSegments: Bool = false, now: Int64? = nil,
    decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> FoldReport {
    try store.foldTurn.withLock { _ throws(StoreError) in
      try foldInTurn(journalDirectory, onlyClosedSegments, now, decode)
    }
  }

  private func foldInTurn(
    _ journalDirectory: String, _ onlyClosedSegments: Bool, _ now: Int64?,
    _ decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> FoldReport {
    guard try exists(journalDirectory) else { return FoldReport() }
    let claim = onlyClosedSegments ? nil : try claim(journalDirectory)
    guard onlyClosedSegments || claim != nil else { throw .journalIsLive(journalDirectory) }
    if let claim, try !hasContent(journalDirectory) { return remove(claim) }
    let reports = try fold([(journalDirectory, claim)], now) { fold, _ throws(StoreError) in
      try fold.read(journalDirectory, closedOnly: onlyClosedSegments, decode)
    }
    return reports[0]
  }

  private typealias ClaimedJournal = (directory: String, claim: JournalClaim?)

  /// Folds journals in one commit. `read` has a fold read the journal.
  private func fold(
    _ journals: [ClaimedJournal], _ now: Int64?,
    read: (inout Fold, ClaimedJournal) throws(StoreError) -> Void
  ) throws(StoreError) -> [FoldReport] {
    let transaction = try StoreTransaction(store, rowLimit: rowLimit)
    var folds: [Fold] = []
    for journal in journals {
      var fold = Fold(store: store, transaction: transaction, now: now)
      try read(&fold, journal)
      try fold.finish()
      folds.append(fold)
    }
    try transaction.commit()
    // Until the files are gone, the store stays locked and the journals claimed.
    withExtendedLifetime(transaction) {
      for (index, journal) in journals.enumerated() { folds[index].clear(journal.claim) }
    }
    return folds.map(\.report)
  }

  /// Folds several journals, as `fold` does each, in one commit: many that are small are folded much sooner so. Those that
  /// have a living owner are left alone, and give no report.
  ///
  /// Throws what `fold` throws for any of them; all are unchanged then. `decoder` makes for each directory what decodes its
  /// entries.
  package func fold(
    journalDirectories: [String], now: Int64? = nil,
    decoder: (String) -> (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> [FoldReport] {
    try store.foldTurn.withLock { _ throws(StoreError) in
      var reports: [FoldReport] = []
      var journals: [ClaimedJournal] = []
      for directory in journalDirectories where try exists(directory) {
        guard let claim = try claim(directory) else { continue }
        guard try hasContent(directory) else {
          reports.append(remove(claim))
          continue
        }
        journals.append((directory, claim))
      }
      guard !journals.isEmpty else { return reports }
      return try reports
        + fold(journals, now) { fold, journal throws(StoreError) in
          try fold.read(journal.directory, closedOnly: false, decoder(journal.directory))
        }
    }
  }

  private func exists(_ journalDirectory: String) throws(StoreError) -> Bool {
    do throws(DiskError) {
      return try store.fileSystem.status(at: journalDirectory) != nil
    } catch {
      throw .disk(error)
    }
  }

  private func claim(_ journalDirectory: String) throws(StoreError) -> JournalClaim? {
    do throws(DiskError) {
      return try JournalClaim.claim(directory: journalDirectory, fileSystem: store.fileSystem)
    } catch {
      throw .disk(error)
    }
  }

  private func hasContent(_ journalDirectory: String) throws(StoreError) -> Bool {
    try StoreContents.names(in: journalDirectory, store.fileSystem).contains {
      JournalFormat.segmentNumber(ofFile: $0) != nil || AttachmentFiles.file(named: $0) != nil
    }
  }

  /// Removes a journal without segments at once, without waiting for the store: it may be one that a program is
  /// about to open, which tries again as long as the claim is taken for a moment only.
  private func remove(_ claim: JournalClaim) -> FoldReport {
    var report = FoldReport()
    do throws(DiskError) {
      try claim.removeJournal()
      report.isJournalRemoved = true
    } catch {
      report.problems.append(StoreProblem(claim.directory, error))
    }
    return report
  }
}
