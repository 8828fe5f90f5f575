import SegmentIndex

extension Log {
  /// A log for events of type `Child`, one scope down: `root(PhotoLogs.self)`.
  ///
  /// The scope is named by `Child.scopeName`.
  public func callAsFunction<Child: LogEvent>(_ type: Child.Type) -> Log<Child> {
    Log<Child>(periscope: periscope, scopes: child(Child.scopeName), tags: tags)
  }

  /// A log for messages, one scope down: `log("Photos")`.
  public func callAsFunction(_ name: String) -> Log<Message> {
    Log<Message>(periscope: periscope, scopes: child(name), tags: tags)
  }

  /// A log for one entity, one scope down: `albums(for: album.id)`.
  public func callAsFunction(for entity: some CustomStringConvertible) -> Log {
    Log(periscope: periscope, scopes: child(entity.description), tags: tags)
  }

  /// Logs at one entity in one expression: `album(for: id) { .uploaded }`.
  public func callAsFunction(
    for entity: some CustomStringConvertible,
    function: String = #function, file: String = #fileID, line: Int = #line,
    _ event: () -> Event
  ) {
    self(for: entity).emit(event(), function: function, file: file, line: line)
  }

  /// The same place for events of another type.
  public func retyped<Other: LogEvent>(to type: Other.Type) -> Log<Other> {
    Log<Other>(periscope: periscope, scopes: scopes, tags: tags)
  }

  /// Links two places: events carry the scopes of both, the left one's first, and both sets of tags;
  /// where both have a tag, the right one's value counts.
  public static func + <Other: LogEvent>(left: Log, right: Log<Other>) -> Log {
    let added = right.scopes.filter { !left.scopes.contains($0) }
    return Log(
      periscope: left.periscope, scopes: left.scopes + added,
      tags: right.tags.reduce(into: left.tags) { $0.set($1) })
  }

  /// This log with one more tag; an earlier value of the same key is replaced.
  public func tagged(_ key: LogTagKey, _ value: some LogTagConvertible) -> Log {
    var tags = tags
    tags.set(LogTag(key.name, value.logTagValue))
    return Log(periscope: periscope, scopes: scopes, tags: tags)
  }

  /// A child of a linked log is a child of its primary scope, and stays linked to the others.
  private func child(_ name: String) -> [ScopeID] {
    [scopes[0].child(name)] + scopes.dropFirst()
  }
}
