package import SegmentIndex

/// Runs a query over segments, a granule at a time.
///
/// - What bounds of time and posting lists rule out is never read.
/// - Tests of dictionary-coded fields run once for each distinct term; rows look their code up.
/// - Without grouping, granules are read newest first until enough rows are found.
/// - Groups are found by codes; keys become values once for each group and segment.
/// - Whole records are put together last, and only those returned.
///
/// A granule that cannot be read is left out as a whole and becomes a gap in the summary, so that the
/// answer is exactly that of the granules that can be read. `ReferenceEvaluator` defines the answer.
package struct Executor: Sendable {
  let query: BoundQuery
  /// What rules segments out.
  let probe: SegmentProbe
  let segments: [Segment]
  let sessions: SessionTable
  let limits: QueryLimits
  /// Whether the run may go on; it ends soon when it may not.
  let budget: RunBudget
  var summary = QuerySummary()
  /// What the store is known to lack at the times that the query searches.
  let knownGaps: [QuerySummary.Gap]
  var concurrency = Concurrency.standard
  /// Segments in which nothing can match.
  var skippedSegments = RowBits(count: 0, all: false)
  /// Granules that turned out to be damaged.
  var damaged: Set<GranuleNumber> = []

  /// A granule of the run.
  struct GranuleNumber: Hashable {
    let segment: Int
    let granule: Int
  }

  /// The answer of `query` over `segments`, which are in any order; worth nothing when the budget ran out.
  package static func run(
    _ query: BoundQuery, on segments: [Segment], sessions: [SessionInfo] = [],
    _ limits: QueryLimits = QueryLimits(), gaps: [QuerySummary.Gap] = [],
    budget: RunBudget? = nil, concurrency: Concurrency = .standard
  ) -> QueryResult {
    var executor = Executor(
      query: query, probe: SegmentProbe(query.condition), segments: segments,
      sessions: SessionTable(sessions, segments), limits: limits,
      budget: budget ?? RunBudget(limits), knownGaps: gaps, concurrency: concurrency)
    return executor.run()
  }

  /// Hands over the records that `query` lists; nil when it does more than that.
  package static func stream(
    _ query: BoundQuery, on segments: [Segment], _ limits: QueryLimits = QueryLimits(),
    gaps: [QuerySummary.Gap] = [], budget: RunBudget? = nil, _ body: ([Record]) -> Void
  ) -> QuerySummary? {
    var executor = Executor(
      query: query, probe: SegmentProbe(query.condition), segments: segments,
      sessions: SessionTable([], segments), limits: limits,
      budget: budget ?? RunBudget(limits), knownGaps: gaps)
    return executor.streamRecords(body)
  }

  /// The answer.
  mutating func run() -> QueryResult {
    // Damage in a column that only the result needs shows late; then the run begins again without that
    // granule. Each turn takes out at least one, so that this ends.
    while true {
      summary = QuerySummary()
      skippedSegments = RowBits(count: segments.count, all: false)
      summary.segmentCount = segments.count
      summary.granuleCount = segments.reduce(0) { $0 + $1.granuleCount }
      summary.gaps = knownGaps
      let known = damaged
      for granule in known.sorted(by: { ($0.segment, $0.granule) < ($1.segment, $1.granule) }) {
        noteGap(granule, cause: "a block is damaged")
      }
      if let rows = attempt(), budget.stop == nil {
        summary.skippedSegmentCount += skippedSegments.count
        summary.notes += QueryRemarks.remarks(on: query, rows, segments)
        return QueryResult(rows: rows, summary: summary)
      }
      guard budget.stop == nil else { return QueryResult(rows: .records([]), summary: summary) }
      precondition(damaged.count > known.count, "a run begins again only without more granules")
    }
  }

  /// One run; nil when it found further damage and must begin again.
  private mutating func attempt() -> QueryResult.Rows? {
    if query.recordStages.isEmpty {
      switch query.exit {
      case .group(let grouping): return pipeline.finish(groups(grouping), &summary)
      case .timeline(let timeline):
        var counts = TimelineCounts(timeline, searched: searched, limits, budget)
        group(into: &counts.groups)
        return pipeline.finish(counts.table(&summary), &summary)
      case .records, .project, .spans: break
      }
    }
    return listedRows()
  }

  private mutating func groups(_ grouping: BoundQuery.Grouping) -> Table {
    var groups = GroupTable(grouping, limit: limits.groupCount, budget)
    group(into: &groups)
    return groups.table(&summary, Coverage(searched, summary.gaps))
  }

  /// The times that the query searched.
  var searched: ClosedRange<Int64>? {
    var all: ClosedRange<Int64>?
    for segment in segments {
      guard let times = segment.timeRange else { continue }
      let known = all ?? times
      all = min(known.lowerBound, times.lowerBound)...max(known.upperBound, times.upperBound)
    }
    return query.condition.timeBounds.intersection(all)
  }

  var pipeline: RecordPipeline<SegmentRecords> {
    RecordPipeline(
      query: query, sessions: sessions, limits: limits, budget: budget, searched: searched,
      source: SegmentRecords(segments, sessions, damaged: damaged, budget))
  }

  // MARK: Scanning

  /// A scan of a segment; nil when nothing in it can match, or it cannot be read.
  mutating func scan(_ index: Int) -> SegmentScan? {
    guard budget.allows(), damaged.isEmpty || !isDamaged(index) else { return nil }
    guard !probe.excludes(segments[index]) else {
      skippedSegments.insert(index)
      return nil
    }
    do throws(SegmentError) {
      if let scan = try SegmentScan(segments[index], query.condition, sessions) { return scan }
    } catch {
      noteGap(segment: index, error)
      damaged.formUnion(granules(of: index))
      return nil
    }
    skippedSegments.insert(index)
    return nil
  }

  /// Runs `body` with the rows of a granule that pass; a granule that cannot be read becomes a gap. The
  /// body must read all it needs before it changes anything.
  mutating func visit(
    _ granule: Int, of index: Int, _ scan: inout SegmentScan,
    _ body: (RowBits, inout GranuleReader) throws(SegmentError) -> Void
  ) {
    guard budget.allows(), !damaged.contains(GranuleNumber(segment: index, granule: granule))
    else { return }
    do throws(SegmentError) {
      let rows = try scan.matches(in: granule)
      let count = rows.count
      if count > 0 { try body(rows, &scan.reader) }
      summary.scannedGranuleCount += 1
      summary.readByteCount += scan.reader.readByteCount
      summary.scannedCount += segments[index].rows(ofGranule: granule).count
      summary.matchedCount += count
    } catch {
      let number = GranuleNumber(segment: index, granule: granule)
      noteGap(number, cause: error.reason)
      damaged.insert(number)
    }
  }

  /// Whether nothing of the segment can be read.
  private func isDamaged(_ index: Int) -> Bool {
    let granules = granules(of: index)
    return !granules.isEmpty && damaged.isSuperset(of: granules)
  }

  private func granules(of index: Int) -> [GranuleNumber] {
    (0..<segments[index].granuleCount).map { GranuleNumber(segment: index, granule: $0) }
  }

  // MARK: Gaps

  mutating func noteGap(_ granule: GranuleNumber, cause: String) {
    let segment = segments[granule.segment]
    summary.gaps.append(
      .init(
        segment: segment.name, timeRange: try? segment.timeBounds(ofGranule: granule.granule),
        cause: cause, estimatedCount: segment.rows(ofGranule: granule.granule).count))
  }

  mutating func noteGap(segment index: Int, _ error: SegmentError) {
    let segment = segments[index]
    summary.gaps.append(
      .init(
        segment: segment.name, timeRange: segment.timeRange, cause: error.reason,
        estimatedCount: segment.rowCount))
  }
}
