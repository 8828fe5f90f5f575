public import SegmentIndex

/// The built-in event: a level and a text, nothing else.
///
/// `log.info("...")` and its siblings emit one. Its text is the record's message, so the record needs
/// no payload.
public struct Message: LogEvent {
  /// `message`.
  public static let eventName = "message"

  /// How serious it is.
  public let level: LogLevel
  /// The text, and which of its parts were values.
  public let text: LogMessage

  /// The text.
  public var message: String { text.text }

  /// A message.
  public init(_ level: LogLevel, _ text: LogMessage) {
    self.level = level
    self.text = text
  }

  private enum CodingKeys: String, CodingKey {
    case level, severity, message
  }

  /// Reads a message that `encode(to:)` wrote.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    level = LogLevel(
      try values.decode(String.self, forKey: .level),
      severity: try values.decode(Int32.self, forKey: .severity))
    text = LogMessage(try values.decode(String.self, forKey: .message))
  }

  /// Writes the level's name and severity, and the text.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(level.name, forKey: .level)
    try values.encode(level.severity, forKey: .severity)
    try values.encode(message, forKey: .message)
  }
}
