public import SegmentIndex

extension Query {
  /// Runs the query over a store's snapshot. What the snapshot is known to lack, at times that the query
  /// searched, is among the summary's gaps.
  ///
  /// - Throws: `Diagnostics` when a name or a type does not fit, when the run takes more time or memory than the
  ///   context's limits allow, and when it is cancelled. Damage in the segments is no error: the result is that of
  ///   what can be read, and its summary lists the gaps.
  public func run(
    on snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    let query = try bind(to: snapshot.segments, context)
    let budget = RunBudget(context.limits, context.cancellation)
    var result = try query.run(on: snapshot, budget, context)
    result.summary.notes += tree.remarksOnWords
    return result
  }

  /// Runs the query over segments, which are in any order; otherwise as over a snapshot.
  public func run(
    on segments: [Segment], _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    try run(on: Snapshot(segments: segments), context)
  }

  /// Hands the records that the query lists to `body`, in the query's order and some at a time, so that no more than a
  /// few thousand are in memory at once. Otherwise as `run`.
  ///
  /// Nil, and nothing is handed over, when the query does more than to filter records: then use `run`. The summary does
  /// not remark on the records themselves.
  public func stream(
    on snapshot: Snapshot, _ context: QueryContext, _ body: ([Record]) -> Void
  ) throws(Diagnostics) -> QuerySummary? {
    let query = try bind(to: snapshot.segments, context)
    let budget = RunBudget(context.limits, context.cancellation)
    var summary = Executor.stream(
      query, on: snapshot.segments, context.limits, gaps: query.knownGaps(in: snapshot),
      budget: budget, body)
    if let diagnostics = budget.diagnostics { throw diagnostics }
    summary?.notes += tree.remarksOnWords
    return summary
  }

  /// The query with its names and types settled, as this store has them.
  package func bind(
    to segments: [Segment], _ context: QueryContext
  ) throws(Diagnostics) -> BoundQuery {
    var catalog = Catalog()
    catalog.add(segments)
    return try Binder.bind(tree, context, catalog)
  }
}

extension BoundQuery {
  /// The answer within the budget.
  func run(
    on snapshot: Snapshot, _ budget: RunBudget, _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    let result = Executor.run(
      self, on: snapshot.segments, context.limits, gaps: knownGaps(in: snapshot), budget: budget)
    if let diagnostics = budget.diagnostics { throw diagnostics }
    return result
  }

  /// What the snapshot is known to lack at the times that the query searches.
  fileprivate func knownGaps(in snapshot: Snapshot) -> [QuerySummary.Gap] {
    let bounds = condition.timeBounds
    return snapshot.gaps.filter { $0.timeRange.map(bounds.overlaps) ?? true }
      .map(QuerySummary.Gap.init)
  }
}

extension QuerySummary.Gap {
  /// A gap that the store knows of.
  fileprivate init(_ gap: SegmentIndex.Gap) {
    let cause =
      switch gap.cause {
      case .damagedJournal: "part of a journal is damaged"
      case .missingJournal: "part of a journal is missing"
      case .dropped: "the journal was full and dropped its oldest records"
      case .malformed: "entries made no sense and are in quarantine"
      case .lostSegment: "a segment is lost"
      }
    self.init(
      segment: gap.file, timeRange: gap.timeRange, cause: cause,
      estimatedCount: gap.missing.map { Int(clamping: $0) })
  }
}
