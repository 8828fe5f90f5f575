/// A JSON document as a tree.
///
/// Two values are equal when they are spelled alike: `1` and `1.0` differ, and so do two objects whose
/// members are in different orders.
public enum JSONValue: Sendable, Hashable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number that is written without fraction and exponent and fits 64 bits.
  case int(Int64)
  /// Any other number; one too large for a double is an infinity.
  case double(Double)
  /// Text.
  case string(String)
  /// The elements, in order.
  case array([JSONValue])
  /// The members, in the order written, duplicates included.
  case object([JSONMember])
}

/// One key of an object, with its value.
public struct JSONMember: Sendable, Hashable {
  /// The key; any text.
  public var key: String
  /// The value.
  public var value: JSONValue

  /// A member.
  public init(_ key: String, _ value: JSONValue) {
    self.key = key
    self.value = value
  }
}
