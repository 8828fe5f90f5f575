/// What a span is called: any text.
///
/// An event type can name its spans once and for all instead: `enum SpanName: String, Sendable { case upload }`.
public struct LogSpanName: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// The name.
  public let rawValue: String

  /// A name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A name.
  public init(stringLiteral name: String) {
    rawValue = name
  }
}
