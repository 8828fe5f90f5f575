import JournalKit

/// The journal as a log that is measured, with a budget that drops nothing.
package struct JournalAppender: Appender {
  private let journal: Journal
  private let sync: Sync

  package init(directory: String, backend: Journal.Configuration.Backend, sync: Sync) throws {
    journal = try Journal(
      directory: directory,
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 40, segmentByteCount: 16 << 20, backend: backend))
    self.sync = sync
  }

  /// Hands out the entries that the journal's writer left; returns how many places are damaged.
  package static func recover(
    directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    let recovery = try JournalRecovery.recover(directory: directory)
    for entry in recovery.entries { entry.payload.withUnsafeBytes(body) }
    return recovery.report.damages.count
  }

  package func append(_ payload: [UInt8]) {
    do {
      try journal.append(payload, sync: sync)
    } catch {
      fatalError("append failed: \(error)")
    }
  }

  package func close() { journal.close() }
}
