import SegmentIndex

/// Where events are logged, and what each of them carries.
struct LogPlace: Sendable {
  /// The scopes' paths; the first is the primary one.
  var paths: [String]
  var tags: [LogTag] = []
  /// What is attached to the one event that is logged here.
  var attachments: [UInt8] = []
}
