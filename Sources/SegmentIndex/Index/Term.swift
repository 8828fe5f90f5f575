/// A value of a dictionary-coded field, as the dictionary keeps it.
///
/// Two terms are one only when they are the same to the byte: texts are not normalised, and doubles are
/// compared by their bits, so that every NaN and both zeros are themselves. Terms are ordered by kind
/// as listed, then by value: texts by their UTF-8, doubles from the most negative NaN to the most
/// positive one, lists by their elements.
public enum Term: Sendable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
  /// Any other number.
  case double(Double)
  /// Text.
  case string(String)
  /// JSON text.
  case json(String)
  /// A record's level.
  case level(LogLevel)
  /// A session or a span.
  case identity(UniqueID)
  /// A record's scope paths, in order.
  case list([String])
}

extension Term: Hashable, Comparable {
  /// Whether both are the same to the byte.
  public static func == (left: Term, right: Term) -> Bool {
    switch (left, right) {
    case (.bool(let left), .bool(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)), (.json(let left), .json(let right)):
      left.utf8.elementsEqual(right.utf8)
    case (.level(let left), .level(let right)):
      left.severity == right.severity && left.name.utf8.elementsEqual(right.name.utf8)
    case (.identity(let left), .identity(let right)): left == right
    case (.list(let left), .list(let right)):
      left.elementsEqual(right) { $0.utf8.elementsEqual($1.utf8) }
    default: false
    }
  }

  /// The order in which a column has its terms.
  public static func < (left: Term, right: Term) -> Bool {
    left.encoded().lexicographicallyPrecedes(right.encoded())
  }

  /// Feeds what `==` compares, or less, to `hasher`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value), .json(let value): hasher.combine(value)
    case .level(let value): hasher.combine(value)
    case .identity(let value): hasher.combine(value)
    case .list(let values): hasher.combine(values)
    }
  }
}
