/// Finds out between which times the missing entries of a journal belong: those of the records on both sides.
struct GapTimes {
  private var lastSequence: UInt64?
  /// The time of the last record.
  private(set) var last: Int64?
  /// Gaps that no record followed yet: their first missing sequence, and the time before.
  private var pending: [(sequence: UInt64, before: Int64)] = []
  private var ranges: [UInt64: ClosedRange<Int64>] = [:]

  /// The times around the gap whose first missing entry is `sequence`; nil at the beginning and at the end.
  subscript(sequence: UInt64) -> ClosedRange<Int64>? { ranges[sequence] }

  /// Notes that an entry came, and the gap before it if there is one.
  mutating func arrive(_ sequence: UInt64) {
    if let last, let lastSequence, sequence != lastSequence + 1 {
      pending.append((lastSequence + 1, last))
    }
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
