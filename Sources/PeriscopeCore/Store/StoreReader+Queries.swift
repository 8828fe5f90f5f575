public import PQL

extension StoreReader {
  /// One page of a query's records, from new to old: the first ones after `cursor`, or the first of all. The
  /// summary's `cursor` is where the next page begins; `Query.page` says more.
  ///
  /// - Parameter limit: the most rows of the page, at least 1.
  /// - Throws: as `run`; `Diagnostics` also for a query whose rows have no pages.
  public func page(
    of query: Query, after cursor: QueryCursor? = nil, limit: Int,
    parameters: [String: Value] = [:], zone: TimeZoneRules = .utc,
    limits: QueryLimits = QueryLimits(), cancellation: QueryCancellation? = nil
  ) throws -> QueryResult {
    try query.page(
      after: cursor, limit: limit, on: snapshot(),
      context(parameters, zone, limits, cancellation))
  }

  /// Runs a query and tells how it was answered: what was ruled out by what, and what was read.
  ///
  /// - Throws: as `run`.
  public func explain(
    _ query: Query, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc,
    limits: QueryLimits = QueryLimits()
  ) throws -> QueryExplanation {
    try query.explain(on: snapshot(), context(parameters, zone, limits))
  }

  /// What is new to a query, from now on: the records that appear, or all rows whenever they have changed;
  /// `QueryFollower` says which.
  ///
  /// ```swift
  /// for try await change in try reader.changes(of: Query("level >= error")) {
  ///   for record in change.result.records { show(record) }
  /// }
  /// ```
  /// - Parameter interval: how long to wait between two looks at the store.
  /// - Throws: as `run`; `Diagnostics` also for a query that cannot be followed.
  public func changes(
    of query: Query, every interval: Duration = .milliseconds(200),
    parameters: [String: Value] = [:], zone: TimeZoneRules = .utc,
    limits: QueryLimits = QueryLimits()
  ) throws -> QueryChanges {
    let follower = try QueryFollower(
      query, from: snapshot(), context(parameters, zone, limits))
    return QueryChanges(
      follower: follower, reader: self, interval: interval, parameters: parameters, zone: zone,
      limits: limits)
  }
}

/// What is new to a query in a store, without end: cancelling the task ends it.
public struct QueryChanges: AsyncSequence, AsyncIteratorProtocol, Sendable {
  fileprivate var follower: QueryFollower
  fileprivate let reader: StoreReader
  fileprivate let interval: Duration
  fileprivate let parameters: [String: Value]
  fileprivate let zone: TimeZoneRules
  fileprivate let limits: QueryLimits

  /// Itself.
  public func makeAsyncIterator() -> QueryChanges { self }

  /// The next change; nil when the task was cancelled.
  ///
  /// - Throws: as `StoreReader.run`. A later call goes on where this one began.
  public mutating func next() async throws -> QueryFollower.Change? {
    while !Task.isCancelled {
      if let change = try poll() { return change }
      try? await Task.sleep(for: interval)
    }
    return nil
  }

  /// What has changed since the last time; nil when nothing has.
  package mutating func poll() throws -> QueryFollower.Change? {
    try follower.refresh(reader.snapshot(), reader.context(parameters, zone, limits))
  }
}
