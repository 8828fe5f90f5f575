/// The groups of a `stats` or `top`, fed row by row in any order.
struct GroupTable {
  let grouping: BoundQuery.Grouping
  private let limit: Int
  private let budget: RunBudget
  private let memory: HeldMemory
  /// Whether not even `limit` groups fit the memory that the run may use.
  private let isShort: Bool
  private var keys: GroupKeys
  /// One for each aggregate.
  private var aggregates: [AggregateColumn]
  /// How many rows were grouped, for `share`.
  private var rowCount: Int64 = 0
  /// For each aggregate that is a percentile of what an earlier one is a percentile of, which that is: it is not fed.
  private let twins: [Int?]

  init(_ grouping: BoundQuery.Grouping, limit: Int, _ budget: RunBudget) {
    self.grouping = grouping
    self.budget = budget
    memory = HeldMemory(budget)
    // However many aggregates there are, the first rows must not make more of them than fit.
    let affordable = max(1, budget.byteLimit / Self.byteCount(ofGroup: grouping))
    isShort = affordable < limit
    self.limit = min(limit, affordable)
    keys = GroupKeys(columnCount: grouping.keys.count, limit: self.limit)
    aggregates = grouping.aggregates.map { AggregateColumn($0.function) }
    twins = grouping.aggregates.indices.map { index in
      let aggregate = grouping.aggregates[index]
      guard aggregate.function.isPercentile else { return nil }
      return grouping.aggregates[..<index].firstIndex {
        $0.function.isPercentile && $0.argument == aggregate.argument
      }
    }
    // Without keys there is one group, even of no rows.
    if grouping.keys.isEmpty { _ = index(of: []) }
  }

  var hasRows: Bool { rowCount > 0 }

  /// A table of the same grouping without rows.
  var emptied: GroupTable { GroupTable(grouping, limit: isShort ? .max : limit, budget) }

  /// The group of these keys, made if it is new; nil when there is no room for it.
  mutating func index(of key: [Value?]) -> Int? {
    var numbers: [UInt32] = []
    numbers.reserveCapacity(key.count)
    for (column, value) in key.enumerated() {
      guard let number = number(of: value, key: column) else { return nil }
      numbers.append(number)
    }
    return index(ofNumbers: numbers)
  }

  /// The number by which a value of one key is known here; nil when there is no room for it.
  mutating func number(of value: Value?, key: Int) -> UInt32? {
    let number = keys.number(of: value, column: key)
    if number == nil, isShort { budget.note(.memory) }
    return number
  }

