public import SegmentIndex

extension Query {
  /// Runs the query over segments, which are in any order.
  ///
  /// - Throws: `Diagnostics` when a name or a type does not fit. Damage in the segments is no error: the
  ///   result is that of what can be read, and its summary lists the gaps.
  public func run(
    on segments: [Segment], _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    var catalog = Catalog()
    catalog.add(segments)
    let query = try Binder.bind(tree, context, catalog)
    return Executor.run(query, on: segments, context.limits)
  }
}

extension Query {
  /// Runs the query over a store's snapshot; otherwise as over segments. What the snapshot is known to lack
  /// is among the summary's gaps.
  public func run(
    on snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    var result = try run(on: snapshot.segments, context)
    result.summary.gaps += snapshot.gaps.map { gap in
      QuerySummary.Gap(
        segment: gap.file, timeRange: gap.timeRange, cause: "\(gap.cause)",
        estimatedCount: gap.missing.map { Int(clamping: $0) })
    }
    return result
  }
}

extension Catalog {
  /// Adds what the segments hold. What cannot be read is left out; running will say so.
  package mutating func add(_ segments: [Segment]) {
    var levels = Set(self.levels)
    for segment in segments {
      sessions += segment.sessions
      tagKeys.formUnion(segment.tagKeys)
      guard case .terms(let column)? = try? segment.column(.level),
        let terms = try? column.terms
      else { continue }
      for case .level(let level) in terms { levels.insert(level) }
    }
    self.levels = levels.sorted()
  }
}
