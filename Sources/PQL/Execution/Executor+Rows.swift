internal import SegmentIndex

extension Executor {
  /// The answer of a query that lists rows: finds them, in order and no more than needed, then puts
  /// together what the query shows of them. nil when that found damage.
  mutating func listedRows() -> QueryResult.Rows? {
    var stages = query.recordStages[...]
    let overlaps = overlaps
    var ordering = RowOrdering(overlaps: overlaps)
    if case .sort(let orders)? = stages.first {
      ordering.sort(by: orders)
      stages.removeFirst()
    }
    if case .dedup(let keys)? = stages.first {
      // The newest of each key are the same in any order.
      ordering = RowOrdering(dedupKeys: keys, overlaps: overlaps)
      stages.removeFirst()
    }
    var limit = Int.max
    if case .limit(let count)? = stages.first {
      limit = count
      stages.removeFirst()
    } else if stages.isEmpty {
      limit = limitOfExit
    }
    guard let found = foundRows(ordering, limit) else { return nil }
    let memory = HeldMemory(budget)
    // What it counts is there until the answer is.
    defer { withExtendedLifetime(memory) {} }
    if stages.isEmpty, case .project(let columns) = query.exit {
      guard let rows = values(of: found, columns.map(\.operand), memory) else { return nil }
      return pipeline.finish(columns.map(\.name), rows, &summary)
    }
    guard var records = records(of: found, memory) else { return nil }
    let pipeline = pipeline
    let rows = pipeline.run(&records, stages, memory, &summary)
    // What only a stage's own search found damaged must be missing everywhere.
    guard pipeline.source.damaged.isSubset(of: damaged) else {
      damaged.formUnion(pipeline.source.damaged)
      return nil
    }
    return rows
  }

  /// The first `limit` rows in the order; nil when that found damage.
  private mutating func foundRows(_ ordering: RowOrdering, _ limit: Int) -> FoundRows? {
    guard limit > 0 else { return FoundRows(places: []) }
    if ordering.isThatOfSegments
      || ordering.isByTime && limit >= concurrency.soughtAtOnce && areRare(ordering.overlaps)
    {
      let (before, known) = (summary, damaged)
      if let places = rowsByTime(limit, ordering) { return foundRows(places) }
      guard damaged == known else { return nil }
      // Too many rows stand in one overlap: found the other way, those that are too many are dropped meanwhile.
      summary = before
    }
    return foundRows(
      ordering.dedupKeys.isEmpty ? rows(ordering, limit) : newestRows(ordering, limit))
  }

  /// The rows at these places; nil when the budget ran out.
  private func foundRows(_ places: [RowPlace]) -> FoundRows? {
    // Bringing them into the order of granules takes several numbers for each.
    guard budget.allows(holding: places.count * 4 * MemoryLayout<Int>.stride) else { return nil }
    return FoundRows(places: places)
  }

  /// How many rows are worth finding when no stage on records says so: one more than may be returned, so
  /// that a cut is noticed.
  private var limitOfExit: Int {
    let most = limits.rowCount == .max ? .max : limits.rowCount + 1
    switch query.exit {
    case .records: return most
    case .project:
      if case .limit(let count)? = query.tableStages.first { return count }
      return query.tableStages.isEmpty ? most : .max
    case .group, .timeline, .spans: return .max
    }
  }
}
