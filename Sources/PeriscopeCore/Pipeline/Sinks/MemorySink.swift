public import SegmentIndex
import Synchronization

/// Keeps records in memory, so that a test can look at what was logged.
///
/// ```swift
/// let sink = MemorySink()
/// store.add(sink: sink)
/// …
/// await store.flush()
/// #expect(sink.records.map(\.message) == ["started"])
/// ```
public final class MemorySink: LogSink {
  private struct Contents {
    var records: [Record] = []
    var scopes: [ScopeID] = []
    var flushCount = 0
  }

  private let contents = Mutex(Contents())
  private let limit: Int

  /// A sink that keeps the newest `limit` records.
  public init(limit: Int = 10_000) {
    self.limit = max(0, limit)
  }

  /// The records, in order.
  public var records: [Record] { contents.withLock { $0.records } }
  /// The scopes that were told, in order.
  public var scopes: [ScopeID] { contents.withLock { $0.scopes } }
  /// How often the sink was flushed.
  public var flushCount: Int { contents.withLock { $0.flushCount } }

  /// Keeps scopes.
  public func define(_ scopes: [ScopeID]) {
    contents.withLock { $0.scopes += scopes }
  }

  /// Keeps records, as many as there is room for.
  public func receive(_ records: [Record]) {
    contents.withLock {
      $0.records += records
      $0.records.removeFirst(max(0, $0.records.count - limit))
    }
  }

  /// Counts.
  public func flush() {
    contents.withLock { $0.flushCount += 1 }
  }

  /// Forgets what was kept.
  public func removeAll() {
    contents.withLock { $0 = Contents() }
  }
}
