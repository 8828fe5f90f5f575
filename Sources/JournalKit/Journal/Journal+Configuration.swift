extension Journal {
  /// How much a journal keeps, and in which pieces.
  public struct Configuration: Sendable {
    /// The most bytes that all segments together take; the oldest segment makes way. At least 4 KiB.
    public var maximumByteCount: Int
    /// The length at which a new segment begins: at least 1 KiB, at most half of `maximumByteCount`.
    /// Nil is 16 MiB or that half, whichever is less.
    public var segmentByteCount: Int?
    /// Produces the entries that every segment begins with, so that the journal explains itself however
    /// many old segments are gone. Called once per segment while the journal is locked: it must not use
    /// the journal.
    public var segmentHeader: (@Sendable () -> [[UInt8]])?

    /// A configuration; see the properties.
    public init(
      maximumByteCount: Int = 300 << 20, segmentByteCount: Int? = nil,
      segmentHeader: (@Sendable () -> [[UInt8]])? = nil
    ) {
      self.maximumByteCount = maximumByteCount
      self.segmentByteCount = segmentByteCount
      self.segmentHeader = segmentHeader
    }

    /// `maximumByteCount` within its range.
    var byteBudget: Int { max(maximumByteCount, 4 << 10) }

    /// `segmentByteCount` within its range. A segment is far below 2^32 entries of 8 bytes.
    package var segmentLimit: Int {
      let half = byteBudget / 2
      return min(max(segmentByteCount ?? min(16 << 20, half), 1 << 10), half, 1 << 30)
    }

    /// The longest entry: one that fits a segment of its own within the budget.
    var entryLimit: Int {
      let overhead = Int(JournalSegmentHeader.framesStart) + JournalFormat.frameOverhead
      return min(JournalFormat.maximumPayloadLength, byteBudget - 2 * overhead)
    }
  }
}
