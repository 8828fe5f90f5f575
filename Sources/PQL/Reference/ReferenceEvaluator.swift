package import SegmentIndex

/// Runs a query over an array of records in the plainest way: test every record, newest first, then
/// stage after stage over whole arrays.
///
/// It is the definition of what `Executor` must answer, and tests compare the two. So it shares with it only what
/// both are given: the bound query, the values, the calendar, and the folding of letters. It reads no segment,
/// remembers nothing from one row to the next, and is slow.
package struct ReferenceEvaluator {
  /// Newest first.
  let records: [Record]
  let sessions: [SessionInfo]

  /// An evaluator of queries over `records`, in any order. Of two descriptions of a session the first counts.
  package init(records: [Record], sessions: [SessionInfo] = []) {
    self.records = records.sorted { Self.isNewer($0, $1) }
    self.sessions = sessions
  }

  /// The answer.
  package func run(_ query: BoundQuery, _ limits: QueryLimits = QueryLimits()) -> QueryResult {
    var run = ReferenceRun(store: self, limits: limits, searched: searched(by: query.condition))
    run.summary.scannedCount = records.count
    var rows = records.map { ReferenceRow(record: $0, sessions: sessions) }
      .filter { $0.satisfies(query.condition) }
    run.summary.matchedCount = rows.count
    for (index, stage) in query.recordStages.enumerated() {
      let next = index + 1 < query.recordStages.count ? query.recordStages[index + 1] : nil
      rows = run.apply(stage, to: rows, before: next)
    }
    guard var table = run.table(of: rows, query.exit) else {
      let records = run.cut(rows.compactMap(\.record))
      return QueryResult(rows: .records(records), summary: run.summary)
    }
    for stage in query.tableStages { run.apply(stage, to: &table) }
    let result = QueryResult.Rows.table(
      columns: table.columns, rows: TableRows(run.cut(table.rows)))
    return QueryResult(rows: result, summary: run.summary)
  }

  /// Records sort by time, then session, then sequence.
  static func isNewer(_ left: Record, _ right: Record) -> Bool {
    (left.time, left.session.bits, left.sequence) > (right.time, right.session.bits, right.sequence)
  }

  /// From the first to the last record, as far as the condition's bounds of time allow.
  private func searched(by condition: Condition) -> ClosedRange<Int64>? {
    guard let newest = records.first?.time, let oldest = records.last?.time else { return nil }
    // In 128 bits nothing lies beyond the extreme times.
    var (lower, upper) = (Int128(oldest), Int128(newest))
    let parts = if case .and(let parts) = condition { parts } else { [condition] }
    for case .test(.field(.field(.time)), .order(let comparison, .time(let time))) in parts {
      let time = Int128(time)
      switch comparison {
      case .equal: (lower, upper) = (max(lower, time), min(upper, time))
      case .less: upper = min(upper, time - 1)
      case .lessOrEqual: upper = min(upper, time)
      case .greater: lower = max(lower, time + 1)
      case .greaterOrEqual: lower = max(lower, time)
      case .contains, .matches: break
      }
    }
    return lower <= upper ? Int64(lower)...Int64(upper) : nil
  }
}

/// A record with the columns that stages added to it, or a row of a table.
struct ReferenceRow {
  var record: Record?
  var sessions: [SessionInfo] = []
  var columns: [Value?] = []
}

/// Rows with named columns.
struct ReferenceTable {
  var columns: [String]
  var rows: [[Value?]]
}

/// One run over a store: what it may use, and what it has to say.
struct ReferenceRun {
  let store: ReferenceEvaluator
  let limits: QueryLimits
  /// The times that the query searched.
  let searched: ClosedRange<Int64>?
  var summary = QuerySummary()

  /// The first rows that the limits allow.
  mutating func cut<Row>(_ rows: [Row]) -> [Row] {
    guard rows.count > limits.rowCount else { return rows }
    summary.noteCut("there are too many rows")
    return Array(rows.prefix(limits.rowCount))
  }

  // MARK: Stages

  /// The rows after a stage that takes records and gives records. What follows a `dedup` decides whether its
  /// limit matters.
  mutating func apply(
    _ stage: BoundQuery.RecordStage, to rows: [ReferenceRow], before next: BoundQuery.RecordStage?
  ) -> [ReferenceRow] {
    switch stage {
    case .filter(let condition): return rows.filter { $0.satisfies(condition) }
    case .sort(let orders): return sorted(rows, by: orders) { $0 }
    case .limit(let count): return Array(rows.prefix(count))
    case .trace(let trace): return traces(of: rows, trace)
    case .context(let context): return neighbours(of: rows, context)
    case .dedup(let keys):
      var seen: Set<[UInt8]> = []
      let newest = newestFirst(rows).filter { row in
        seen.insert(Reference.key(keys.map { row.value(of: $0) })).inserted
      }
      guard newest.count > limits.groupCount else { return newest }
      if case .limit(let count)? = next, count <= limits.groupCount { return newest }
      summary.noteCut("there are too many keys")
      return Array(newest.prefix(limits.groupCount))
    }
  }

  func newestFirst(_ rows: [ReferenceRow]) -> [ReferenceRow] {
    rows.sorted { left, right in
      guard let left = left.record, let right = right.record else { return false }
      return ReferenceEvaluator.isNewer(left, right)
    }
  }

  /// The rows as a table; nil when they stay records.
  mutating func table(of rows: [ReferenceRow], _ exit: BoundQuery.Exit) -> ReferenceTable? {
    switch exit {
    case .records: return nil
    case .project(let columns):
      return ReferenceTable(
        columns: columns.map(\.name),
        rows: rows.map { row in columns.map { row.value(of: $0.operand) } })
    case .group(let grouping): return groups(of: rows, grouping)
    case .timeline(let timeline): return self.timeline(of: rows, timeline)
    case .spans(let spans): return self.spans(of: rows, now: spans.now)
    }
  }

  /// Runs a stage that takes rows and gives rows.
  mutating func apply(_ stage: BoundQuery.TableStage, to table: inout ReferenceTable) {
    let rows = table.rows.map { ReferenceRow(columns: $0) }
    switch stage {
    case .filter(let condition):
      table.rows = rows.filter { $0.satisfies(condition) }.map(\.columns)
    case .sort(let orders): table.rows = sorted(rows, by: orders) { $0 }.map(\.columns)
    case .limit(let count): table.rows = Array(table.rows.prefix(count))
    case .project(let columns):
      table.rows = rows.map { row in columns.map { row.value(of: $0.operand) } }
      table.columns = columns.map(\.name)
    case .extend(let columns):
      for column in columns {
        table.rows = table.rows.map { $0 + [ReferenceRow(columns: $0).value(of: column.operand)] }
        table.columns.append(column.name)
      }
    case .group(let grouping): table = groups(of: rows, grouping)
    }
  }

  /// The elements in the order of the keys; equal ones keep their order.
  private func sorted<Element>(
    _ elements: [Element], by orders: [BoundQuery.SortOrder], _ row: (Element) -> ReferenceRow
  ) -> [Element] {
    let keyed = elements.enumerated().map { index, element in
      (index: index, element: element, keys: orders.map { row(element).value(of: $0.operand) })
    }
    return keyed.sorted { left, right in
      for (order, (left, right)) in zip(orders, zip(left.keys, right.keys)) {
        let decided = Reference.order(left, right, isDescending: order.isDescending)
        if decided != 0 { return decided < 0 }
      }
      return left.index < right.index
    }.map(\.element)
  }
}
