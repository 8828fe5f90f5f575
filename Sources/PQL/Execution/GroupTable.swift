/// The groups of a `stats` or `top`, fed row by row in any order.
struct GroupTable {
  let grouping: BoundQuery.Grouping
  private let limit: Int
  private let budget: RunBudget
  /// Whether not even `limit` groups fit the memory that the run may use.
  private let isShort: Bool
  private var indices: [[Value?]: Int] = [:]
  private var keys: [[Value?]] = []
  /// One for each aggregate.
  private var aggregates: [AggregateColumn]
  /// How many rows were grouped, for `share`.
  private var rowCount: Int64 = 0
  /// Whether groups were left out because there were too many.
  private var isCut = false

  init(_ grouping: BoundQuery.Grouping, limit: Int, _ budget: RunBudget) {
    self.grouping = grouping
    self.budget = budget
    // However many aggregates there are, the first rows must not make more of them than fit.
    let affordable = max(1, budget.byteLimit / Self.byteCount(ofGroup: grouping))
    isShort = affordable < limit
    self.limit = min(limit, affordable)
    aggregates = grouping.aggregates.map { AggregateColumn($0.function) }
    // Without keys there is one group, even of no rows.
    if grouping.keys.isEmpty { _ = index(of: []) }
  }

  /// The group of these keys, made if it is new; nil when there is no room for it.
  mutating func index(of key: [Value?]) -> Int? {
    if let index = indices[key] { return index }
    guard keys.count < limit else {
      isCut = true
      if isShort { budget.note(.memory) }
      return nil
    }
    indices[key] = keys.count
    keys.append(key.map { $0?.canonical })
    for index in aggregates.indices { aggregates[index].addGroup() }
    return keys.count - 1
  }

  /// Adds a row to its groups.
  mutating func add(_ row: some RowValues, at position: RowPosition) {
    let key = grouping.keys.map { $0.operand.value(in: row) }
    add(row, key: key, grouping.aggregates.map(\.argument), at: position)
  }

  /// Adds a row to the groups of `key`.
  mutating func add(
    _ row: some RowValues, key: [Value?], _ arguments: [Operand?],
    at position: RowPosition
  ) {
    forEachSingle(key) { table, key in
      guard let group = table.index(of: key) else { return }
      table.add(row, arguments, toGroup: group, at: position)
    }
    rowCount += 1
  }

  /// Adds the values that `arguments` have in a row to the aggregates of a group; nil counts the row.
  mutating func add(
    _ row: some RowValues, _ arguments: [Operand?], toGroup group: Int,
    at position: RowPosition
  ) {
    for index in arguments.indices {
      if let argument = arguments[index] {
        aggregates[index].add(argument.value(in: row), toGroup: group, at: position)
      } else {
        aggregates[index].add(count: 1, toGroup: group)
      }
    }
  }

  /// Adds `count` rows of this key to the groups of a grouping that only counts.
  mutating func add(count: Int, of key: [Value?]) {
    forEachSingle(key) { table, key in
      guard let group = table.index(of: key) else { return }
      table.add(count: count, toGroup: group)
    }
    rowCount += Int64(count)
  }

  /// Adds `count` rows to a group whose aggregates are all plain counts.
  mutating func add(count: Int, toGroup group: Int) {
    for index in aggregates.indices { aggregates[index].add(count: count, toGroup: group) }
  }

  /// Notes rows that were put into groups by number.
  mutating func noteRows(_ count: Int) {
    rowCount += Int64(count)
  }

  /// Calls `body` with every combination in which each list is one of its values: a key with several
  /// values, such as `scope`, puts the row into the group of each.
  private mutating func forEachSingle(
    _ key: [Value?], _ body: (inout GroupTable, [Value?]) -> Void
  ) {
    for (index, part) in key.enumerated() {
      guard case .list(let values)? = part else { continue }
      // A scope that a record names twice counts once.
      for value in Set(values) {
        var single = key
        single[index] = value
        forEachSingle(single, body)
      }
      return
    }
    body(&self, key)
  }

