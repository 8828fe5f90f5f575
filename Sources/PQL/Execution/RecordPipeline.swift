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

  /// Runs `stages`, the exit and the table stages over records in newest-first order, which `memory` holds. Nobody else
  /// should have them: they are changed, and gone as soon as they can be.
  func run(
    _ records: inout [Record], _ stages: some Sequence<BoundQuery.RecordStage>,
    _ memory: HeldMemory, _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    let sessions = sessions
    let row: (Record) -> RecordRow = { RecordRow(record: $0, sessions: sessions) }
    var rest = Array(stages)[...]
    // As long as there are no further columns, records need not become rows, which take more.
    while let stage = rest.first, !stage.addsColumns {
      rest.removeFirst()
      apply(stage, before: rest.first, to: &records, &summary, row)
    }
    if rest.isEmpty {
      if case .records = query.exit {
        records.cut(to: limits, &summary)
        return .records(records)
      }
      return finish(table(of: &records, memory, &summary, row), &summary)
    }
    var rows = records.map(row)
    records = []
    while let stage = rest.popFirst() {
      switch stage {
      case .trace(let trace): rows = trace.rows(of: rows, from: source, &summary)
      case .context(let context): rows = context.rows(of: rows, from: source, &summary)
      default: apply(stage, before: rest.first, to: &rows, &summary) { $0 }
      }
    }
    if case .records = query.exit {
      rows.cut(to: limits, &summary)
      return .records(rows.map(\.record))
    }
    return finish(table(of: &rows, memory, &summary) { $0 }, &summary)
  }

  /// What the exit, which makes a table, makes of rows, which are gone then.
  private func table<Element>(
    of elements: inout [Element], _ memory: HeldMemory, _ summary: inout QuerySummary,
    _ row: (Element) -> RecordRow
  ) -> Table {
    switch query.exit {
    case .records: preconditionFailure("records are no table")
    case .project(let columns):
      let byteCount = Table.byteCount(rowCount: elements.count, columnCount: columns.count)
      var values: [[Value?]] = []
      guard memory.allows(more: byteCount) else { return Table(columns: [], rows: []) }
      var made = MadeValues(columns.map(\.operand), uncounted: 0, memory)
      for element in elements where made.hasRoom() {
        values.append(made.values(in: row(element)))
      }
      made.count()
      let textByteCount = made.textByteCount + keptTexts(columns.map(\.operand), in: values)
      elements = []
      // The records are gone; what there is of the table, its stages count.
      memory.release()
      return Table(
        columns: columns.map(\.name), rows: values, textByteCount: textByteCount)
    case .group(let grouping):
      var groups = GroupTable(grouping, limit: limits.groupCount, budget)
      for (index, element) in elements.enumerated() where groups.hasRoom(beforeRow: index) {
        let row = row(element)
        groups.add(row, at: row.record.position)
      }
      return groups.table(&summary, Coverage(searched, summary.gaps))
    case .timeline(let timeline):
      var counts = TimelineCounts(timeline, searched: searched, limits, budget)
      for (index, element) in elements.enumerated()
      where counts.groups.hasRoom(beforeRow: index) {
        let row = row(element)
        counts.groups.add(row, at: row.record.position)
      }
      return counts.table(&summary)
    case .spans(let spans):
      let wanted = elements.compactMap { row($0).record.span }
      // Their records are read anew.
      elements = []
      memory.release()
      return SpanRows(now: spans.now, sessions: sessions)
        .table(of: wanted, from: source, limits, &summary)
    }
  }

  /// What the texts take that rows took over from their records.
  private func keptTexts(_ operands: [Operand], in rows: [[Value?]]) -> Int {
    let kept = operands.indices.filter { !operands[$0].makesTexts }
    return rows.reduce(0) { sum, row in
      kept.reduce(sum) { $0 + (row[$1]?.heapByteCount ?? 0) }
    }
  }

  /// Runs the table stages.
  func finish(_ table: Table, _ summary: inout QuerySummary) -> QueryResult.Rows {
    var table = table
    table.run(query.tableStages, limits, budget, &summary)
    table.rows.cut(to: limits, &summary)
    return .table(columns: table.columns, rows: TableRows(table.rows))
  }

  /// Runs the table stages over rows of these columns.
  func finish(
    _ columns: [String], _ rows: TableRows, _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    guard query.tableStages.isEmpty else {
      // Rows by themselves take several times what columns do.
      let textByteCount = rows.textByteCount
      let byteCount =
        Table.byteCount(rowCount: rows.count, columnCount: columns.count) + textByteCount
      guard budget.allows(holding: byteCount) else { return .table(columns: columns, rows: []) }
      return finish(
        Table(columns: columns, rows: Array(rows), textByteCount: textByteCount), &summary)
    }
    guard rows.count > limits.rowCount else { return .table(columns: columns, rows: rows) }
    summary.noteCut(rowNote(limits))
    return .table(columns: columns, rows: rows.prefix(limits.rowCount))
  }

  /// Runs a stage that leaves rows as they are; `next` is the stage after it.
  private func apply<Element>(
    _ stage: BoundQuery.RecordStage, before next: BoundQuery.RecordStage?,
    to elements: inout [Element], _ summary: inout QuerySummary, _ row: (Element) -> RecordRow
  ) {
    switch stage {
    case .filter(let condition):
      var index = 0
      elements.removeAll { element in
        index += 1
        return !budget.allowsRow(index) || !condition.holds(for: row(element))
      }
    case .sort(let orders): sort(&elements, by: orders, budget, row)
    case .limit(let count): elements.removeSubrange(min(count, elements.count)...)
    case .dedup(let keys): keepNewest(of: keys, &elements, before: next, &summary, row)
    case .trace, .context: preconditionFailure("these make rows of others")
    }
  }

  /// Keeps the newest record of each key, newest first; not more keys than the run may have, unless the next
  /// stage wants fewer anyway.
  private func keepNewest<Element>(
    of keys: [Operand], _ elements: inout [Element], before next: BoundQuery.RecordStage?,
    _ summary: inout QuerySummary, _ row: (Element) -> RecordRow
  ) {
    let memory = HeldMemory(budget)
    defer { withExtendedLifetime(memory) {} }
    let size = 32 + 2 * MemoryLayout<[Value?]>.stride + keys.count * MemoryLayout<Value?>.stride
    guard memory.allows(elements.count * size) else { return }
    elements.sort { row($0).record.position > row($1).record.position }
    var made = MadeValues(keys, uncounted: 0, memory)
    var seen: Set<[Value?]> = []
    elements.removeAll { element in
      !made.hasRoom() || !seen.insert(made.values(in: row(element))).inserted
    }
    guard elements.count > limits.groupCount else { return }
    if case .limit(let count)? = next, count <= limits.groupCount { return }
    summary.noteCut(dedupNote(limits))
    elements.removeSubrange(limits.groupCount...)
  }
}

extension BoundQuery.RecordStage {
  /// Whether it makes rows of others, with more columns.
  fileprivate var addsColumns: Bool {
    switch self {
    case .trace, .context: true
    case .filter, .sort, .limit, .dedup: false
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
  /// Keeps the first rows that the limits allow; `summary` notes when that is not all.
  mutating func cut(to limits: QueryLimits, _ summary: inout QuerySummary) {
    cut(toRemaining: limits.rowCount, limits, &summary)
  }

  /// As `cut(to:_:)`, of rows that follow others, so that only `remaining` are allowed.
  mutating func cut(
    toRemaining remaining: Int, _ limits: QueryLimits, _ summary: inout QuerySummary
  ) {
    guard count > remaining else { return }
    summary.noteCut(rowNote(limits))
    removeSubrange(remaining...)
  }
}

/// What to say when rows were left out.
private func rowNote(_ limits: QueryLimits) -> String {
  "there are more than \(limits.rowCount) rows; the rest is left out"
}
