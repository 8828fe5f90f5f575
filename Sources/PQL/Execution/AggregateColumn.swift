/// Where a row stands in the order of time, for `first` and `last`.
struct RowPosition: Comparable, Hashable, Sendable {
  // First, so that no bytes stay empty between the others.
  var session: UInt128
  var time: Int64
  var sequence: UInt64

  init(time: Int64, session: UInt128 = 0, sequence: UInt64) {
    self.session = session
    self.time = time
    self.sequence = sequence
  }

  static func < (left: RowPosition, right: RowPosition) -> Bool {
    (left.time, left.session, left.sequence) < (right.time, right.session, right.sequence)
  }
}

/// One aggregate of every group, fed value by value in any order.
///
/// The results do not depend on that order, and so not on how records are laid out in segments. Only the
/// arrays that the function needs have elements, one for each group, which change in place.
struct AggregateColumn: Sendable {
  private let function: AggregateFunction
  private var counts: [Int64] = []
  private var sums: [ExactSum] = []
  /// The extreme so far, or the value at the extreme position.
  private var values: [Value?] = []
  private var positions: [RowPosition] = []
  private var distincts: [DistinctSketch] = []
  private var sketches: [PercentileSketch] = []

  init(_ function: AggregateFunction) {
    self.function = function
  }

  /// Makes room for one more group.
  mutating func addGroup() {
    switch function {
    case .count, .rate: counts.append(0)
    case .sum, .average: sums.append(ExactSum())
    case .minimum, .maximum: values.append(nil)
    case .first, .last:
      values.append(nil)
      positions.append(RowPosition(time: 0, sequence: 0))
    case .distinct: distincts.append(DistinctSketch())
    case .percentile: sketches.append(PercentileSketch())
    }
  }

  /// Adds all that was added to a group of `other`, which is of the same function.
  mutating func add(_ other: AggregateColumn, group: Int, toGroup target: Int) {
    switch function {
    case .count, .rate: counts[target] += other.counts[group]
    case .sum, .average: sums[target].add(other.sums[group])
    case .minimum, .maximum:
      add(other.values[group], toGroup: target, at: RowPosition(time: 0, sequence: 0))
    case .first, .last:
      add(other.values[group], toGroup: target, at: other.positions[group])
    case .distinct: distincts[target].add(other.distincts[group])
    case .percentile: sketches[target].add(other.sketches[group])
    }
  }

  /// Adds one row to each of these groups, of a count that counts all; a negative number is no group.
  mutating func addRows(toGroups groups: [Int]) {
    var counts = self.counts.mutableSpan
    for group in groups where group >= 0 { counts[group] += 1 }
  }

  /// Adds the integers of `rows`, which a column holds by row, each to the group that stands in its place in
  /// `groups`; a negative number is no group. False, and nothing is added, when that is for `add(_:toGroup:at:)`.
  mutating func add(
    _ values: [Int64], _ kind: GranuleReader.IntegerKind, _ presence: [UInt64]?, rows: [Int],
    toGroups groups: [Int]
  ) -> Bool {
    switch (function, kind) {
    case (.sum, .number), (.average, .number):
      addTotals(values, presence, rows, groups) { $0.add(wholes: $1, count: $2) }
    case (.sum, .duration), (.average, .duration):
      addTotals(values, presence, rows, groups) { $0.add(durations: $1, count: $2) }
    case (.percentile, .number):
      var sketches = self.sketches.mutableSpan
      forEachValue(values, presence, rows, groups) { sketches[$0].add($1) }
    case (.percentile, .duration):
      var sketches = self.sketches.mutableSpan
      forEachValue(values, presence, rows, groups) { sketches[$0].add(duration: $1) }
    default: return false
    }
    return true
  }

  /// Whether integers are added up, so that totals of them can be added.
  static func addsUp(_ function: AggregateFunction) -> Bool {
    function == .sum || function == .average
  }

  /// Adds `count` integers, which together are `total`, to a group's sum.
  mutating func add(
    total: Int64, of count: Int, _ kind: GranuleReader.IntegerKind, toGroup group: Int
  ) {
    switch kind {
    case .number: sums[group].add(wholes: Int128(total), count: count)
    case .duration: sums[group].add(durations: Int128(total), count: count)
    // A time is nothing that can be added up.
    case .time: break
    }
  }

  /// Adds integers as `add(_:_:_:rows:toGroups:)` does, to sums: group by group in 64 bits first, where these hold
  /// whatever the rows add up to.
  @inline(__always)
  private mutating func addTotals(
    _ values: [Int64], _ presence: [UInt64]?, _ rows: [Int], _ groups: [Int],
    _ add: (inout ExactSum, Int128, Int) -> Void
  ) {
    var sums = self.sums.mutableSpan
    guard values.areSmall, sums.count <= 256 else {
      return forEachValue(values, presence, rows, groups) { add(&sums[$0], Int128($1), 1) }
    }
    var totals = [Int64](repeating: 0, count: sums.count)
    var counts = [Int](repeating: 0, count: sums.count)
    var total = totals.mutableSpan
    var count = counts.mutableSpan
    forEachValue(values, presence, rows, groups) {
      total[$0] &+= $1
      count[$0] &+= 1
    }
    for group in total.indices where count[group] > 0 {
      add(&sums[group], Int128(total[group]), count[group])
    }
  }

