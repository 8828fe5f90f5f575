internal import JournalKit
package import SegmentIndex

/// Adds the records of foreign logs to a store, all of them or none.
///
/// Records go straight into segments; nothing passes through a journal, because the source is still
/// there if the process dies. While an import runs, nobody else can change the store; programs that
/// log to it are not held up.
package final class LogImporter {
  /// The run that records belong to whose lines name none.
  package let session: SessionInfo
  private let transaction: StoreTransaction
  /// They read lines, and write segments while the next one is being filled. With more of them than processors are left,
  /// they would keep from its work the thread that they all wait for.
  private let helpers = HelperThreads()
  /// A log with endless sessions must not take endless memory; those beyond this many are not
  /// described.
  private static let sessionLimit = 4_096

  /// Begins an import into the store in `directory`, which is created when missing.
  ///
  /// - Throws: `StoreError`; `busy` while another process is changing the store.
  package init(into directory: String, session: SessionInfo) throws(StoreError) {
    self.session = session
    transaction = try StoreTransaction(try SegmentStore(directory: directory), helpers: helpers)
  }

  /// A reader of logs for this import.
  ///
  /// - Parameter now: nanoseconds since 1970, for lines before the first one with a time.
  package func reader(now: Int64) -> LogReader {
    LogReader(session: session.id, now: now, helpers: helpers)
  }

  /// Adds records.
  package func add(_ records: borrowing RecordBatch) throws(StoreError) {
    for (id, time) in records.sessions {
      guard transaction.sessions[id] != nil || transaction.sessions.count < Self.sessionLimit
      else { continue }
      transaction.add(id == session.id ? session : SessionInfo(id: id, start: time))
    }
    try transaction.append(records)
  }

  /// Makes what was added a part of the store. Without this, nothing of it is.
  package func finish() throws(StoreError) {
    try transaction.commit()
  }
}
