internal import JournalKit

/// One fold on its way.
struct Fold {
  private let store: SegmentStore
  private let transaction: StoreTransaction
  private(set) var report = FoldReport()
  private var scanned = JournalRecoveryReport()
  /// When this is, in nanoseconds since 1970, if that is known.
  private let now: Int64?
  private var gaps = JournalGaps(after: 0)
  private var directory = ""
  /// The segments that the transaction had before this.
  private let earlierSegmentCount: Int
  /// The files that records name.
  private var attachments: [UniqueID] = []

  init(store: SegmentStore, transaction: StoreTransaction, now: Int64?) {
    self.store = store
    self.transaction = transaction
    self.now = now
    earlierSegmentCount = transaction.segmentCount
  }

  /// Reads what the store does not have yet of the journal in `directory`.
  mutating func read(
    _ directory: String, closedOnly: Bool, _ decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) {
    self.directory = directory
    let id: UInt128?
    do throws(DiskError) {
      id = try JournalRecovery.beginning(of: directory, fileSystem: store.fileSystem)?.journalID
    } catch {
      throw .disk(error)
    }
    let known = id.flatMap { transaction.contents.compactedUpTo[$0] } ?? 0
    gaps = JournalGaps(after: known)
    scanned = try JournalRecovery.scan(
      directory: directory, fileSystem: store.fileSystem, after: known, closedOnly: closedOnly
    ) { entry throws(StoreError) in
      let decoded = decode(entry.payload, entry.sequence)
      gaps.take(entry, as: decoded)
      switch entry.kind {
      case .header: takeHeader(decoded, entry.file, entry.offset)
      case .entry:
        // A living writer began the first readable file after it was looked for. Without the journal's identity
        // nothing could say that the entries were folded: leave them for the next time.
        guard let id else { throw .busy }
        try take(decoded, entry.file, entry.offset)
        transaction.advance(id, to: entry.sequence)
      }
    }
    for damage in scanned.damages {
      if damage.mayPass { throw .unreadable(damage) }
      report.problems.append(StoreProblem(damage))
    }
    if let id, scanned.lastSequence > known { transaction.advance(id, to: scanned.lastSequence) }
    report.gaps = gaps.gaps(scanned, of: directory, after: known, now: now, in: store)
    transaction.add(report.gaps)
    report.journalID = scanned.journalID
    report.foundTornEntry = scanned.foundTornEntry
    report.isCleanlyClosed = scanned.isCleanlyClosed
  }

  /// Every segment repeats its header: records in one would join the store again and again.
  private mutating func takeHeader(_ decoded: DecodedEntry, _ file: String, _ offset: Int64) {
    switch decoded {
    case .session(let session): add(session)
    case .malformed(let reason): addProblem(file, offset, reason)
    case .record, .skip: break
    }
  }

  private mutating func take(
    _ decoded: DecodedEntry, _ file: String, _ offset: Int64
  ) throws(StoreError) {
    report.entryCount += 1
    switch decoded {
    case .record(let record):
      try transaction.append(record)
      attachments += record.attachedFiles
      report.recordCount += 1
    case .session(let session):
      add(session)
    case .skip:
      report.skippedCount += 1
    case .malformed(let reason):
      report.malformedCount += 1
      addProblem(file, offset, reason)
    }
  }

  private mutating func add(_ session: SessionInfo) {
    transaction.add(session)
    report.descriptions.add(session)
  }

  /// Reports a malformed entry; of many, the first few, for the count tells of the others.
  private mutating func addProblem(_ file: String, _ offset: Int64, _ reason: String) {
    guard report.malformedCount <= 10 else { return }
    report.problems.append(StoreProblem(file: file, offset: Int(offset), reason: reason))
  }

  // MARK: - The end

  /// Makes ready for the transaction's commit. Another journal may follow before that: its records are in other segments,
  /// for they are of another time, and may have to go at another.
  mutating func finish() throws(StoreError) {
    try transaction.seal()
    // Files may only go after a commit of this fold: of an earlier one that left them, nobody knows whether its
    // last sync succeeded.
    if scanned.segments.contains(where: { $0.info.length > 0 }) { transaction.requireCommit() }
    report.segmentCount = transaction.segmentCount - earlierSegmentCount
    try AttachmentFiles(store).sync(attachments, besideJournal: directory)
  }

  /// Removes what the store now has; keeps damaged files, and those with malformed entries, as evidence. A file
  /// that cannot be removed stays for the next fold, and so do those behind it: the newest goes last, for it
  /// tells a writer that continues the journal which sequences are taken.
  mutating func clear(_ claim: JournalClaim?) {
    do {
      try AttachmentFiles(store).take(attachments, fromJournal: directory)
    } catch {
      report.problems.append(StoreProblem(directory, error))
      return
    }
    // From the manifest: an earlier fold may have found the malformed entries, and died before this.
    let noted = transaction.contents.manifest.gaps
      .filter { $0.journal == scanned.journalID }
    let evidence = Set(noted.lazy.filter { $0.cause == .malformed }.map(\.file))
    // Then the last gap stands for others, and nothing tells of which files.
    let areAllEvidence = noted.count >= [Gap].limit
    for segment in scanned.segments {
      let path = segment.info.path
      do {
        if areAllEvidence || segment.condition != .intact
          || evidence.contains(store.layout.relative(path))
        {
          _ = try store.quarantine(path)
        } else {
          try store.fileSystem.unlink(path)
        }
      } catch {
        if let error = error as? DiskError, error.isMissing { continue }
        report.problems.append(StoreProblem(path, error))
        return
      }
    }
    guard let claim else { return }
    do {
      try clearAttachments()
      try claim.removeJournal()
      report.isJournalRemoved = true
    } catch {
      report.problems.append(StoreProblem(claim.directory, error))
    }
  }

  /// Sees to the files that are left beside a journal whose records are all in the store. Those that a record names were
  /// left by a fold that died. The others were never named by a record that arrived; if some are missing, found by this
  /// fold or by one before it, they are evidence. If a segment that cannot be read may name them, they join the store.
  private mutating func clearAttachments() throws {
    let files = AttachmentFiles(store)
    let left = try files.files(besideJournal: directory)
    guard !left.isEmpty else { return }
    let named = AttachmentFiles.named(in: transaction.contents)
    let place = store.layout.relative(directory)
    let isEvidence = transaction.contents.manifest.gaps.contains {
      $0.file == place || $0.file.hasPrefix(FilePath.join(place, ""))
    }
    for file in left {
      let path = FilePath.join(directory, AttachmentFiles.name(file))
      if named.files.contains(file) || !isEvidence && !named.isComplete {
        try files.take([file], fromJournal: directory)
      } else if isEvidence {
        _ = try store.quarantine(path)
      } else {
        try store.fileSystem.unlink(path)
      }
    }
  }
}
