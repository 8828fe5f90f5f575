package import SegmentIndex

/// Runs a query over an array of records in the plainest way: test every record, sort them all, then
/// stage after stage over whole arrays.
///
/// It is the definition of what `Executor` must answer, and tests compare the two. It reads no segment.
package struct ReferenceEvaluator {
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
    var matched = records.filter { query.condition.holds(for: row($0)) }
    summary.matchedCount = matched.count
    for stage in query.recordStages { apply(stage, to: &matched) }

    var table: Table
    switch query.exit {
    case .records:
      return QueryResult(rows: .records(matched.cut(to: limits, &summary)), summary: summary)
    case .project(let columns):
      table = Table(
        columns: columns.map(\.name),
        rows: matched.map { record in columns.map { $0.operand.value(in: row(record)) } })
    case .group(let grouping):
      var groups = GroupTable(grouping, limit: limits.groupCount)
      for record in matched { groups.add(row(record), at: record.position) }
      table = Table(columns: grouping.columnNames, rows: groups.rows)
      summary.noteGroups(groups, limits)
    case .timeline(let timeline):
      let times = records.map(\.time)
      let span = times.min().flatMap { least in times.max().map { least...$0 } }
      var counts = TimelineCounts(
        timeline, searched: query.condition.timeBounds.intersection(span), limits)
      for record in matched { counts.add(row(record), time: record.time) }
      table = counts.table(&summary)
    }
    table.run(query.tableStages, limits, &summary)
    table.rows = table.rows.cut(to: limits, &summary)
    return QueryResult(rows: .table(columns: table.columns, rows: table.rows), summary: summary)
  }

  private func row(_ record: Record) -> RecordRow {
    RecordRow(record: record, sessions: sessions)
  }

  private func apply(_ stage: BoundQuery.RecordStage, to records: inout [Record]) {
    switch stage {
    case .filter(let condition): records.removeAll { !condition.holds(for: row($0)) }
    case .sort(let orders): records = sorted(records, by: orders, row)
    case .limit(let count): records = Array(records.prefix(count))
    case .dedup(let keys):
      var seen: Set<[Value?]> = []
      records = records.filter { record in
        seen.insert(keys.map { $0.value(in: row(record)) }).inserted
      }
    }
  }
}

extension Record {
  /// Where the record stands in the order of time.
  var position: RowPosition {
    RowPosition(time: time, session: session.bits, sequence: sequence)
  }
}

extension Array {
  /// The first rows that the limits allow; `summary` notes when that is not all.
  func cut(to limits: QueryLimits, _ summary: inout QuerySummary) -> [Element] {
    guard count > limits.rowCount else { return self }
    summary.noteCut("there are more than \(limits.rowCount) rows; the rest is left out")
    return Array(prefix(limits.rowCount))
  }
}
