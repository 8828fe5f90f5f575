import SegmentIndex

/// Where events are logged, and what each of them carries.
struct LogPlace: Sendable {
  /// The scopes' paths; the first is the primary one.
  var paths: [String]
  var tags: [LogTag] = []

  func apply(to record: inout Record) {
    record.scopes = paths
    record.tags = tags
  }
}
