internal import JournalKit
package import SegmentIndex

/// What reading every byte of a store brought to light.
package struct StoreVerification: Sendable {
  /// Segment files that were read, and the records in them.
  package private(set) var segmentCount = 0
  package private(set) var recordCount = 0
  /// Journals that were read, and the entries in them.
  package private(set) var journalCount = 0
  package private(set) var entryCount = 0
  /// Everything that is wrong.
  package private(set) var problems: [StoreProblem] = []
  /// What the store knows to be missing, without anything being wrong with its files now.
  package private(set) var gaps: [Gap] = []

  /// Whether every byte is as it was written.
  package var isSound: Bool { problems.isEmpty }

  /// Checks the store in `directory`: the manifest; in every segment each block's checksum, each
  /// column, and the records' digests; in every journal each frame's checksum, and that each entry
  /// can be read. Changes nothing, and may run beside programs that log to the store.
  package init(directory: String) throws(StoreError) {
    let store = try SegmentStore(directory: directory)
    guard try store.exists() else { throw .notAStore(directory) }
    problems = store.problems
    let snapshot = store.snapshot()
    gaps = snapshot.gaps
    for segment in snapshot.segments {
      segmentCount += 1
      recordCount += segment.rowCount
      problems += segment.verify().map {
        StoreProblem(file: $0.segment, offset: $0.offset, reason: $0.reason)
      }
    }
    let names: [String]
    do throws(DiskError) {
      let exists = try store.fileSystem.status(at: store.journalsDirectory) != nil
      names = try exists ? store.fileSystem.list(store.journalsDirectory) : []
    } catch {
      throw .disk(error)
    }
    for name in names { verifyJournal(name, of: store) }
  }

  private mutating func verifyJournal(_ name: String, of store: SegmentStore) {
    journalCount += 1
    var decoder = LogJournalDecoder(journalName: name)
    let report = JournalRecovery.scan(
      directory: FilePath.join(store.journalsDirectory, name), fileSystem: store.fileSystem
    ) { entry in
      if entry.kind == .entry { entryCount += 1 }
      if case .malformed(let reason) = decoder.decode(entry.payload) {
        problems.append(StoreProblem(file: entry.file, offset: Int(entry.offset), reason: reason))
      }
    }
    problems += report.damages.map(StoreProblem.init)
  }
}
