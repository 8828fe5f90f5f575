internal import SegmentIndex

extension ReferenceRun {
  /// A row for each group: its keys, then its aggregates.
  mutating func groups(
    of rows: [ReferenceRow], _ grouping: BoundQuery.Grouping
  ) -> ReferenceTable {
    var groups: [(key: [Value?], rows: [Int])] = []
    var known: [[UInt8]: Int] = [:]
    // Without keys there is one group, even of no rows.
    if grouping.keys.isEmpty {
      known[Reference.key([])] = 0
      groups.append(([], []))
    }
    var isCut = false
    for (index, row) in rows.enumerated() {
      for key in singleKeys(grouping.keys.map { row.value(of: $0.operand) }) {
        let bytes = Reference.key(key)
        if let group = known[bytes] {
          groups[group].rows.append(index)
        } else if groups.count < limits.groupCount {
          known[bytes] = groups.count
          groups.append((key.map { $0.map(Reference.canonical) }, [index]))
        } else {
          isCut = true
        }
      }
    }
    if isCut { summary.noteCut("there are too many groups") }
    var result = groups.map { group in
      group.key
        + grouping.aggregates.map { aggregate in
          aggregated(group.rows.map { rows[$0] }, aggregate, in: bin(of: group.key, grouping))
        }
    }
    result.sort { precedes($0, $1, grouping) }
    if let count = grouping.topCount {
      result = result.prefix(count).map { row in
        guard case .int(let count)? = row[grouping.keys.count] else { return row + [nil] }
        return row + [.double(Double(count) / Double(rows.count))]
      }
    }
    return ReferenceTable(columns: grouping.columnNames, rows: result)
  }

  /// Every combination in which each list is one of its values, each of which counts once.
  private func singleKeys(_ key: [Value?]) -> [[Value?]] {
    key.reduce([[]]) { keys, part in
      guard case .list(let values)? = part else { return keys.map { $0 + [part] } }
      var seen: Set<[UInt8]> = []
      let different = values.filter { seen.insert(Reference.key($0)).inserted }
      return keys.flatMap { key in different.map { key + [$0] } }
    }
  }

  /// By time when a key is a bin of time; then the first aggregate, biggest first; then the keys.
  private func precedes(
    _ left: [Value?], _ right: [Value?], _ grouping: BoundQuery.Grouping
  ) -> Bool {
    var decided = 0
    if let time = grouping.timeKey { decided = Reference.order(left[time], right[time]) }
    let aggregate = grouping.keys.count
    if decided == 0 {
      decided = Reference.order(left[aggregate], right[aggregate], isDescending: true)
    }
    for key in 0..<aggregate where decided == 0 {
      decided = Reference.order(left[key], right[key])
    }
    return decided < 0
  }

  private func bin(of key: [Value?], _ grouping: BoundQuery.Grouping) -> Range<Int64>? {
    guard let index = grouping.timeKey, case .time(let time)? = key[index],
      case .bin(_, .constant(.duration(let width)), let zone) = grouping.keys[index].operand
    else { return nil }
    return zone.bin(of: time, width: width)
  }

  // MARK: Aggregates

  /// One aggregate of the rows of a group. Missing values do not count.
  private func aggregated(
    _ rows: [ReferenceRow], _ aggregate: BoundQuery.Aggregate, in bin: Range<Int64>?
  ) -> Value? {
    let found = rows.enumerated().compactMap { index, row -> (place: Int, value: Value)? in
      aggregate.argument.flatMap { row.value(of: $0) }.map { (index, $0) }
    }
    let values = found.map(\.value)
    switch aggregate.function {
    case .count:
      guard aggregate.argument != nil else { return .int(Int64(rows.count)) }
      return .int(Int64(values.count { Reference.holds($0, .equal, .bool(true)) }))
    case .rate:
      let seconds = secondsSearched(in: bin)
      return seconds > 0 ? .double(Double(rows.count) / seconds) : nil
    case .sum: return Reference.sum(values, isMean: false)
    case .average: return Reference.sum(values, isMean: true)
    case .minimum: return Reference.extreme(values, -1).map(Reference.canonical)
    case .maximum: return Reference.extreme(values, 1).map(Reference.canonical)
    // Records stand in any order, rows of a table in theirs.
    case .first: return inOrderOfTime(found, rows).first?.value
    case .last: return inOrderOfTime(found, rows).last?.value
    case .distinct: return .int(Int64(Set(values.map { Reference.key($0) }).count))
    case .percentile(let percent): return Reference.percentile(values, percent)
    }
  }

