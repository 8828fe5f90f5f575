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

  /// With a budget that drops nothing.
  static func open(_ name: String, directory: String) throws -> any Appender {
    let variant = Variant(rawValue: name) ?? .mapped
    let backend: Journal.Configuration.Backend =
      switch variant {
      case .written, .writtenFull: .written
      case .mapped: .mapped
      case .full: .automatic
      }
    let journal = try Journal(
      directory: directory,
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 40, segmentByteCount: 16 << 20, backend: backend))
    let sync: Sync = variant == .full || variant == .writtenFull ? .full : .processDeath
    return JournalAppender(journal: journal, sync: sync)
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
