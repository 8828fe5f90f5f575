/// Tells a store of the program's surroundings, from `start` to `stop`.
///
/// `PeriscopeStore.start(_:)` keeps a source as long as it runs. `AmbientPoller` is one that looks now and then;
/// `ProcessSignals` is one that is told.
public protocol AmbientEventSource: Sendable {
  /// Begins to call `report`, from any thread, at best with what holds just now.
  ///
  /// - Throws: `AmbientError.alreadyStarted` when it has begun and not stopped; whatever else keeps it from beginning.
  func start(_ report: @escaping @Sendable (any AmbientEvent) -> Void) throws
  /// Reports nothing more, as soon as possible. Does nothing the second time.
  func stop()
}

/// Why a source does not begin.
public enum AmbientError: Error, Equatable {
  /// It has begun already, for this store or another one.
  case alreadyStarted
  /// The store is closed.
  case closed
}

/// A source that was started.
public struct AmbientToken: Hashable, Sendable {
  let number: Int
}
