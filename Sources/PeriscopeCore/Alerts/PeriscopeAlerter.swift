public import SegmentIndex
import Synchronization

/// Calls a handler for what is logged at a level and above: to page somebody, to show a dialog, to end a test.
///
/// ```swift
/// let alerter = PeriscopeAlerter(store, threshold: .error) { record in
///   page("\(record.scopes.first ?? ""): \(record.message)")
/// }
/// ```
///
/// The handler runs on a thread of its own, in the order of the log, and nobody who logs waits for it. What it logs itself is
/// stored and alerts nobody, so that an alert that fails does not make the next one. An alerter that is forgotten is stopped.
public final class PeriscopeAlerter: Sendable {
  private struct Sink: LogSink {
    let isSilent: @Sendable () -> Bool
    let handler: @Sendable (Record) -> Void

    func receive(_ records: [Record]) {
      for record in records where !isSilent() { handler(record) }
    }
  }

  /// A flag that the sink keeps longer than the alerter lives.
  private final class Silence: Sendable {
    let isSet = Atomic(false)
  }

  private let store: PeriscopeStore
  private let token: LogSinkToken
  private let silence: Silence

  /// Watches what `store` logs from now on, and calls `handler` with each record of level `threshold` and above.
  ///
  /// What is below the threshold takes no room while the handler is busy. When there are more alerts than it can take, it
  /// gets a `DroppedEvents` in place of the oldest, whatever the threshold.
  public init(
    _ store: PeriscopeStore, threshold: LogLevel = .error,
    handler: @escaping @Sendable (Record) -> Void
  ) {
    let silence = Silence()
    self.store = store
    self.silence = silence
    token = store.add(
      sink: Sink(isSilent: { silence.isSet.load(ordering: .acquiring) }, handler: handler),
      minimumLevel: threshold)
  }

  deinit { stop() }

  /// Begins no call of the handler any more; one may still be under way. Does nothing the second time.
  public func stop() {
    guard !silence.isSet.exchange(true, ordering: .acquiringAndReleasing) else { return }
    let (store, token) = (store, token)
    Task { await store.remove(token) }
  }
}
