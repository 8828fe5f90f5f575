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
    let bounds = condition.timeBounds
    let gaps = snapshot.gaps.filter { $0.timeRange.map(bounds.overlaps) ?? true }
    let result = Executor.run(
      self, on: snapshot.segments, context.limits, gaps: gaps.map(QuerySummary.Gap.init),
      budget: budget)
    if let diagnostics = budget.diagnostics { throw diagnostics }
    return result
  }
}

extension Catalog {
  /// Adds what the segments hold. What cannot be read is left out; running will say so.
  package mutating func add(_ segments: [Segment]) {
    var levels = Set(self.levels)
    var known = Set(sessions.map(\.id))
    for segment in segments {
      // Every segment describes the sessions of its records, so most are described several times.
      sessions += segment.sessions.filter { known.insert($0.id).inserted }
      tagKeys.formUnion(segment.tagKeys)
      guard case .terms(let column)? = try? segment.column(.level),
        let terms = try? column.terms
      else { continue }
      for case .level(let level) in terms { levels.insert(level) }
    }
    self.levels = levels.sorted()
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