  // MARK: Memory

  /// What a group takes at least.
  private static func byteCount(ofGroup grouping: BoundQuery.Grouping) -> Int {
    128 + grouping.keys.count * 2 * MemoryLayout<Value?>.stride
      + grouping.aggregates.reduce(0) { $0 + AggregateColumn.byteCount(ofGroup: $1.function) }
  }

  /// About how many bytes all groups take. Takes time in proportion to their number.
  private var byteCount: Int {
    keys.count * Self.byteCount(ofGroup: grouping)
      + aggregates.reduce(0) { $0 + $1.byteCountOfValues }
  }

  /// Whether the run may go on to add rows. Counting what they take is worth a few thousand rows.
  func hasRoom() -> Bool {
    budget.allows(holding: byteCount)
  }

  /// The same before row `index`: looks at one in 4,096.
  func hasRoom(beforeRow index: Int) -> Bool {
    index & 4_095 == 0 ? hasRoom() : budget.stop == nil
  }

  // MARK: Result

  /// The groups as rows; `summary` notes what they leave out. Rates are of the times in `coverage`.
  func table(_ summary: inout QuerySummary, _ coverage: Coverage = Coverage(nil)) -> Table {
    summary.approximateColumns = approximateColumns
    if isCut { summary.noteCut("there are more than \(limit) groups; the rest is left out") }
    return Table(columns: grouping.columnNames, rows: rows(coverage))
  }

  /// Names of aggregates that are only near the true values.
  private var approximateColumns: [String] {
    zip(grouping.aggregates, aggregates).filter { $1.isApproximate }.map { $0.0.name }
  }

  /// One row for each group, in the language's order: by time when a key is a bin of time, else biggest
  /// first by the first aggregate; ties by the keys.
  private func rows(_ coverage: Coverage) -> [[Value?]] {
    var rows = keys.indices.map { group in
      keys[group] + results(ofGroup: group, coverage)
    }
    let keyCount = grouping.keys.count
    rows.sort { left, right in
      if let time = grouping.timeKey {
        let order = Value.order(left[time], right[time])
        if order != .same { return order == .before }
      }
      let order = descendingOrder(left[keyCount], right[keyCount])
      if order != .same { return order == .before }
      for index in 0..<keyCount {
        let order = Value.order(left[index], right[index])
        if order != .same { return order == .before }
      }
      return false
    }
    guard let topCount = grouping.topCount else { return rows }
    return rows.prefix(topCount).map { row in
      guard case .int(let count)? = row[keyCount] else { return row + [nil] }
      return row + [.double(Double(count) / Double(rowCount))]
    }
  }
}

extension GroupTable {
  /// The aggregates of a group. A rate is the group's count by the seconds that were covered, within the
  /// group's bin of time if there is one.
  private func results(ofGroup group: Int, _ coverage: Coverage) -> [Value?] {
    zip(grouping.aggregates, aggregates).map { aggregate, column in
      let result = column.result(ofGroup: group)
      guard aggregate.function == .rate, case .int(let count)? = result else { return result }
      let seconds = coverage.seconds(in: bin(ofGroup: group))
      return seconds > 0 ? .double(Double(count) / seconds) : nil
    }
  }

  /// The bin of time that a group is of; nil when no key is one.
  private func bin(ofGroup group: Int) -> Range<Int64>? {
    guard let key = grouping.timeKey, case .time(let time)? = keys[group][key],
      case .bin(_, .constant(.duration(let width)), let zone) = grouping.keys[key].operand
    else { return nil }
    return zone.bin(of: time, width: width)
  }
}

/// The order of a descending sort: missing values are last in both directions.
func descendingOrder(_ left: Value?, _ right: Value?) -> Value.Order {
  left == nil || right == nil ? Value.order(left, right) : Value.order(right, left)
}
