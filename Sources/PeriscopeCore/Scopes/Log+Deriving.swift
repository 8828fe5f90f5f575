import PQL
import SegmentIndex

extension Log {
  /// A log for events of type `Child`, one scope down: `root(PhotoLogs.self)`.
  ///
  /// The scope is named by `Child.scopeName`.
  public func callAsFunction<Child: LogEvent>(_ type: Child.Type) -> Log<Child> {
    Log<Child>(periscope, child(Child.scopeName))
  }

  /// A log for messages, one scope down: `log("Photos")`.
  public func callAsFunction(_ name: String) -> Log<Message> {
    Log<Message>(periscope, child(name))
  }

  /// A log for one entity, one scope down: `albums(for: album.id)`.
  public func callAsFunction(for entity: some CustomStringConvertible) -> Log {
    Log(periscope, child(entity.description))
  }

  /// Logs at one entity in one expression: `album(for: id) { .uploaded }`.
  public func callAsFunction(
    for entity: some CustomStringConvertible,
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ event: () -> Event
  ) {
    self(for: entity).callAsFunction(function: function, file: file, line: line, event)
  }

  /// The same place for events of another type.
  public func retyped<Other: LogEvent>(to type: Other.Type) -> Log<Other> {
    Log<Other>(periscope, place)
  }

  /// Links two places: events carry the scopes of both, the left one's first, and both sets of tags;
  /// where both have a tag, the right one's value counts.
  public static func + <Other: LogEvent>(left: Log, right: Log<Other>) -> Log {
    var place = left.place
    for path in right.place.paths where !place.paths.contains(where: { $0.isSameText(as: path) }) {
      place.paths.append(path)
    }
    for tag in right.tags { place.tags.set(tag) }
    return Log(left.periscope, place)
  }

  /// This log with one more tag; an earlier value of the same key is replaced.
  public func tagged(_ key: LogTagKey, _ value: some LogTagConvertible) -> Log {
    var place = place
    place.tags.set(LogTag(key.name, value.logTagValue))
    return Log(periscope, place)
  }

  /// This log with one more tag, whose value is any that can be encoded: `UUID`, `URL` and enumerations of strings become
  /// text, structures and arrays JSON, and what cannot be encoded the error's text.
  @_disfavoredOverload
  public func tagged(_ key: LogTagKey, _ value: some Encodable) -> Log {
    tagged(key, LogTagValue(encoding: value))
  }

  /// A child of a linked log is a child of its primary scope, and stays linked to the others.
  private func child(_ name: String) -> LogPlace {
    var place = place
    place.paths[0] = ScopeID(path: place.paths[0]).child(name).path
    return place
  }
}
