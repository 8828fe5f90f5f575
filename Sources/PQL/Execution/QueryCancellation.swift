internal import Synchronization

/// A switch by which another thread ends a run.
///
/// ```swift
/// context.cancellation = cancellation
/// // elsewhere, and from any thread:
/// cancellation.cancel()
/// ```
/// The run notices it before the next 4,096 records and ends by throwing `Diagnostics` with the code `cancelled`.
/// A switch stays switched on: a further run needs another.
public final class QueryCancellation: Sendable {
  private let flag = Atomic(false)

  /// A switch that is off.
  public init() {}

  /// Ends every run that has the switch. Wait-free, so that even a signal's handler may call it.
  public func cancel() {
    flag.store(true, ordering: .relaxed)
  }

  /// Switches it off again, between two runs.
  package func reset() {
    flag.store(false, ordering: .relaxed)
  }

  /// Whether it was cancelled.
  public var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
