public import SegmentIndex

/// Tells, in the journal itself, that records before it could not be written.
public struct StoreWriteFailed: LogEvent {
  /// `StoreWriteFailed`.
  public static let eventName = "StoreWriteFailed"

  /// How many records are missing, since the last time that this was told.
  public let count: Int

  /// A warning.
  public var level: LogLevel { .warning }
  /// The count in words.
  public var message: String { "\(count) records could not be written before this one" }
}
