internal import SegmentIndex

/// What comes after the filter, over whole records: the executor's way where it has no faster one.
struct RecordPipeline<Source: RecordSource> {
  let query: BoundQuery
  let sessions: SessionTable
  let limits: QueryLimits
  let budget: RunBudget
  /// The times that the query searched.
  let searched: ClosedRange<Int64>?
  /// All records, for stages that look beyond those they are given.
  let source: Source

  /// Runs `stages`, the exit and the table stages over records in newest-first order.
  func run(
    _ records: [Record], _ stages: some Sequence<BoundQuery.RecordStage>,
    _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    let stages = Array(stages)
    if stages.isEmpty, case .records = query.exit {
      return .records(records.cut(to: limits, &summary))
    }
    var rows = records.map { RecordRow(record: $0, sessions: sessions) }
    for (index, stage) in stages.enumerated() {
      if case .dedup(let keys) = stage {
        let next = index + 1 < stages.count ? stages[index + 1] : nil
        rows = newest(of: keys, rows, before: next, &summary)
      } else {
        apply(stage, to: &rows, &summary)
      }
    }
    let table: Table
    switch query.exit {
    case .records: return .records(rows.map(\.record).cut(to: limits, &summary))
    case .project(let columns):
      var values: [[Value?]] = []
      for (index, row) in rows.enumerated() where budget.allowsRow(index) {
        values.append(columns.map { $0.operand.value(in: row) })
      }
      table = Table(columns: columns.map(\.name), rows: values)
    case .group(let grouping):
      var groups = GroupTable(grouping, limit: limits.groupCount, budget)
      for (index, row) in rows.enumerated() where groups.hasRoom(beforeRow: index) {
        groups.add(row, at: row.record.position)
      }
      table = groups.table(&summary, Coverage(searched, summary.gaps))
    case .timeline(let timeline):
      var counts = TimelineCounts(timeline, searched: searched, limits, budget)
      for (index, row) in rows.enumerated() where counts.groups.hasRoom(beforeRow: index) {
        counts.groups.add(row, at: row.record.position)
      }
      table = counts.table(&summary)
    case .spans(let spans):
      table = SpanRows(now: spans.now, sessions: sessions)
        .table(of: rows, from: source, limits, &summary)
    }
    return finish(table, &summary)
  }

  /// Runs the table stages.
  func finish(_ table: Table, _ summary: inout QuerySummary) -> QueryResult.Rows {
    var table = table
    table.run(query.tableStages, limits, budget, &summary)
    return .table(columns: table.columns, rows: TableRows(table.rows.cut(to: limits, &summary)))
  }

  /// Runs the table stages over rows of these columns.
  func finish(
    _ columns: [String], _ rows: TableRows, _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    guard query.tableStages.isEmpty else {
      // Rows by themselves take several times what columns do.
      let byteCount = Table.byteCount(rowCount: rows.count, columnCount: columns.count)
      guard budget.allows(holding: byteCount) else { return .table(columns: columns, rows: []) }
      return finish(Table(columns: columns, rows: Array(rows)), &summary)
    }
    guard rows.count > limits.rowCount else { return .table(columns: columns, rows: rows) }
    summary.noteCut(rowNote(limits))
    return .table(columns: columns, rows: rows.prefix(limits.rowCount))
  }

  private func apply(
    _ stage: BoundQuery.RecordStage, to rows: inout [RecordRow], _ summary: inout QuerySummary
  ) {
    switch stage {
    case .filter(let condition):
      var index = 0
      rows.removeAll { row in
        index += 1
        return !budget.allowsRow(index) || !condition.holds(for: row)
      }
    case .sort(let orders): rows = sorted(rows, by: orders) { $0 }
    case .limit(let count): rows = Array(rows.prefix(count))
    case .dedup: preconditionFailure("`dedup` depends on the stage after it")
    case .trace(let trace): rows = trace.rows(of: rows, from: source, &summary)
    case .context(let context): rows = context.rows(of: rows, from: source, &summary)
    }
  }

  /// The newest record of each key, newest first; not more keys than the run may have, unless the next
  /// stage wants fewer anyway.
  private func newest(
    of keys: [Operand], _ rows: [RecordRow], before next: BoundQuery.RecordStage?,
    _ summary: inout QuerySummary
  ) -> [RecordRow] {
    var seen: Set<[Value?]> = []
    let newest = rows.sorted { $0.record.position > $1.record.position }.filter { row in
      seen.insert(keys.map { $0.value(in: row) }).inserted
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
    cut(toRemaining: limits.rowCount, limits, &summary)
  }

  /// As `cut(to:_:)`, of rows that follow others, so that only `remaining` are allowed.
  func cut(
    toRemaining remaining: Int, _ limits: QueryLimits, _ summary: inout QuerySummary
  ) -> [Element] {
    guard count > remaining else { return self }
    summary.noteCut(rowNote(limits))
    return Array(prefix(remaining))
  }
}

/// What to say when rows were left out.
private func rowNote(_ limits: QueryLimits) -> String {
  "there are more than \(limits.rowCount) rows; the rest is left out"
}