  /// The group whose keys have these numbers, made if it is new; nil when there is no room for it.
  mutating func index(ofNumbers numbers: [UInt32]) -> Int? {
    let count = keys.count
    let group = keys.group(of: numbers)
    if keys.count > count {
      for index in aggregates.indices { aggregates[index].addGroup() }
    }
    if group == nil, isShort { budget.note(.memory) }
    return group
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
    for index in arguments.indices where twins[index] == nil {
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

  /// Adds `count` rows of which only the number matters to a group, or to none for which there is room.
  mutating func add(countedRows count: Int, toGroup group: Int?) {
    rowCount += Int64(count)
    if let group { add(count: count, toGroup: group) }
  }

  /// Notes `count` rows, whose values are added on their own.
  mutating func add(countOfRows count: Int) { rowCount += Int64(count) }

  /// Adds `count` rows to a group's plain count, aggregate `index`.
  mutating func add(count: Int, toGroup group: Int, aggregate index: Int) {
    aggregates[index].add(count: count, toGroup: group)
  }

  /// Adds `count` integers of rows of a group, which together are `total`, to aggregate `index`, which adds up.
  mutating func add(
    _ total: Int64, of count: Int, _ kind: GranuleReader.IntegerKind, toGroup group: Int,
    aggregate index: Int
  ) {
    aggregates[index].add(total: total, of: count, kind, toGroup: group)
  }

  /// Adds `count` rows to a group whose aggregates are all plain counts.
  private mutating func add(count: Int, toGroup group: Int) {
    for index in aggregates.indices { aggregates[index].add(count: count, toGroup: group) }
  }

  /// Adds rows of the reader's granule, each to the group that stands in its place in `groups`; a negative number is
  /// no group.
  ///
  /// - Parameters:
  ///   - skipped: by aggregate, whether it is fed with `add(distinct:toGroup:aggregate:)`.
  ///   - position: where the reader's current row stands in the order of time.
  mutating func add(
    _ rows: [Int], toGroups groups: [Int], _ reader: inout GranuleReader, _ arguments: [Operand?],
    skipping skipped: [Bool], _ position: (GranuleReader) -> RowPosition
  ) {
    rowCount += Int64(rows.count)
    for index in arguments.indices where twins[index] == nil && !skipped[index] {
      guard let argument = arguments[index] else {
        aggregates[index].addRows(toGroups: groups)
        continue
      }
      if case .column(let slot) = argument, let kind = reader.integerKind(slot),
        aggregates[index].add(
          reader.slots[slot].integers, kind, reader.slots[slot].presence, rows: rows,
          toGroups: groups)
      {
        continue
      }
      for (place, row) in rows.enumerated() where groups[place] >= 0 {
        reader.row = row
        aggregates[index].add(
          argument.value(in: reader), toGroup: groups[place], at: position(reader))
      }
    }
  }

  /// Adds a value that rows of a group have to a `distinct`, aggregate `index`.
  mutating func add(distinct value: Value, toGroup group: Int, aggregate index: Int) {
    aggregates[index].add(value, toGroup: group, at: RowPosition(time: 0, sequence: 0))
  }

  /// Adds all that was added to `other`, a table of the same grouping, as if its rows followed this one's.
  mutating func add(_ other: GroupTable) {
    rowCount += other.rowCount
    if other.keys.isCut { keys.noteCut() }
    // For each of its groups the one here. A value is looked up once, however many groups it is in.
    var targets: [Int?] = []
    targets.reserveCapacity(other.keys.count)
    var known = other.keys.valueCounts.map { [UInt32?](repeating: nil, count: $0) }
    for group in 0..<other.keys.count {
      // There may be many. What they take is that of the other table.
      guard budget.allowsRow(group) else { return }
      var key: [UInt32] = []
      key.reserveCapacity(known.count)
      for column in known.indices {
        let place = other.keys.number(ofGroup: group, column: column)
        if known[column][place] == nil {
          known[column][place] = number(
            of: other.keys.value(ofGroup: group, column: column), key: column)
        }
        guard let number = known[column][place] else { break }
        key.append(number)
      }
      targets.append(key.count == known.count ? index(ofNumbers: key) : nil)
    }
    for index in aggregates.indices where twins[index] == nil {
      for (group, target) in targets.enumerated() {
        // A group may be large, and to ask takes as long as to add a small one.
        guard group % 16 != 0 || budget.allows() else { return }
        guard let target else { continue }
        aggregates[index].add(other.aggregates[index], group: group, toGroup: target)
      }
    }
    other.memory.release()
    _ = hasRoom()
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
    keys.count * Self.byteCount(ofGroup: grouping) + keys.heapByteCount
      + aggregates.reduce(0) { $0 + $1.byteCountOfValues }
  }

  /// Whether the run may go on to add rows. Counting what they take is worth a few thousand rows.
  func hasRoom() -> Bool {
    memory.allows(byteCount)
  }

  /// The same before row `index`: looks at one in 4,096.
  func hasRoom(beforeRow index: Int) -> Bool {
    index & 4_095 == 0 ? hasRoom() : budget.stop == nil
  }

  // MARK: Result

  /// The groups as rows; `summary` notes what they leave out. Rates are of the times in `coverage`.
  func table(_ summary: inout QuerySummary, _ coverage: Coverage = Coverage(nil)) -> Table {
    summary.approximateColumns = approximateColumns
    if keys.isCut { summary.noteCut("there are more than \(limit) groups; the rest is left out") }
    return Table(columns: grouping.columnNames, rows: rows(coverage))
  }

  /// Names of aggregates that are only near the true values.
  private var approximateColumns: [String] {
    grouping.aggregates.indices.filter { aggregates[twins[$0] ?? $0].isApproximate }
      .map { grouping.aggregates[$0].name }
  }

  /// One row for each group, in the language's order: by time when a key is a bin of time, else biggest
  /// first by the first aggregate; ties by the keys.
  private func rows(_ coverage: Coverage) -> [[Value?]] {
    let keyCount = grouping.keys.count
    let rows = (0..<keys.count).map { row(ofGroup: $0, coverage) }
    let ranks = keys.ranks()
    func rank(_ group: Int, _ key: Int) -> Int {
      ranks[key][Int(keys.numbers[group * keyCount + key])]
    }
    // What decides most often is looked up before.
    let times = grouping.timeKey.map { key in rows.indices.map { rank($0, key) } }
    let order = rows.indices.sorted { left, right in
      if let times, times[left] != times[right] { return times[left] < times[right] }
      let order = descendingOrder(rows[left][keyCount], rows[right][keyCount])
      if order != .same { return order == .before }
      for key in 0..<keyCount {
        let (left, right) = (rank(left, key), rank(right, key))
        if left != right { return left < right }
      }
      return false
    }
    guard let topCount = grouping.topCount else { return order.map { rows[$0] } }
    return order.prefix(topCount).map { group -> [Value?] in
      guard case .int(let count)? = rows[group][keyCount] else { return rows[group] + [nil] }
      return rows[group] + [.double(Double(count) / Double(rowCount))]
    }
  }
}

extension GroupTable {
  /// The keys and the aggregates of a group. A rate is the group's count by the seconds that were covered, within the
  /// group's bin of time if there is one.
  private func row(ofGroup group: Int, _ coverage: Coverage) -> [Value?] {
    var row: [Value?] = []
    row.reserveCapacity(grouping.keys.count + aggregates.count)
    for column in grouping.keys.indices { row.append(keys.value(ofGroup: group, column: column)) }
    for (index, aggregate) in grouping.aggregates.enumerated() {
      let result =
        aggregate.function.isPercentile ? nil : aggregates[index].result(ofGroup: group)
      guard aggregate.function == .rate, case .int(let count)? = result else {
        row.append(result)
        continue
      }
      let seconds = coverage.seconds(in: bin(ofGroup: group))
      row.append(seconds > 0 ? .double(Double(count) / seconds) : nil)
    }
    addPercentiles(ofGroup: group, to: &row)
    return row
  }

  /// Percentiles of the same values are found together.
  private func addPercentiles(ofGroup group: Int, to row: inout [Value?]) {
    let all = grouping.aggregates
    for index in all.indices where all[index].function.isPercentile && twins[index] == nil {
      let places = all.indices.filter { $0 == index || twins[$0] == index }
      let percents = places.compactMap { all[$0].function.percent }
      let values = aggregates[index].percentiles(percents, ofGroup: group)
      for (place, value) in zip(places, values) { row[grouping.keys.count + place] = value }
    }
  }

  /// The bin of time that a group is of; nil when no key is one.
  private func bin(ofGroup group: Int) -> Range<Int64>? {
    guard let key = grouping.timeKey,
      case .time(let time)? = keys.value(ofGroup: group, column: key),
      case .bin(_, .constant(.duration(let width)), let zone) = grouping.keys[key].operand
    else { return nil }
    return zone.bin(of: time, width: width)
  }
}

extension AggregateFunction {
  /// Which percentile it is, between 0 and 100; nil for other functions.
  fileprivate var percent: Double? {
    if case .percentile(let percent) = self { percent } else { nil }
  }

  fileprivate var isPercentile: Bool { percent != nil }
}

/// The order of a descending sort: missing values are last in both directions.
func descendingOrder(_ left: Value?, _ right: Value?) -> Value.Order {
  left == nil || right == nil ? Value.order(left, right) : Value.order(right, left)
}
