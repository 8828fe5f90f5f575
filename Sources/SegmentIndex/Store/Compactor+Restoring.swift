internal import JournalKit
internal import Synchronization

extension Compactor {
  /// Takes back, in one commit, what the store lacks and files of its quarantine have: those that a person has mended, or
  /// that could not be read for a while.
  ///
  /// Only what the manifest notes as missing is taken back, and only when nothing in the store overlaps with it: so no
  /// record is ever there twice, whatever was kept of it and however often this is done; and nothing comes back that was to
  /// go. A segment must verify to its last byte, a journal's file must have no damage any more. The files stay where they
  /// are: as evidence, and as a second copy.
  ///
  /// Throws `busy`, `disk` and `segment`, and what keeps the store from being changed; nothing has been taken back then.
  ///
  /// - Parameter decoder: makes for each journal directory what decodes its entries, as for a fold.
  package func restore(
    decoder: (String) -> (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> RestoreReport {
    try store.foldTurn.withLock { _ throws(StoreError) in
      // What others have left is moved to where it is looked for.
      try StoreTransaction(store, rowLimit: rowLimit).commit()
      let transaction = try StoreTransaction(store, rowLimit: rowLimit)
      if let error = transaction.obstacle { throw error }
      var restoring = try Restoring(store, transaction)
      var report = RestoreReport()
      for name in try StoreContents.names(in: store.layout.quarantine, store.fileSystem) {
        let outcome = try restoring.take(name, decoder)
        report.files.append(RestoreReport.File(name: name, outcome: outcome))
      }
      try transaction.commit()
      return report
    }
  }
}

/// One look through the quarantine.
private struct Restoring {
  typealias Outcome = RestoreReport.Outcome

  private let store: SegmentStore
  private let transaction: StoreTransaction
  private let journals: StoreContents.Journals
  /// What the store has of journals.
  private var coverage = JournalCoverage()
  /// The segments that others stand for.
  private var superseded: Set<UniqueID> = []
  /// Whether all segments of the store can be read: else nothing tells what it has.
  private let isWhole: Bool

  init(_ store: SegmentStore, _ transaction: StoreTransaction) throws(StoreError) {
    self.store = store
    self.transaction = transaction
    journals = try StoreContents.Journals(store.layout, store.fileSystem)
    isWhole = transaction.contents.lost.isEmpty
    for segment in transaction.contents.segments.values {
      coverage.add(segment.sources)
      superseded.formUnion(segment.parents)
    }
  }

  /// Takes back what the file of this name has and the store lacks.
  mutating func take(
    _ name: String, _ decoder: (String) -> (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> Outcome {
    let path = FilePath.join(store.layout.quarantine, name)
    guard let origin = StoreLayout.origin(ofQuarantined: name) else {
      return .left(reason: "it is neither a segment nor a file of a journal")
    }
    guard isWhole else {
      return .left(reason: "a segment of the store cannot be read, which may have the same records")
    }
    switch origin {
    case .segment(let id):
      let gap = Gap(
        file: store.layout.relative(store.layout.segment(id)), cause: .lostSegment, missing: nil)
      return try takeSegment(at: path, id, for: gap)
    case .journal(let directory, let file):
      let journal = FilePath.join(store.layout.journals, directory)
      return try takeJournal(
        at: path, store.layout.relative(FilePath.join(journal, file)), decoder(directory))
    }
  }

  // MARK: - Segments

  private mutating func takeSegment(
    at path: String, _ id: UniqueID, for gap: Gap
  ) throws(StoreError) -> Outcome {
    let segment: Segment
    do {
      segment = try Segment(mapping: path, fileSystem: store.fileSystem)
    } catch let error as SegmentError {
      return .left(reason: error.reason)
    } catch {
      return .left(reason: "\(error)")
    }
    if let error = segment.verify().first { return .left(reason: error.reason) }
    guard segment.id == id else { return .left(reason: "the file has another segment's name") }
    let isMissed = transaction.contents.manifest.gaps.contains { $0.place == gap }
    guard isMissed, segment.rowCount > 0 else {
      return .left(reason: "the store does not miss it")
    }
    if let reason = overlap(of: segment) { return .left(reason: reason) }
    try transaction.restore(segment)
    coverage.add(segment.sources)
    superseded.insert(id)
    superseded.formUnion(segment.parents)
    transaction.contents.manifest.gaps.removeAll { $0.place == gap }
    var files: [UniqueID] = []
    try? segment.forEachAttachment { _, list in files += list.files }
    try AttachmentFiles(store).restore(files)
    return .restored(recordCount: segment.rowCount)
  }

  /// Why records of `segment` may be in the store; nil when they cannot be.
  private func overlap(of segment: Segment) -> String? {
    let listed = Set(transaction.contents.manifest.segments.map(\.id))
    if listed.contains(segment.id) || superseded.contains(segment.id) {
      return "the store has its records"
    }
    if segment.parents.contains(where: { listed.contains($0) || superseded.contains($0) }) {
      return "the store has records that it stands for"
    }
    if segment.sources.contains(where: coverage.overlaps) {
      return "the store has some of its records"
    }
    for source in segment.sources {
      if journals.obstacle != nil, journals.beginnings[source.journal] == nil {
        return "a journal cannot be read that may have the same records"
      }
      if let first = journals.beginnings[source.journal], first <= source.lastSequence,
        source.lastSequence > transaction.contents.compactedUpTo[source.journal] ?? 0
      {
        return "a journal has some of its records"
      }
    }
    return nil
  }

  // MARK: - Journals

  private func takeJournal(
    at path: String, _ place: String, _ decode: (RawSpan, UInt64) -> DecodedEntry
  ) throws(StoreError) -> Outcome {
    let gaps = transaction.contents.manifest.gaps
      .filter { $0.file == place && $0.cause == .damagedJournal && $0.journal != nil }
    // Of very many, the last one stands for others.
    guard let journal = gaps.first?.journal, gaps.count < JournalRecovery.damageLimit,
      gaps.allSatisfy({ $0.journal == journal }),
      transaction.contents.manifest.gaps.count(where: { $0.journal == journal }) < [Gap].limit
    else { return .left(reason: "nothing tells what of it the store misses") }
    var missed = MissedEntries(gaps)
    var sessions: [SessionInfo] = []
    var reason: String?
    let report = JournalRecovery.scan(file: path, fileSystem: store.fileSystem) { entry in
      let decoded = decode(entry.payload, entry.sequence)
      if case .session(let session) = decoded { sessions.append(session) }
      guard entry.kind == .entry, missed.take(entry.offset) else { return }
      switch decoded {
      case .record(let record): missed.records.append(record)
      case .malformed(let why): reason = why
      case .session, .skip: break
      }
    }
    if let damage = report.damages.first { return .left(reason: StoreProblem(damage).reason) }
    if let reason { return .left(reason: reason) }
    guard report.journalID == journal else {
      return .left(reason: "the file has the name of another journal's")
    }
    guard !missed.records.isEmpty, try !hasAny(of: missed.records) else {
      return .left(reason: "the store does not miss it")
    }
    for session in sessions { transaction.add(session) }
    for record in missed.records { try transaction.append(record) }
    try transaction.seal()
    transaction.contents.manifest.gaps = transaction.contents.manifest.gaps
      .compactMap(missed.rest(of:))
    try AttachmentFiles(store).restore(missed.records.flatMap(\.attachedFiles))
    return .restored(recordCount: missed.records.count)
  }

  /// Whether any of `records` is in the store.
  private func hasAny(of records: [Record]) throws(StoreError) -> Bool {
    let wanted = Set(records.map(\.id.bits))
    var identities: [UInt128] = []
    do throws(SegmentError) {
      for segment in transaction.contents.segments.values {
        guard case .identities(let ids) = try segment.column(number: .id) else { continue }
        for granule in 0..<segment.granuleCount {
          try ids.decode(granule: granule, into: &identities)
          if identities.contains(where: wanted.contains) { return true }
        }
      }
    } catch {
      throw .segment(error)
    }
    return false
  }
}

/// The entries of a file that its gaps lack: for each gap as many as are missing, from where it begins.
private struct MissedEntries {
  var records: [Record] = []
  /// In the order of their places.
  private var gaps: [Gap]
  /// How many entries of each were found.
  private var counts: [UInt64]
  /// How many of them begin before the last entry.
  private var begun = 0

  init(_ gaps: [Gap]) {
    self.gaps = gaps.sorted { $0.offset < $1.offset }
    counts = gaps.map { _ in 0 }
  }

  /// Whether the next entry of the file, whose frame begins at `offset`, is missing.
  mutating func take(_ offset: Int64) -> Bool {
    while begun < gaps.count, gaps[begun].offset <= offset { begun += 1 }
    guard begun > 0, counts[begun - 1] < gaps[begun - 1].missing ?? .max else { return false }
    counts[begun - 1] += 1
    return true
  }

  /// `gap` without what was found of it; nil when that is all.
  func rest(of gap: Gap) -> Gap? {
    guard let index = gaps.firstIndex(of: gap) else { return gap }
    var rest = gap
    rest.missing = gap.missing.map { $0 - counts[index] }
    return rest.missing == 0 || rest.missing == nil && counts[index] > 0 ? nil : rest
  }
}
