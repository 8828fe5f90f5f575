public import SegmentIndex

/// A value of a field, a column or a parameter. A missing value is `nil`, never a case of its own.
///
/// Equality is that of the language: numbers are equal when they are the same number, whatever their
/// type, without rounding (`1` and `1.0`); texts when their UTF-8 bytes are. `NaN` equals itself here, so
/// that values can be grouped; no comparison in a query is true of it.
public enum Value: Sendable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
  /// Any other number.
  case double(Double)
  /// Text.
  case string(String)
  /// Nanoseconds.
  case duration(Int64)
  /// Bytes; it compares as the whole number it is.
  case size(Int64)
  /// Nanoseconds since 1970.
  case time(Int64)
  /// A level.
  case level(LogLevel)
  /// An identity.
  case uuid(UniqueID)
  /// JSON text of an object, an array or `null`. Comparisons with it are false.
  case json(String)
  /// Several values of one field, such as a record's scopes. A comparison holds when it holds for one.
  case list([Value])
}

// MARK: Order

extension Value {
  /// How two values stand to each other in a sort.
  package enum Order: Sendable {
    case before, same, after

    /// The order of `left` and `right`.
    init<Number: Comparable>(_ left: Number, _ right: Number) {
      self = left < right ? .before : left == right ? .same : .after
    }

    var reversed: Order {
      switch self {
      case .before: .after
      case .same: .same
      case .after: .before
      }
    }

    /// This order, or the next one when this does not decide.
    func then(_ next: @autoclosure () -> Order) -> Order {
      self == .same ? next() : self
    }
  }

  /// The total order of sorting: truth values, numbers, texts, and then the other types one after the
  /// other. NaN stands after all numbers.
  package static func order(_ left: Value, _ right: Value) -> Order {
    if let decided = numericOrder(left, right) { return decided }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return Order(left ? 1 : 0, right ? 1 : 0)
    case (.string(let left), .string(let right)), (.json(let left), .json(let right)):
      return textOrder(left, right)
    case (.duration(let left), .duration(let right)), (.time(let left), .time(let right)):
      return Order(left, right)
    case (.level(let left), .level(let right)):
      return Order(left.severity, right.severity).then(textOrder(left.name, right.name))
    case (.uuid(let left), .uuid(let right)): return Order(left, right)
    case (.list(let left), .list(let right)):
      for (left, right) in zip(left, right) {
        let order = order(left, right)
        if order != .same { return order }
      }
      return Order(left.count, right.count)
    default: return Order(left.rank, right.rank)
    }
  }

  /// The order of values of which either can be missing; missing is last.
  package static func order(_ left: Value?, _ right: Value?) -> Order {
    switch (left, right) {
    case (let left?, let right?): order(left, right)
    case (nil, nil): .same
    case (nil, _): .after
    case (_, nil): .before
    }
  }

  /// The order of texts is that of their UTF-8 bytes, as in the index. Swift compares strings by
  /// canonical equivalence, which is neither.
  static func textOrder(_ left: String, _ right: String) -> Order {
    if left.utf8.elementsEqual(right.utf8) { return .same }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
  }

  /// The order of two numbers of any type; nil when either is not a number.
  private static func numericOrder(_ left: Value, _ right: Value) -> Order? {
    switch (left, right) {
    case (.double(let left), .double(let right)):
      if left.isNaN || right.isNaN { return Order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
      return Order(left, right)
    case (.double(let left), _): return right.wholeNumber.map { order($0, left).reversed }
    case (_, .double(let right)): return left.wholeNumber.map { order($0, right) }
    default:
      guard let left = left.wholeNumber, let right = right.wholeNumber else { return nil }
      return Order(left, right)
    }
  }

  /// A whole number against a double, without rounding either.
  private static func order(_ whole: Int64, _ double: Double) -> Order {
    if double.isNaN || double >= 0x1p63 { return .before }
    if double < -0x1p63 { return .after }
    let floor = double.rounded(.down)
    return Order(whole, Int64(floor)).then(floor < double ? .before : .same)
  }

  /// The value of a whole number.
  var wholeNumber: Int64? {
    switch self {
    case .int(let value), .size(let value): value
    default: nil
    }
  }

  /// Where the value's type stands among the others.
  private var rank: Int {
    switch self {
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
}

extension Value: Hashable {
  /// Whether both are the same to a sort.
  public static func == (left: Value, right: Value) -> Bool {
    // Texts that differ to Swift differ in their bytes, too, and are told apart most quickly so.
    if case .string(let left) = left, case .string(let right) = right, left != right {
      return false
    }
    return order(left, right) == .same
  }

  /// The hash of one run. It is written out because the one that the compiler of Swift 6.3 makes for an
  /// enumeration with 128-bit payloads reads its own argument misaligned in debug builds, and crashes.
  public var hashValue: Int {
    var hasher = Hasher()
    hash(into: &hasher)
    return hasher.finalize()
  }

  /// Feeds what equal values have in common.
  public func hash(into hasher: inout Hasher) {
    feed(&hasher)
  }
}

// MARK: Reading

extension Value {
  /// The value as a number; nil when it is none.
  package var number: Double? {
    switch self {
    case .int(let value), .size(let value), .duration(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The one of all equal values that stands for them, so that which spelling of a number a group shows
  /// does not depend on which row came first: a whole number is an int.
  var canonical: Value {
    guard case .double(let value) = self, let whole = Int64(exactly: value) else { return self }
    return .int(whole)
  }

  /// The name of the value's type, as the function `type` gives it.
  package var typeName: String {
    switch self {
    case .bool: "bool"
    case .int: "int"
    case .double: "double"
    case .string: "string"
    case .duration: "duration"
    case .size: "size"
    case .time: "time"
    case .level: "level"
    case .uuid: "uuid"
    case .json: "json"
    case .list: "list"
    }
  }
}

extension Value: CustomStringConvertible {
  /// The value as text: what the function `string` gives. Times are UTC.
  public var description: String {
    switch self {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): value.description
    case .string(let value), .json(let value): value
    case .duration(let value): Quantity.durationText(value)
    case .size(let value): Quantity.sizeText(value)
    case .time(let value): TimeZoneRules.utc.text(value)
    case .level(let level): level.name
    case .uuid(let value): value.description
    case .list(let values): values.map(\.description).joined(separator: ", ")
    }
  }
}
