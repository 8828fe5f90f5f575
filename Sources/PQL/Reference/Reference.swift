internal import SegmentIndex

/// The language's rules about values, in their plainest form.
enum Reference {
  // MARK: Equality

  /// Bytes that are the same for values that are the same to a sort or a group, and for no others: numbers by
  /// their number, whatever their type, texts by their UTF-8.
  static func key(_ value: Value?) -> [UInt8] {
    guard let value else { return [0] }
    var bytes: [UInt8] = [UInt8(rank(value) + 1)]
    switch value {
    case .bool(let flag): bytes.append(flag ? 1 : 0)
    case .int(let number), .size(let number): bytes += Array("\(number)".utf8)
    case .double(let number):
      if let whole = Int64(exactly: number) { return key(.int(whole)) }
      bytes += Array((number.isNaN ? "NaN" : "#\(number.bitPattern)").utf8)
    case .string(let text), .json(let text): bytes += Array(text.utf8)
    case .duration(let number), .time(let number): bytes += Array("\(number)".utf8)
    case .level(let level): bytes += Array("\(level.severity) \(level.name)".utf8)
    case .uuid(let id): bytes += Array("\(id.bits)".utf8)
    case .list(let values): bytes += key(values)
    }
    return bytes
  }

  /// The same of several values.
  static func key(_ values: [Value?]) -> [UInt8] {
    values.flatMap { value in
      let bytes = key(value)
      return Array("\(bytes.count):".utf8) + bytes
    }
  }

  // MARK: Order

  /// Negative when `left` stands first, positive when `right` does, 0 when they are the same. Missing values are
  /// last in both directions.
  static func order(_ left: Value?, _ right: Value?, isDescending: Bool = false) -> Int {
    switch (left, right) {
    case (nil, nil): 0
    case (nil, _): 1
    case (_, nil): -1
    case (let left?, let right?): isDescending ? order(right, left) : order(left, right)
    }
  }

  /// Truth values, numbers, texts, and then the other types one after the other.
  static func order(_ left: Value, _ right: Value) -> Int {
    guard rank(left) == rank(right) else { return rank(left) < rank(right) ? -1 : 1 }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.string(let left), .string(let right)), (.json(let left), .json(let right)):
      return order(left, right)
    case (.duration(let left), .duration(let right)), (.time(let left), .time(let right)):
      return order(left, right)
    case (.level(let left), .level(let right)):
      let bySeverity = order(left.severity, right.severity)
      return bySeverity == 0 ? order(left.name, right.name) : bySeverity
    case (.uuid(let left), .uuid(let right)): return order(left.bits, right.bits)
    case (.list(let left), .list(let right)):
      for (left, right) in zip(left, right) where order(left, right) != 0 {
        return order(left, right)
      }
      return order(left.count, right.count)
    default: return orderOfNumbers(left, right)
    }
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func order(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// Exact, whatever the types; NaN stands after all numbers.
  private static func orderOfNumbers(_ left: Value, _ right: Value) -> Int {
    if let left = whole(left), let right = whole(right) { return order(left, right) }
    let (first, second) = (left.number ?? .nan, right.number ?? .nan)
    if first.isNaN || second.isNaN { return order(first.isNaN ? 1 : 0, second.isNaN ? 1 : 0) }
    // Rounding keeps the order, so only what rounds to the same needs a second look; and that has no fraction, or
    // none was rounded off.
    if first != second { return order(first, second) }
    guard let whole = whole(left) ?? whole(right) else { return 0 }
    let decided = order(Int128(whole), Int128(first))
    return self.whole(left) == nil ? -decided : decided
  }

  static func whole(_ value: Value) -> Int64? {
    switch value {
    case .int(let number), .size(let number): number
    default: nil
    }
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .bool: 0
    case .int, .double, .size: 1
    case .string: 2
    case .duration: 3
    case .time: 4
    case .level: 5
    case .uuid: 6
    case .json: 7
    case .list: 8
    }
  }

  // MARK: Comparisons

  /// Whether a comparison of two values is true. One with a value of another type never is, nor with NaN or JSON.
  /// Of a list it is when it is of one of its values.
  static func holds(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool {
    if case .list(let values) = left { return values.contains { holds($0, comparison, right) } }
    if case .list(let values) = right { return values.contains { holds(left, comparison, $0) } }
    if case .json = left { return false }
    guard rank(left) == rank(right), !left.isNotANumber, !right.isNotANumber else { return false }
    var order = order(left, right)
    // Levels of one severity are neither before nor after each other, but they differ.
    if case .level(let left) = left, case .level(let right) = right, comparison != .equal {
      order = self.order(left.severity, right.severity)
    }
    return holds(order, comparison)
  }

  /// Whether an order satisfies a comparison.
  static func holds(_ order: Int, _ comparison: Comparison) -> Bool {
    switch comparison {
    case .equal: order == 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    case .contains, .matches: false
    }
  }

  static func holds(_ left: Int64, _ comparison: Comparison, _ right: Int64) -> Bool {
    holds(order(left, right), comparison)
  }
}

extension Value {
  fileprivate var isNotANumber: Bool {
    if case .double(let number) = self { number.isNaN } else { false }
  }
}