  /// What a group takes before it has values.
  static func byteCount(ofGroup function: AggregateFunction) -> Int {
    switch function {
    case .count, .rate: MemoryLayout<Int64>.stride
    case .sum, .average: MemoryLayout<ExactSum>.stride + 64
    case .minimum, .maximum: MemoryLayout<Value?>.stride
    case .first, .last: MemoryLayout<Value?>.stride + MemoryLayout<RowPosition>.stride
    case .distinct: MemoryLayout<DistinctSketch>.stride
    case .percentile: MemoryLayout<PercentileSketch>.stride
    }
  }

  /// About how many bytes the values take that groups keep beyond that.
  var byteCountOfValues: Int {
    distincts.reduce(0) { $0 + $1.byteCount } + sketches.reduce(0) { $0 + $1.byteCount }
      + values.reduce(0) { $0 + ($1?.heapByteCount ?? 0) }
  }

  /// Adds rows to a group of a count that counts all.
  mutating func add(count: Int, toGroup group: Int) {
    counts[group] += Int64(count)
  }

  /// Adds a row's value; a missing one changes nothing. A count counts rows whose value is true.
  mutating func add(
    _ value: Value?, toGroup group: Int, at position: RowPosition
  ) {
    guard let value else { return }
    switch function {
    case .count: if value == .bool(true) { counts[group] += 1 }
    case .rate: preconditionFailure("`rate` has no argument")
    case .sum, .average: sums[group].add(value)
    case .minimum: replace(in: group, by: value, ifItStands: .before)
    case .maximum: replace(in: group, by: value, ifItStands: .after)
    case .first: replace(in: group, by: value, at: position, ifItIs: <)
    case .last: replace(in: group, by: value, at: position, ifItIs: >)
    case .distinct: distincts[group].add(value)
    case .percentile: sketches[group].add(value)
    }
  }

  private mutating func replace(in group: Int, by value: Value, ifItStands wanted: Value.Order) {
    guard !value.isNaN else { return }
    guard let other = values[group], Value.order(value, other) != wanted else {
      values[group] = value
      return
    }
  }

  private mutating func replace(
    in group: Int, by value: Value, at position: RowPosition,
    ifItIs precedes: (RowPosition, RowPosition) -> Bool
  ) {
    guard values[group] == nil || precedes(position, positions[group]) else { return }
    values[group] = value
    positions[group] = position
  }

  /// The aggregates of a group that are percentiles of the values fed here.
  func percentiles(_ percents: [Double], ofGroup group: Int) -> [Value?] {
    sketches[group].results(percents).map { $0?.canonical }
  }

  /// The aggregate of a group; nil when no row had a value.
  func result(ofGroup group: Int) -> Value? {
    switch function {
    // Whoever knows the time that was covered makes a rate of it.
    case .count, .rate: .int(counts[group])
    case .sum: sums[group].total
    case .average: sums[group].mean
    case .minimum, .maximum: values[group]?.canonical
    case .first, .last: values[group]
    case .distinct: .int(distincts[group].count)
    case .percentile(let percent): percentiles([percent], ofGroup: group)[0]
    }
  }

  /// Whether some result is only near the true one.
  var isApproximate: Bool {
    sketches.contains(where: \.isApproximate) || distincts.contains(where: \.isApproximate)
  }
}

extension Value {
  var isNaN: Bool {
    if case .double(let value) = self { value.isNaN } else { false }
  }
}

extension [Int64] {
  /// Whether these are so few and so small that 64 bits hold the sum of any of them.
  var areSmall: Bool {
    var bits: UInt64 = 0
    for value in self { bits |= UInt64(bitPattern: value ^ (value >> 63)) }
    return bits >> 50 == 0 && count <= 1 << 12
  }
}

/// Calls `body` with the group and the value of each row that has both.
@inline(__always)
private func forEachValue(
  _ values: [Int64], _ presence: [UInt64]?, _ rows: [Int], _ groups: [Int],
  _ body: (Int, Int64) -> Void
) {
  precondition(rows.count == groups.count)
  let (values, rows, groups) = (values.span, rows.span, groups.span)
  guard let presence else {
    for index in rows.indices where groups[index] >= 0 { body(groups[index], values[rows[index]]) }
    return
  }
  let words = presence.span
  for index in rows.indices where groups[index] >= 0 {
    let row = rows[index]
    if words[row / 64] >> UInt64(row % 64) & 1 == 1 { body(groups[index], values[row]) }
  }
}
