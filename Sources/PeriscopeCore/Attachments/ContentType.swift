/// What the bytes of an attachment are.
public struct ContentType: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  /// A MIME type, such as `image/png`.
  public let rawValue: String

  /// The type that a MIME type names.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The type that a MIME type names.
  public init(stringLiteral name: String) {
    rawValue = name
  }

  /// Text in UTF-8.
  public static let plainText: ContentType = "text/plain"
  /// JSON in UTF-8.
  public static let json: ContentType = "application/json"
  /// A picture as PNG.
  public static let png: ContentType = "image/png"
  /// A picture as JPEG.
  public static let jpeg: ContentType = "image/jpeg"
  /// Bytes of which nobody says what they are.
  public static let binary: ContentType = "application/octet-stream"
}
