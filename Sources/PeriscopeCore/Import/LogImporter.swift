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
  private var knownSessions: Set<UniqueID> = []
  /// A log with endless sessions must not take endless memory; those beyond this many are not
  /// described.
  private static let sessionLimit = 4_096

  /// Begins an import into the store in `directory`, which is created when missing.
  ///
  /// - Throws: `StoreError`; `busy` while another process is changing the store.
  package init(into directory: String, session: SessionInfo) throws(StoreError) {
    self.session = session
    transaction = try StoreTransaction(try SegmentStore(directory: directory))
  }

  /// Adds a record.
  package func add(_ record: Record) throws(StoreError) {
    if knownSessions.count < Self.sessionLimit, knownSessions.insert(record.session).inserted {
      let isOwn = record.session == session.id
      transaction.add(isOwn ? session : SessionInfo(id: record.session, start: record.time))
    }
    try transaction.append(record)
  }

  /// Makes what was added a part of the store. Without this, nothing of it is.
  package func finish() throws(StoreError) {
    try transaction.commit()
  }
}
