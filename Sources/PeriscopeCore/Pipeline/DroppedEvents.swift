public import SegmentIndex

/// Tells a sink how many records it was too slow for. The store has them all the same.
public struct DroppedEvents: LogEvent {
  /// `DroppedEvents`.
  public static let eventName = "DroppedEvents"

  /// How many records the sink did not get.
  public let count: Int
  /// The sequence of the first of them.
  public let firstSequence: UInt64
  /// The sequence of the last of them.
  public let lastSequence: UInt64

  /// A warning.
  public var level: LogLevel { .warning }
  /// The count in words.
  public var message: String { "\(count) records were dropped because a sink was too slow" }

  init(_ drops: SinkQueue.Drops) {
    (count, firstSequence, lastSequence) = (drops.count, drops.first, drops.last)
  }
}
