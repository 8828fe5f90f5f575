internal import JournalKit

/// Checks every byte of a store that can be checked, and changes nothing.
///
/// A store may be verified while programs log into it and a fold is going on: what they leave unfinished is no
/// problem.
public struct StoreVerifier {
  /// What was checked, and what is wrong.
  public struct Report: Sendable, Equatable {
    /// The manifest that the store goes by; 0 when nobody has written to it.
    public internal(set) var generation: UInt64 = 0
    /// The segments of the manifest.
    public internal(set) var segmentCount = 0
    /// The records in those that can be read.
    public internal(set) var recordCount = 0
    /// The bytes of the segments.
    public internal(set) var byteCount: UInt64 = 0
    /// The journals that are not folded yet.
    public internal(set) var journalCount = 0
    /// Their entries, as far as they can be read.
    public internal(set) var entryCount = 0
    /// The files in the quarantine.
    public internal(set) var quarantinedCount = 0
    /// What is known to be missing. That it was found and noted is not a problem of the store.
    public internal(set) var gaps: [Gap] = []
    /// What is wrong.
    public internal(set) var problems: [StoreProblem] = []

    /// The report on a store that has nothing in it.
    package init() {}
  }

  private let store: SegmentStore
  private var report = Report()

  /// Verifies `store`.
  package static func verify(_ store: SegmentStore) throws(StoreError) -> Report {
    var verifier = StoreVerifier(store: store)
    try verifier.run()
    return verifier.report
  }

  private init(store: SegmentStore) {
    self.store = store
  }

  private mutating func run() throws(StoreError) {
    // Opened anew, so that nothing counts as checked because it was read before.
    let contents = try StoreContents(store.layout, store.fileSystem)
    report.generation = contents.manifest.generation
    report.problems = contents.problems
    report.gaps = contents.manifest.gaps
    for entry in contents.manifest.segments {
      report.segmentCount += 1
      // A manifest may claim anything of segments that are not there.
      let sum = report.byteCount.addingReportingOverflow(entry.length)
      report.byteCount = sum.overflow ? .max : sum.partialValue
    }
    for segment in contents.segments { check(segment) }
    try checkJournals(contents.snapshot)
    report.quarantinedCount = try StoreContents.names(
      in: store.layout.quarantine, store.fileSystem
    ).count
  }

  private mutating func check(_ segment: Segment) {
    let errors = segment.verify()
    for error in errors {
      report.problems.append(
        StoreProblem(file: error.segment, offset: error.offset, reason: error.reason))
    }
    if errors.isEmpty {
      report.recordCount += segment.rowCount
      checkAttachments(of: segment)
    }
  }

  private mutating func checkAttachments(of segment: Segment) {
    var problems: [StoreProblem] = []
    func check(_ row: Int, _ list: AttachmentList) {
      for case .file(let file, let byteCount, let checksum) in list.items.map(\.content) {
        do throws(AttachmentFiles.ReadingError) {
          _ = try files.read(file, byteCount: byteCount, checksum: checksum, session: nil)
        } catch {
          // Dropped since, with all records that name it.
          if case .missing = error, (try? store.fileSystem.status(at: segment.name)) ?? nil == nil {
            continue
          }
          problems.append(
            StoreProblem(file: files.path(of: file), reason: "the attachment \(error)"))
        }
      }
    }
    do throws(SegmentError) {
      try segment.forEachAttachment(check) { error in
        problems.append(
          StoreProblem(file: error.segment, offset: error.offset, reason: error.reason))
      }
    } catch {
      problems.append(
        StoreProblem(file: error.segment, offset: error.offset, reason: error.reason))
    }
    report.problems += problems
  }

  private var files: AttachmentFiles { AttachmentFiles(store) }

  private mutating func checkJournals(_ snapshot: Snapshot) throws(StoreError) {
    let names = try StoreContents.names(in: store.layout.journals, store.fileSystem)
    for name in names {
      let directory = FilePath.join(store.layout.journals, name)
      let scanned = scan(directory, snapshot)
      for damage in scanned.damages {
        report.problems.append(StoreProblem(damage))
      }
      guard !scanned.segments.isEmpty else { continue }
      report.journalCount += 1
      report.entryCount += scanned.entryCount
    }
  }

  /// Reads a journal beyond what the store has of it. What looks like damage at the end of a live journal may be
  /// an entry that arrives at this moment, so damage has to be there twice.
  private func scan(_ directory: String, _ snapshot: Snapshot) -> JournalRecoveryReport {
    let fileSystem = store.fileSystem
    // What keeps its beginning from being read, reading all of it reports; one that is gone has been folded.
    let journal = try? JournalRecovery.beginning(of: directory, fileSystem: fileSystem)
    let known = journal.map { snapshot.compactedUpTo(journal: $0.journalID) } ?? 0
    var scanned = JournalRecoveryReport()
    for _ in 0..<2 {
      scanned = JournalRecovery.scan(directory: directory, fileSystem: fileSystem, after: known) {
        _ in
      }
      if scanned.damages.isEmpty { break }
    }
    return scanned
  }
}
