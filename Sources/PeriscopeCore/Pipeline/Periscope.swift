import JournalKit
import SegmentIndex
import Synchronization

/// The way of every event from a `Log` to the journal, sinks and live streams.
///
/// Floor, encoding, redaction, stamp and append happen on the thread that logs, before the call returns; there is no
/// queue to lose. Sinks and streams are fed by the way (`Pipeline`).
package final class Periscope: Sendable {
  let journal: LogJournal
  let clock: WallClock
  let environment: JournalEnvironment
  let redaction: Redaction?
  let floors = LevelFloors()
  let pipeline: Pipeline
  let spans: SpanTracker
  let ambient = AmbientStates()
  let inspection = InspectMode()
  /// What was not logged for the program's own good.
  private let refusals = Atomic<Int>(0)

  init(
    journal: LogJournal, environment: JournalEnvironment, redaction: Redaction? = nil,
    spanClock: SpanClock = .system, sinkLimits: SinkQueue.Limits = SinkQueue.Limits()
  ) {
    self.journal = journal
    self.environment = environment
    spans = SpanTracker(clock: spanClock, random: environment.random)
    self.redaction = redaction
    clock = environment.clock
    pipeline = Pipeline(
      session: journal.session.id, environment: environment, limits: sinkLimits)
  }

  deinit { pipeline.close() }

  /// How many events were not logged: because the redaction hook wanted it, or logged itself, or because they were logged
  /// too deep inside the logging of others.
  package var refusalCount: Int { refusals.load(ordering: .relaxed) }

  @inline(__always)
  func mayAccept(severity: Int32) -> Bool {
    floors.mayAccept(severity: severity)
  }

  /// Logs the event that `make` makes.
  func emit(_ place: LogPlace, _ site: CallSite, _ make: () -> some LogEvent) {
    let thread = EmitThread.current
    guard thread.enter() else { return refuse() }
    defer { thread.leave() }
    let event = make()
    let level = event.level
    guard floors.accepts(level, at: place.paths) else { return }
    thread.withPayload { emit(event, level, place, site, thread, $0) }
  }

  /// Logs a text, unless `level` is below the floor: then it is not made.
  func emit(
    _ level: LogLevel, _ place: LogPlace, _ site: CallSite, _ text: () -> LogMessage
  ) {
    guard floors.accepts(level, at: place.paths) else { return }
    let thread = EmitThread.current
    guard thread.enter() else { return refuse() }
    defer { thread.leave() }
    var draft = RecordDraft(
      level: level, event: Message.eventName, message: text().text, tags: place.tags)
    log(&draft, place, site, thread, nil, isProtected: false)
  }

  private func emit<Event: LogEvent>(
    _ event: Event, _ level: LogLevel, _ place: LogPlace, _ site: CallSite, _ thread: EmitThread,
    _ payload: PayloadEncoder
  ) {
    var draft = RecordDraft(
      level: level, event: Event.eventName, message: event.message, tags: place.tags)
    draft.version = Int64(Event.eventVersion)
    draft.externalID = event.externalID
    payload.clear()
    if Event.self != Message.self {
      do {
        try payload.encode(event)
      } catch {
        // Losing the record over its fields would be worse than a record without them.
        draft.tags.append(LogTag("periscope.payload_error", .string("\(error)")))
      }
    }
    log(&draft, place, site, thread, payload, isProtected: Event.isProtectedFromDropping)
  }

  func refuse() {
    refusals.add(1, ordering: .relaxed)
  }

  /// Logs `draft`, whose fields may be in `payload`, to everybody who wants it.
  private func log(
    _ draft: inout RecordDraft, _ place: LogPlace, _ site: CallSite, _ thread: EmitThread,
    _ payload: PayloadEncoder?, isProtected: Bool
  ) {
    draft.time = clock.now()
    draft.span = currentSpan
    ambient.stamp(&draft.tags)
    let isShared = isShared(thread)
    guard isShared || redaction != nil || !place.attachments.isEmpty else {
      // Nobody but the store: it takes no record for that.
      return journal.append(draft, place, site, payload?.text, thread.entry)
    }
    var record = Record(draft, place, site, session: journal.session.id)
    if let payload { record.payload = payload.array }
    if let redaction {
      guard let redacted = thread.redacting({ redaction.apply(to: record) }) else {
        return refuse()
      }
      record = redacted
    }
    keepAttachments(of: &record)
    let sinks = stamp(&record, isProtected: isProtected, isShared: isShared)
    journal.append(record, record.payload.rawSpan, thread.entry)
    pipeline.wake(sinks)
  }

  /// Whether what is logged here goes to anybody but the store.
  func isShared(_ thread: EmitThread) -> Bool {
    pipeline.isInUse(bySink: thread.isDelivering) && !thread.isYielding && !journal.isForked
  }

  /// Gives the record its place, and everybody the record in that order. Returns the sinks to be woken when it is in the
  /// journal.
  func stamp(_ record: inout Record, isProtected: Bool, isShared: Bool) -> [Int] {
    guard isShared else {
      journal.stamp(&record)
      return []
    }
    return pipeline.push(&record, isProtected: isProtected) { journal.stamp(&$0) }
  }
}
