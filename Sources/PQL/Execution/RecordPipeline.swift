internal import SegmentIndex

/// What comes after the filter, over whole records: the plain way that the reference always takes, and
/// the executor where it has no faster one.
struct RecordPipeline {
  let query: BoundQuery
  let sessions: SessionTable
  let limits: QueryLimits
  /// The times that the query searched.
  let searched: ClosedRange<Int64>?

  /// Runs `stages`, the exit and the table stages over records in newest-first order.
  func run(
    _ records: [Record], _ stages: some Sequence<BoundQuery.RecordStage>,
    _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    var records = records
    let stages = Array(stages)
    for (index, stage) in stages.enumerated() {
      if case .dedup(let keys) = stage {
        let next = index + 1 < stages.count ? stages[index + 1] : nil
        records = newest(of: keys, records, before: next, &summary)
      } else {
        apply(stage, to: &records)
      }
    }
    let table: Table
    switch query.exit {
    case .records: return .records(records.cut(to: limits, &summary))
    case .project(let columns):
      table = Table(
        columns: columns.map(\.name),
        rows: records.map { record in columns.map { $0.operand.value(in: row(record)) } })
    case .group(let grouping):
      var groups = GroupTable(grouping, limit: limits.groupCount)
      for record in records { groups.add(row(record), at: record.position) }
      table = groups.table(&summary)
    case .timeline(let timeline):
      var counts = TimelineCounts(timeline, searched: searched, limits)
      for record in records { counts.groups.add(row(record), at: record.position) }
      table = counts.table(&summary)
    }
    return finish(table, &summary)
  }

  /// Runs the table stages.
  func finish(_ table: Table, _ summary: inout QuerySummary) -> QueryResult.Rows {
    var table = table
    table.run(query.tableStages, limits, &summary)
    return .table(columns: table.columns, rows: table.rows.cut(to: limits, &summary))
  }

  private func row(_ record: Record) -> RecordRow {
    RecordRow(record: record, sessions: sessions)
  }

  private func apply(_ stage: BoundQuery.RecordStage, to records: inout [Record]) {
    switch stage {
    case .filter(let condition): records.removeAll { !condition.holds(for: row($0)) }
    case .sort(let orders): records = sorted(records, by: orders, row)
    case .limit(let count): records = Array(records.prefix(count))
    case .dedup: preconditionFailure("`dedup` depends on the stage after it")
    }
  }

  /// The newest record of each key, newest first; not more keys than the run may have, unless the next
  /// stage wants fewer anyway.
  private func newest(
    of keys: [Operand], _ records: [Record], before next: BoundQuery.RecordStage?,
    _ summary: inout QuerySummary
  ) -> [Record] {
    var seen: Set<[Value?]> = []
    let newest = records.sorted { $0.position > $1.position }.filter { record in
      seen.insert(keys.map { $0.value(in: row(record)) }).inserted
    }
    guard newest.count > limits.groupCount else { return newest }
    if case .limit(let count)? = next, count <= limits.groupCount { return newest }
    summary.noteCut(dedupNote(limits))
    return Array(newest.prefix(limits.groupCount))
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
