import PQL
public import SegmentIndex

// MARK: Floors

extension PeriscopeStore {
  /// Events below this level are not logged, and messages below it are not even made. `nil`, the default,
  /// logs everything.
  ///
  /// May be changed at any time, by any thread, as may `setMinimumLevel(_:under:)`.
  public var minimumLevel: LogLevel? {
    get { periscope.floors.global }
    set { periscope.floors.global = newValue }
  }

  /// Lets events be logged in `scope`, and in all scopes below it, from `level` on, whatever holds elsewhere; `nil` lets the
  /// scopes above decide again. Of several scopes that have a level, the nearest one decides.
  ///
  /// An event of linked logs is logged when one of its scopes lets it.
  public func setMinimumLevel(_ level: LogLevel?, under scope: ScopeID) {
    periscope.floors[scope] = level
  }

  /// What `setMinimumLevel(_:under:)` has set for exactly this scope.
  public func minimumLevel(under scope: ScopeID) -> LogLevel? {
    periscope.floors[scope]
  }
}

// MARK: Who gets records besides the store

extension PeriscopeStore {
  /// Lets `sink` have what is logged from now on.
  ///
  /// - Parameter minimumLevel: nothing milder comes to the sink, nor takes any of its room while it is busy. It gets all
  ///   levels unless given.
  @discardableResult
  public func add(sink: some LogSink, minimumLevel: LogLevel? = nil) -> LogSinkToken {
    periscope.pipeline.add(sink, minimumLevel)
  }

  /// Lets a sink have what was logged so far, flushes it, and lets it go. Does nothing the second time.
  public func remove(_ sink: LogSinkToken) async {
    await periscope.pipeline.remove(sink)
  }

  /// Waits until every sink has what was logged so far, and has flushed it. The store itself needs no flush.
  public func flush() async {
    await periscope.pipeline.flush()
  }

  /// What is logged from now on, in the order of `sequence`, also by sinks. What an executor logs while it is told that there
  /// is something to read is in the store alone.
  ///
  /// - Parameter limit: how many records wait to be read at most; the newest stay, so a reader that is too slow finds
  ///   sequences missing, and a span's begin or end may be among them.
  public func liveRecords(limit: Int = 4_096) -> AsyncStream<Record> {
    periscope.pipeline.liveRecords(limit: limit)
  }

  /// The newest records of this session, oldest first.
  ///
  /// They are read from the store, which has every record as soon as it is logged.
  ///
  /// - Throws: `StoreError` when the store cannot be read.
  public func recentRecords(limit: Int = 100) throws -> [Record] {
    let newest = try query(
      "session = current | sort -sequence | limit \(max(0, limit))"
    ).records
    return newest.reversed()
  }

  /// How many events were not logged because the redaction wanted it, or because they were logged in the middle of a
  /// redaction, or too deep inside the logging of others.
  public var refusedCount: Int { periscope.refusalCount }
}
