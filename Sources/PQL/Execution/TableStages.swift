/// Rows with named columns, and the stages that turn them into others.
struct Table {
  var columns: [String]
  var rows: [[Value?]]

  /// Runs the stages; `notice` hears of what was left out.
  mutating func run(
    _ stages: [BoundQuery.TableStage], _ limits: QueryLimits, _ budget: RunBudget,
    _ summary: inout QuerySummary
  ) {
    for stage in stages where budget.allows(holding: byteCount) {
      switch stage {
      case .filter(let condition):
        var index = 0
        rows.removeAll { row in
          index += 1
          return !budget.allowsRow(index) || !condition.holds(for: TableRow(values: row))
        }
      case .sort(let orders):
        rows = sorted(rows, by: orders) { TableRow(values: $0) }
      case .limit(let count): rows = Array(rows.prefix(count))
      case .project(let new):
        for index in rows.indices where budget.allowsRow(index) {
          rows[index] = new.map { $0.operand.value(in: TableRow(values: rows[index])) }
        }
        columns = new.map(\.name)
      case .extend(let new):
        for column in new {
          for index in rows.indices where budget.allowsRow(index) {
            rows[index].append(column.operand.value(in: TableRow(values: rows[index])))
          }
          columns.append(column.name)
        }
      case .group(let grouping): group(grouping, limits, budget, &summary)
      }
    }
  }

  private mutating func group(
    _ grouping: BoundQuery.Grouping, _ limits: QueryLimits, _ budget: RunBudget,
    _ summary: inout QuerySummary
  ) {
    var groups = GroupTable(grouping, limit: limits.groupCount, budget)
    for (index, row) in rows.enumerated() where groups.hasRoom(beforeRow: index) {
      // Rows have no time of their own; first and last are those of the current order.
      groups.add(TableRow(values: row), at: RowPosition(time: 0, sequence: UInt64(index)))
    }
    self = groups.table(&summary)
  }
}

extension Table {
  private var byteCount: Int {
    Self.byteCount(rowCount: rows.count, columnCount: columns.count)
  }

  /// About how many bytes so many rows take, without their texts.
  static func byteCount(rowCount: Int, columnCount: Int) -> Int {
    rowCount * (MemoryLayout<[Value?]>.stride + 32 + columnCount * MemoryLayout<Value?>.stride)
  }
}

/// The elements in the order of the keys that `row` reads from them; equal ones keep their order.
func sorted<Element, Row: RowValues>(
  _ elements: [Element], by orders: [BoundQuery.SortOrder], _ row: (Element) -> Row
) -> [Element] {
  let keys = elements.map { element in
    let row = row(element)
    return orders.map { $0.operand.value(in: row) }
  }
  return elements.indices.sorted { left, right in
    for (index, order) in orders.enumerated() {
      let (first, second) = (keys[left][index], keys[right][index])
      let decided =
        order.isDescending ? descendingOrder(first, second) : Value.order(first, second)
      if decided != .same { return decided == .before }
    }
    return left < right
  }.map { elements[$0] }
}
