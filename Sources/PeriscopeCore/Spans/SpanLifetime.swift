/// How long a span may last.
public enum SpanLifetime: Sendable, Hashable {
  /// As long as the call that measures it. For one that is begun with `begin(_:for:)` it is the same as `indefinite`.
  case scoped
  /// Until somebody ends it, at most so long: then it ends as `expired`.
  case bounded(Duration)
  /// Until somebody ends it.
  case indefinite
}

/// What becomes of a span when its process dies.
public enum SpanRelaunchPolicy: Sendable, Hashable {
  /// It ends as `orphaned`, which the next process tells that opens the store.
  case endsWithProcess
  /// It stays open, and the next process that opens the store can end it.
  case survivesRelaunch
}
