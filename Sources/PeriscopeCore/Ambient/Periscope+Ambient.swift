import JournalKit
import SegmentIndex

extension Periscope {
  /// The scope of all ambient events.
  static let ambientPath = ScopeID(root: "Ambient").path

  /// Takes in and logs what source `number` reports.
  ///
  /// A state counts also when the level of its event is below the floor. It does not when the redaction takes the event back,
  /// or changes it: what must not be logged must not come back as a tag.
  func report<Event: AmbientEvent>(_ event: Event, from number: Int) {
    let thread = EmitThread.current
    guard !journal.isForked, ambient.isRunning(number) else { return }
    guard thread.enter() else { return refuse() }
    defer { thread.leave() }
    var record = Record(event, time: clock.now(), session: journal.session.id)
    record.scopes = [Self.ambientPath]
    thread.withPayload { payload in
      payload.clear()
      do {
        try payload.encode(event)
        record.payload = payload.array
      } catch {
        record.tags.append(LogTag("periscope.payload_error", .string("\(error)")))
      }
    }
    guard let admitted = fold(event, record, thread, number),
      floors.accepts(event.level, at: record.scopes)
    else { return }
    record = admitted
    let sinks = stamp(
      &record, isProtected: Event.isProtectedFromDropping, isShared: isShared(thread))
    journal.append(record, record.payload.rawSpan, thread.entry)
    pipeline.wake(sinks)
  }

  /// Changes the state that `event` tells of; returns the record that is to be logged, which has the new state itself. Nil
  /// when there is none.
  private func fold<Event: AmbientEvent>(
    _ event: Event, _ record: Record, _ thread: EmitThread, _ number: Int
  ) -> Record? {
    let state = event.ambientState
    var original = record
    if let state {
      var snapshot = ambient.snapshot
      snapshot[Event.ambientKind] = state
      original.tags += snapshot.tags
    } else {
      ambient.stamp(&original.tags)
    }
    var admitted: Record? = original
    if let redaction {
      admitted = thread.redacting { redaction.apply(to: original) }
      if admitted == nil { refuse() }
    }
    guard state != nil else { return admitted }
    let isKept = admitted == original
    guard ambient.set(Event.ambientKind, isKept ? state : nil, from: number) else { return nil }
    if !isKept {
      let key = AmbientSnapshot.tagPrefix + Event.ambientKind
      admitted?.tags.removeAll { $0.key == key }
    }
    return admitted
  }
}
