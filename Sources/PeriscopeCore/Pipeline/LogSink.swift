public import SegmentIndex

/// Somewhere that records go besides the store: a terminal, a test, a server.
///
/// A sink gets what was logged after it was added, in order and once, on a thread of its own: it may take its time, and
/// whoever logs never waits for it. The journal has every record whatever a sink does with it; a sink may get one a moment
/// before it is written, and also one that could not be.
///
/// What a sink logs while it is called is stored and comes to live streams, but to no sink: else it would never end.
public protocol LogSink: Sendable {
  /// Tells scopes before the first record that uses them; a parent before its children. It may repeat itself.
  func define(_ scopes: [ScopeID])
  /// Takes records. When there were too many for this sink, the first one is a `DroppedEvents`.
  func receive(_ records: [Record])
  /// Passes on what was received, if the sink keeps anything back. Called after errors, and when the program asks.
  func flush()
}

extension LogSink {
  /// Records name their scopes, so most sinks need not know them before.
  public func define(_ scopes: [ScopeID]) {}
  /// Nothing is kept back.
  public func flush() {}
}

/// A sink that was added to a store.
public struct LogSinkToken: Hashable, Sendable {
  let number: Int
}
