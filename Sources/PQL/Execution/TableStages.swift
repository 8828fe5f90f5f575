/// Rows with named columns, and the stages that turn them into others.
struct Table {
  var columns: [String]
  var rows: [[Value?]]
  /// About what the texts in it take, as far as they are its own: those that any stage has made, whether or not they are
  /// still there.
  var textByteCount = 0

  /// Runs the stages; `summary` notes what was left out.
  mutating func run(
    _ stages: [BoundQuery.TableStage], _ limits: QueryLimits, _ budget: RunBudget,
    _ summary: inout QuerySummary
  ) {
    let memory = HeldMemory(budget)
    defer { withExtendedLifetime(memory) {} }
    for stage in stages where memory.allows(byteCount + textByteCount) {
      switch stage {
      case .filter(let condition):
        var index = 0
        rows.removeAll { row in
          index += 1
          return !budget.allowsRow(index) || !condition.holds(for: TableRow(values: row))
        }
      case .sort(let orders):
        sort(&rows, by: orders, budget) { TableRow(values: $0) }
      case .limit(let count): if count < rows.count { rows.removeSubrange(count...) }
      case .project(let new):
        let added = max(0, new.count - columns.count)
        var made = MadeValues(new.map(\.operand), uncounted: added, memory)
        for index in rows.indices where made.hasRoom() {
          rows[index] = made.values(in: TableRow(values: rows[index]))
        }
        made.count()
        textByteCount += made.textByteCount
        columns = new.map(\.name)
      case .extend(let new):
        for column in new {
          var made = MadeValues([column.operand], uncounted: 1, memory)
          for index in rows.indices where made.hasRoom() {
            rows[index] += made.values(in: TableRow(values: rows[index]))
          }
          made.count()
          textByteCount += made.textByteCount
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

/// Puts the elements into the order of the keys that `row` reads from them; equal ones keep their order.
func sort<Element, Row: RowValues>(
  _ elements: inout [Element], by orders: [BoundQuery.SortOrder], _ budget: RunBudget,
  _ row: (Element) -> Row
) {
  let memory = HeldMemory(budget)
  defer { withExtendedLifetime(memory) {} }
  let operands = orders.map(\.operand)
  let makesTexts = operands.contains(where: \.makesTexts)
  var keys: [RowKey] = []
  keys.reserveCapacity(elements.count)
  let size = MemoryLayout<RowKey>.stride + MemoryLayout<Int>.stride
  var byteCount = elements.count * size
  for (index, element) in elements.enumerated() {
    guard index & 1_023 != 0 || memory.allows(byteCount) else { return }
    let key = RowKey.values(of: operands, in: row(element))
    if makesTexts { byteCount += key.heapByteCount }
    keys.append(key)
  }
  guard memory.allows(byteCount) else { return }
  var order = Array(elements.indices)
  order.sort { left, right in
    for (index, order) in orders.enumerated() {
      let (first, second) = (keys[left][index], keys[right][index])
      let decided =
        order.isDescending ? descendingOrder(first, second) : Value.order(first, second)
      if decided != .same { return decided == .before }
    }
    return left < right
  }
  elements.arrange(order)
}

extension Array {
  /// Puts at each place the element that stands where `order` says.
  mutating func arrange(_ order: [Int]) {
    var order = order
    // Along each cycle, so that elements, which are large, are moved; an array's own `swapAt` copies them.
    var elements = mutableSpan
    for start in order.indices {
      var place = start
      while order[place] != start {
        let next = order[place]
        elements.swapAt(place, next)
        order[place] = place
        place = next
      }
      order[place] = place
    }
  }
}
