package import SegmentIndex

/// Runs a query over an array of records in the plainest way: test every record, newest first, then
/// stage after stage over whole arrays.
///
/// It is the definition of what `Executor` must answer, and tests compare the two. It reads no segment.
package struct ReferenceEvaluator {
  /// Newest first.
  private let records: [Record]
  private let sessions: SessionTable

  /// An evaluator of queries over `records`, in any order.
  package init(records: [Record], sessions: [SessionInfo] = []) {
    self.records = records.sorted { $0.position > $1.position }
    self.sessions = SessionTable(sessions)
  }

  /// The answer.
  package func run(_ query: BoundQuery, _ limits: QueryLimits = QueryLimits()) -> QueryResult {
    var summary = QuerySummary()
    summary.scannedCount = records.count
    let matched = records.filter {
      query.condition.holds(for: RecordRow(record: $0, sessions: sessions))
    }
    summary.matchedCount = matched.count
    let times = records.last.flatMap { last in records.first.map { last.time...$0.time } }
    let pipeline = RecordPipeline(
      query: query, sessions: sessions, limits: limits,
      searched: query.condition.timeBounds.intersection(times), source: records)
    let rows = pipeline.run(matched, query.recordStages, &summary)
    return QueryResult(rows: rows, summary: summary)
  }
}
