public import SegmentIndex

/// Logs events of one type at one place in the scope tree.
///
/// A `Log` is a plain value: copy it, keep it, send it anywhere. Deriving another one changes nothing and
/// costs a string. All logs of a store write to the same session.
///
/// ```swift
/// let log = store.log("App")
/// let photos = log("Photos").tagged("user", 42)
/// photos.info("import started")
/// ```
public struct Log<Event: LogEvent>: Sendable {
  let periscope: Periscope
  let place: LogPlace

  init(_ periscope: Periscope, _ place: LogPlace) {
    self.periscope = periscope
    self.place = place
  }

  /// Where events are logged; the first scope is the primary one.
  public var scopes: [ScopeID] { place.paths.map(ScopeID.init(path:)) }
  /// What every event logged here carries.
  public var tags: [LogTag] { place.tags }

  /// Logs an event. When this returns, the record survives the process dying by any means.
  ///
  /// A failure to write never reaches the caller: it is counted in
  /// ``PeriscopeStore/appendFailureCount``.
  public func callAsFunction(
    _ event: Event, function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    periscope.emit(place, CallSite(function: function, file: file, line: line)) { event }
  }

  /// Logs the event that `event` makes, as in `album(for: id) { .uploaded }`.
  public func callAsFunction(
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ event: () -> Event
  ) {
    periscope.emit(place, CallSite(function: function, file: file, line: line), event)
  }
}
