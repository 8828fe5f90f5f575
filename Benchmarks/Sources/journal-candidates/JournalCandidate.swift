import AppendHarness
import JournalKit

/// What the journal became.
enum JournalCandidate: Candidate {
  static let names = ["journal, written", "journal, mapped", "journal, full"]

  static func open(_ name: String, directory: String) throws -> any Appender {
    let journal = try Journal(
      directory: directory,
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 40, segmentByteCount: 16 << 20,
        backend: name == "journal, written" ? .written : .automatic))
    return JournalAppender(journal: journal, sync: name == "journal, full" ? .full : .processDeath)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let recovery = try JournalRecovery.recover(directory: directory)
    for entry in recovery.entries { entry.payload.withUnsafeBytes(body) }
    return recovery.report.damages.count
  }
}

private struct JournalAppender: Appender {
  let journal: Journal
  let sync: Sync

  func append(_ payload: [UInt8]) {
    do {
      try journal.append(payload, sync: sync)
    } catch {
      fatalError("append failed: \(error)")
    }
  }

  func close() { journal.close() }
}
