package import JournalKit
package import SegmentIndex
import Synchronization

/// A session's journal: turns records into entries and appends them on the thread that logs.
///
/// The session entry is the header of every journal segment, so a record can be attributed whatever else
/// is lost. Failures never reach the caller: they are counted, and the first and every hundredth are
/// reported.
package final class LogJournal: Sendable {
  package let session: SessionInfo
  package let journal: Journal
  private let lastSequence = Atomic<UInt64>(0)
  private let failures = Atomic<Int>(0)
  private let report: @Sendable (JournalError, _ count: Int) -> Void

  /// Opens the journal in `directory`, which nobody else may own.
  package init(
    directory: String, session: SessionInfo, configuration: Journal.Configuration = .init(),
    environment: JournalEnvironment,
    report: @escaping @Sendable (JournalError, _ count: Int) -> Void
  ) throws(JournalError) {
    self.session = session
    self.report = report
    var configuration = configuration
    configuration.segmentHeader = { [LogJournalEntry.encoded(session)] }
    journal = try Journal(
      directory: directory, configuration: configuration, environment: environment)
  }

  /// How many records could not be written.
  package var appendFailureCount: Int { failures.load(ordering: .relaxed) }

  /// Stamps the record with its place in the session and, unless it has one, its identity, and appends
  /// it. Faults survive power loss, everything else the process.
  package func append(_ record: inout Record) {
    record.sequence = lastSequence.add(1, ordering: .relaxed).newValue
    if record.id.bits == 0 {
      record.id = UniqueID(session: record.session, sequence: record.sequence)
    }
    do throws(JournalError) {
      try journal.append(
        LogJournalEntry.encoded(record, in: session.id),
        sync: record.level >= .fault ? .full : .processDeath)
    } catch {
      let count = failures.add(1, ordering: .relaxed).newValue
      if count == 1 || count.isMultiple(of: 100) { report(error, count) }
    }
  }

  /// Ends the journal: it needs no recovery.
  package func close() {
    journal.close()
  }
}
