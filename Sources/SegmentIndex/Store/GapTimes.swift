/// Finds out between which times the missing entries of a journal belong: those of the records on both sides, or when the
/// program was started and when its journal was folded.
struct GapTimes {
  private var lastSequence: UInt64
  /// The time of the last record, or of the start.
  private(set) var last: Int64?
  /// Gaps that no record followed yet: their first missing sequence, and the time before.
  private var pending: [(sequence: UInt64, before: Int64)] = []
  private var ranges: [UInt64: ClosedRange<Int64>] = [:]

  /// For a journal whose entries are known up to `sequence`.
  init(after sequence: UInt64 = 0) {
    lastSequence = sequence
  }

  /// The times around the gap whose first missing entry is `sequence`; nil when they are not known.
  ///
  /// - Parameter now: the time for gaps that no record followed.
  func range(ofGapAt sequence: UInt64, now: Int64?) -> ClosedRange<Int64>? {
    if let range = ranges[sequence] { return range }
    let before = pending.first { $0.sequence == sequence }?.before
    guard let now, let before = before ?? (sequence > lastSequence ? last : nil)
    else { return nil }
    return min(before, now)...max(before, now)
  }

  /// Notes when the program was started: before its first record.
  mutating func begin(_ start: Int64) {
    if last == nil { last = start }
  }

  /// Notes that an entry came, and the gap before it if there is one.
  mutating func arrive(_ sequence: UInt64) {
    if let last, sequence != lastSequence + 1 { pending.append((lastSequence + 1, last)) }
    lastSequence = sequence
  }

  /// Notes a record's time.
  mutating func pass(_ time: Int64) {
    if !pending.isEmpty {
      // Clocks are set back now and then.
      for gap in pending { ranges[gap.sequence] = min(gap.before, time)...max(gap.before, time) }
      pending = []
    }
    last = time
  }
}
