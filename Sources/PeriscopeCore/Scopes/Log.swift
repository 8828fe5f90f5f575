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
  package let periscope: Periscope
  /// Where events are logged; the first scope is the primary one.
  public let scopes: [ScopeID]
  /// What every event logged here carries.
  public let tags: [LogTag]

  package init(periscope: Periscope, scopes: [ScopeID], tags: [LogTag] = []) {
    self.periscope = periscope
    self.scopes = scopes
    self.tags = tags
  }

  /// Logs an event. When this returns, the record survives the process dying by any means.
  ///
  /// A failure to write never reaches the caller: it is counted in
  /// ``PeriscopeStore/appendFailureCount``.
  public func callAsFunction(
    _ event: Event, function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    emit(event, function: function, file: file, line: line)
  }

  /// Logs the event that `event` makes, as in `album(for: id) { .uploaded }`.
  public func callAsFunction(
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ event: () -> Event
  ) {
    emit(event(), function: function, file: file, line: line)
  }

  package func emit(
    _ event: some LogEvent, function: String, file: String, line: Int
  ) {
    periscope.emit(
      event, scopes: scopes, tags: tags, site: CallSite(function: function, file: file, line: line))
  }
}
