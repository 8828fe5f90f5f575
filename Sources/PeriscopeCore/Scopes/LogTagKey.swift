public import SegmentIndex

/// A tag's name, declared once so that it cannot be misspelt.
///
/// ```swift
/// extension LogTagKey { static let paymentID = LogTagKey("payment_id") }
/// log.tagged(.paymentID, id).info("captured")
/// ```
public struct LogTagKey: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name, as in `tag.payment_id`.
  public let name: String

  /// A key of this name.
  public init(_ name: String) {
    self.name = name
  }

  /// A key of this name.
  public init(stringLiteral name: String) {
    self.name = name
  }
}

/// A value that a tag can hold as it is: text, a whole number, any other number, or a truth value. Others are encoded.
public protocol LogTagConvertible {
  /// The value as the store keeps it.
  var logTagValue: LogTagValue { get }
}

extension LogTagValue: LogTagConvertible {
  /// The value itself.
  public var logTagValue: LogTagValue { self }
}

extension LogTagConvertible where Self: RawRepresentable, RawValue: LogTagConvertible {
  /// The raw value.
  public var logTagValue: LogTagValue { rawValue.logTagValue }
}

extension String: LogTagConvertible {
  /// Text.
  public var logTagValue: LogTagValue { .string(self) }
}

extension Substring: LogTagConvertible {
  /// Text.
  public var logTagValue: LogTagValue { .string(String(self)) }
}

extension Bool: LogTagConvertible {
  /// A truth value.
  public var logTagValue: LogTagValue { .bool(self) }
}

extension Double: LogTagConvertible {
  /// A number.
  public var logTagValue: LogTagValue { .double(self) }
}

extension Float: LogTagConvertible {
  /// A number.
  public var logTagValue: LogTagValue { .double(Double(self)) }
}

extension LogTagConvertible where Self: FixedWidthInteger {
  /// A whole number; a number beyond 64 signed bits becomes the nearest `double`.
  public var logTagValue: LogTagValue {
    Int64(exactly: self).map(LogTagValue.int) ?? .double(Double(self))
  }
}

extension Int: LogTagConvertible {}
extension Int8: LogTagConvertible {}
extension Int16: LogTagConvertible {}
extension Int32: LogTagConvertible {}
extension Int64: LogTagConvertible {}
extension UInt: LogTagConvertible {}
extension UInt8: LogTagConvertible {}
extension UInt16: LogTagConvertible {}
extension UInt32: LogTagConvertible {}
extension UInt64: LogTagConvertible {}

extension UniqueID: LogTagConvertible {
  /// The UUID as text.
  public var logTagValue: LogTagValue { .string(description) }
}
