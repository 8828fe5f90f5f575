import SegmentIndex

extension Record {
  /// A record of `event` that has no place yet, and neither scopes nor fields.
  init<Event: LogEvent>(_ event: Event, time: Int64, session: UniqueID) {
    self.init(
      id: UniqueID(bits: 0), time: time, sequence: 0, session: session, level: event.level,
      event: Event.eventName, message: event.message)
    version = Int64(Event.eventVersion)
    externalID = event.externalID
  }

  /// What the log itself has to say, at a place of its own.
  init<Event: LogEvent>(reporting event: Event, time: Int64, session: UniqueID) {
    self.init(event, time: time, session: session)
    scopes = [ScopeID(root: "Periscope").path]
    let encoder = PayloadEncoder()
    // It holds nothing that could not be encoded.
    try? encoder.encode(event)
    payload = encoder.array
  }

  mutating func set(_ site: CallSite) {
    function = site.function
    file = site.file
    line = Int64(site.line)
  }
}
