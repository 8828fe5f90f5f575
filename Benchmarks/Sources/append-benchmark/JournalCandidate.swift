import AppendHarness
import JournalKit

/// The journal.
enum JournalCandidate: Candidate {
  /// How the journal writes.
  enum Variant: String, CaseIterable {
    case written, mapped
    case writtenFull = "written-full"
    case full
  }

  static var names: [String] { Variant.allCases.map(\.rawValue) }

  static func open(_ name: String, directory: String) throws -> any Appender {
    let variant = Variant(rawValue: name) ?? .mapped
    let backend: Journal.Configuration.Backend =
      switch variant {
      case .written, .writtenFull: .written
      case .mapped: .mapped
      case .full: .automatic
      }
    let sync: Sync = variant == .full || variant == .writtenFull ? .full : .processDeath
    return try JournalAppender(directory: directory, backend: backend, sync: sync)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    try JournalAppender.recover(directory: directory, body)
  }
}
