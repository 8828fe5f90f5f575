package import JournalKit
package import SegmentIndex
import Synchronization

/// A session's journal: turns records into entries and appends them on the thread that logs.
///
/// The session entry is the header of every journal segment, so a record can be attributed whatever else
/// is lost. Failures never reach the caller: they are counted.
package final class LogJournal: Sendable {
  package let session: SessionInfo
  package let directory: String
  private let journal: Journal
  /// The place of the session's last record so far.
  private let lastSequence = Atomic<UInt64>(0)
  private let clock: WallClock
  private let failures = Atomic<Int>(0)
  /// How many failures the journal tells of, and whether there are more.
  private let reported = Atomic<Int>(0)
  private let unreported = Atomic(false)

  /// Opens the journal in `directory`, which nobody else may own.
  ///
  /// - Parameters:
  ///   - segmentWasClosed: called when the journal moves on to another segment, before that one exists, on the
  ///     thread that logs and under the journal's lock: it must hand any work to another thread.
  package init(
    directory: String, session: SessionInfo, configuration: Journal.Configuration = .init(),
    environment: JournalEnvironment, segmentWasClosed: @escaping @Sendable () -> Void = {}
  ) throws(JournalError) {
    self.session = session
    self.directory = directory
    clock = environment.clock
    let segmentCount = Atomic(0)
    var configuration = configuration
    configuration.segmentHeader = {
      if segmentCount.add(1, ordering: .relaxed).oldValue > 0 { segmentWasClosed() }
      return [LogJournalEntry.encoded(session)]
    }
    journal = try Journal(
      directory: directory, configuration: configuration, environment: environment)
  }

  /// How many records could not be written.
  package var appendFailureCount: Int { failures.load(ordering: .relaxed) }

  /// How many segments made way for newer ones.
  package var droppedSegmentCount: Int { journal.droppedSegmentCount }
  /// Whether this process is a child of the one that opened the journal: nothing can be logged here.
  var isForked: Bool { journal.isForked }

  /// Lets the next record have the place after `sequence`. Only the journal's owner knows which was the session's last.
  func goOn(after sequence: UInt64) {
    lastSequence.store(sequence, ordering: .relaxed)
  }

  /// Gives the record its place in the session and, unless it has one, its identity.
  func stamp(_ record: inout Record) {
    record.sequence = lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
    if record.id.bits == 0 {
      record.id = UniqueID(session: record.session, sequence: record.sequence)
    }
  }

  /// Appends a record with the fields `payload`, encoded with `text`.
  func append(_ record: borrowing Record, _ payload: RawSpan, _ text: TextBuffer) {
    LogJournalEntry.encode(record, payload, in: session.id, text)
    append(text, severity: record.level.severity)
  }

  /// Gives a record that has none its place in the session, and appends it with the fields `payload`, encoded with `text`.
  func append(
    _ draft: borrowing RecordDraft, _ place: LogPlace, _ site: CallSite, _ payload: TextBuffer?,
    _ text: TextBuffer
  ) {
    let sequence = lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
    LogJournalEntry.encode(draft, place, site, payload, sequence: sequence, text)
    append(text, severity: draft.level.severity)
  }

  /// Appends an entry. Faults survive power loss, everything else the process.
  ///
  /// What could not be appended is told by the next record that can.
  @inline(__always)
  private func append(_ text: TextBuffer, severity: Int32) {
    do throws(JournalError) {
      // The number of `.fault`, which is asked for each time.
      try journal.append(text.bytes, sync: severity >= 600 ? .full : .processDeath)
    } catch {
      failures.add(1, ordering: .relaxed)
      return unreported.store(true, ordering: .relaxed)
    }
    if unreported.load(ordering: .relaxed) { reportFailures(text) }
  }

  private func reportFailures(_ text: TextBuffer) {
    guard unreported.exchange(false, ordering: .relaxed) else { return }
    let count = appendFailureCount
    let lost = count - reported.exchange(count, ordering: .relaxed)
    guard lost > 0 else { return }
    var record = Record(
      reporting: StoreWriteFailed(count: lost), time: clock.now(), session: session.id)
    stamp(&record)
    LogJournalEntry.encode(record, record.payload.rawSpan, in: session.id, text)
    do throws(JournalError) {
      try journal.append(text.bytes)
    } catch {
      reported.subtract(lost, ordering: .relaxed)
      unreported.store(true, ordering: .relaxed)
    }
  }

  /// Finishes the segment that is being written, so that it can be folded.
  package func rotate() throws(JournalError) {
    try journal.rotate()
  }

  /// Ends the journal: it needs no recovery.
  package func close() {
    journal.close()
  }
}
