public import SegmentIndex

/// A Swift type whose values a query can hold and a row can give back.
///
/// A value of it becomes a literal of the query and never anything else: not a word, a field, a stage or a
/// wildcard.
public protocol QueryContent: Sendable {
  /// The value of a row as this type; nil when it is of another.
  init?(queryValue: Value)
}

/// A type whose values can stand right of a comparison.
public protocol QueryLiteral: QueryContent {
  /// The value as a query holds it.
  var queryValue: Value { get }
}

/// What tags and places in payloads hold: any value.
public struct Variant: QueryContent {
  /// The value.
  public let value: Value

  /// Any value.
  public init(queryValue: Value) {
    value = queryValue
  }
}

extension QueryLiteral {
  /// The value as part of a tree.
  var queryLiteral: Expression { Expression(queryValue.expressionKind, 0..<0) }
}

extension Value {
  /// The literal that means the value. What has no literal is written as its text.
  fileprivate var expressionKind: Expression.Kind {
    switch self {
    case .bool(let value): .literal(.bool(value))
    case .int(let value): .literal(.int(value))
    // The language has no literal for these, and no number equals NaN.
    case .double(let value) where !value.isFinite:
      .literal(.double(value > 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude))
    case .double(let value): .literal(.double(value))
    case .duration(let value): .literal(.duration(value))
    case .size(let value): .literal(.size(value))
    case .time(let value): .literal(.time(TimeLiteral(nanoseconds: value)))
    case .level(let level) where !LogLevel.standard.contains(level):
      .literal(.int(Int64(level.severity)))
    case .string, .level, .uuid, .json, .list: .literal(.string(description))
    }
  }
}

extension String: QueryLiteral {
  /// The value of a text.
  public init?(queryValue: Value) {
    guard case .string(let text) = queryValue else { return nil }
    self = text
  }

  /// A text.
  public var queryValue: Value { .string(self) }
}

extension Int64: QueryLiteral {
  /// The value of a whole number.
  public init?(queryValue: Value) {
    guard let number = queryValue.wholeNumber else { return nil }
    self = number
  }

  /// A whole number.
  public var queryValue: Value { .int(self) }
}

extension Int: QueryLiteral {
  /// The value of a whole number that fits.
  public init?(queryValue: Value) {
    guard let number = queryValue.wholeNumber, let value = Int(exactly: number) else { return nil }
    self = value
  }

  /// A whole number.
  public var queryValue: Value { .int(Int64(self)) }
}

extension Double: QueryLiteral {
  /// The value of any number.
  public init?(queryValue: Value) {
    switch queryValue {
    case .double(let value): self = value
    case .int(let value), .size(let value): self = Double(value)
    default: return nil
    }
  }

  /// A number.
  public var queryValue: Value { .double(self) }
}

extension Bool: QueryLiteral {
  /// The value of a truth value.
  public init?(queryValue: Value) {
    guard case .bool(let value) = queryValue else { return nil }
    self = value
  }

  /// A truth value.
  public var queryValue: Value { .bool(self) }
}

extension Duration: QueryLiteral {
  /// The value of a duration.
  public init?(queryValue: Value) {
    guard case .duration(let nanoseconds) = queryValue else { return nil }
    self = .nanoseconds(nanoseconds)
  }

  /// A duration, cut to whole nanoseconds in 64 bits.
  public var queryValue: Value { .duration(wholeNanoseconds) }

  /// Cut to what 64 bits hold with either sign.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: nanosecondsPerSecond)
    guard !overflow, let sum = product.adding(attoseconds / nanosecondsPerSecond)
    else { return seconds < 0 ? -.max : .max }
    return max(sum, -.max)
  }
}

extension LogLevel: QueryLiteral {
  /// The value of a level.
  public init?(queryValue: Value) {
    guard case .level(let level) = queryValue else { return nil }
    self = level
  }

  /// A level.
  public var queryValue: Value { .level(self) }
}

extension UniqueID: QueryLiteral {
  /// The value of an identity.
  public init?(queryValue: Value) {
    guard case .uuid(let id) = queryValue else { return nil }
    self = id
  }

  /// An identity.
  public var queryValue: Value { .uuid(self) }
}
