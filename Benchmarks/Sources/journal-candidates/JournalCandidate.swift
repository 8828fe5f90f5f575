import AppendHarness
import JournalKit

/// What the journal became.
enum JournalCandidate: Candidate {
  static let names = ["journal, written", "journal, mapped", "journal, full"]

  static func open(_ name: String, directory: String) throws -> any Appender {
    try JournalAppender(
      directory: directory, backend: name == "journal, written" ? .written : .automatic,
      sync: name == "journal, full" ? .full : .processDeath)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    try JournalAppender.recover(directory: directory, body)
  }
}