  private func inOrderOfTime(
    _ found: [(place: Int, value: Value)], _ rows: [ReferenceRow]
  ) -> [(place: Int, value: Value)] {
    found.sorted { left, right in
      guard let first = rows[left.place].record, let second = rows[right.place].record
      else { return left.place < right.place }
      return ReferenceEvaluator.isNewer(second, first)
    }
  }

  private func secondsSearched(in bin: Range<Int64>?) -> Double {
    guard let searched else { return 0 }
    let lower = max(searched.lowerBound, bin?.lowerBound ?? .min)
    let upper = min(searched.upperBound, bin?.upperBound ?? .max)
    return lower < upper ? Double(Int128(upper) - Int128(lower)) / 1e9 : 0
  }
}

extension Reference {
  /// Of equal values the one that a group shows: a fraction that is whole is a whole number.
  static func canonical(_ value: Value) -> Value {
    guard case .double(let number) = value, let whole = Int64(exactly: number) else { return value }
    return .int(whole)
  }

  /// The value that stands first, or last, of all but NaN.
  static func extreme(_ values: [Value], _ direction: Int) -> Value? {
    var best: Value?
    for value in values {
      if case .double(let number) = value, number.isNaN { continue }
      guard let other = best else {
        best = value
        continue
      }
      if order(value, other) == direction { best = value }
    }
    return best
  }

  /// The sum of all numbers, or of all durations when there are no numbers, or their mean.
  static func sum(_ values: [Value], isMean: Bool) -> Value? {
    var sum = ReferenceSum()
    var wholes: [Int128] = []
    var durations: [Int128] = []
    var doubleCount = 0
    for value in values {
      switch value {
      case .int(let number), .size(let number):
        sum.add(number)
        wholes.append(Int128(number))
      case .double(let number) where number.isFinite:
        sum.add(number)
        doubleCount += 1
      case .duration(let number): durations.append(Int128(number))
      default: break
      }
    }
    let count = wholes.count + doubleCount
    guard count > 0 else {
      guard !durations.isEmpty else { return nil }
      let total = durations.reduce(0, +)
      return Int64(exactly: isMean ? total / Int128(durations.count) : total).map(Value.duration)
    }
    if doubleCount == 0 {
      let total = wholes.reduce(0, +)
      return isMean
        ? .double(Double(total) / Double(count)) : Int64(exactly: total).map(Value.int)
    }
    // A mean can fit where the sum does not.
    let scale = sum.rounded(scale: 64).magnitude > 0x1p800 ? 64 : 0
    let total = sum.rounded(scale: scale) / (isMean ? Double(count) : 1)
    let result = total * Double(sign: .plus, exponent: scale, significand: 1)
    return result.isFinite ? .double(result) : nil
  }

  /// The smallest value that at least that share of the values does not exceed.
  static func percentile(_ values: [Value], _ percent: Double) -> Value? {
    var hasNumbers = false
    var numbers = values.compactMap { value -> Value? in
      switch value {
      case .double(let number) where !number.isNaN:
        hasNumbers = true
        return value
      case .int, .size:
        hasNumbers = true
        return whole(value).map(Value.int)
      case .duration(let number): return .int(number)
      default: return nil
      }
    }
    guard !numbers.isEmpty else { return nil }
    numbers.sort { order($0, $1) < 0 }
    let rank = Int((percent * Double(numbers.count) / 100).rounded(.up))
    let found = numbers[min(max(rank, 1), numbers.count) - 1]
    if !hasNumbers, case .int(let number) = found { return .duration(number) }
    return canonical(found)
  }
}
