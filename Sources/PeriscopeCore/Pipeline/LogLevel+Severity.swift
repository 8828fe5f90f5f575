import SegmentIndex

// Levels are ordered by their names as well, so that the order is total. What a level sets off follows from its severity
// alone: whoever defines `alert` beside `error` means it to be as serious.
extension LogLevel {
  /// Whether it is at least as serious as `other`.
  func isAtLeast(_ other: LogLevel) -> Bool { severity >= other.severity }

  /// The level itself, or `other` if that is more serious.
  func raised(to other: LogLevel) -> LogLevel { isAtLeast(other) ? self : other }
}
