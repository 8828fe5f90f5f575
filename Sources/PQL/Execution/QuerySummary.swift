/// What a run did, and what its rows do not say.
public struct QuerySummary: Sendable, Hashable {
  /// Records that the store holds and this run could not see.
  public struct Gap: Sendable, Hashable {
    /// The segment or file that cannot be read in full.
    public var segment: String
    /// The times, in nanoseconds since 1970, between which records are missing, where that is known.
    public var timeRange: ClosedRange<Int64>?
    /// Why.
    public var cause: String
    /// About how many records are missing, where that is known.
    public var estimatedCount: Int?

    /// A gap.
    public init(
      segment: String, timeRange: ClosedRange<Int64>?, cause: String, estimatedCount: Int?
    ) {
      self.segment = segment
      self.timeRange = timeRange
      self.cause = cause
      self.estimatedCount = estimatedCount
    }
  }

  /// How many segments there were.
  public var segmentCount = 0
  /// How many segments no row of was looked at.
  public var skippedSegmentCount = 0
  /// How many granules, of up to 4,096 records, the segments have.
  public var granuleCount = 0
  /// How many granules were looked at; the others were ruled out, or what they hold is known without.
  public var scannedGranuleCount = 0
  /// About how many bytes of those granules were read to test records and to group them, without what was read to show
  /// them.
  public var readByteCount = 0
  /// How many records were tested; pruned ones are not.
  public var scannedCount = 0
  /// How many of those passed the filter. A run that stops early has not seen all.
  public var matchedCount = 0
  /// What could not be read. With gaps, counts are lower bounds.
  public var gaps: [Gap] = []
  /// Remarks for a person: limits that were reached, and so on.
  public var notes: [String] = []
  /// Columns whose values are only near the true ones.
  public var approximateColumns: [String] = []
  /// Whether rows or groups were left out because a limit was reached.
  public var isCut = false

  /// Of a page: where the next one begins; nil when this was the last.
  public var cursor: QueryCursor?

  /// Whether the rows are the whole answer.
  public var isComplete: Bool { gaps.isEmpty && !isCut }

  /// Of a run that has done nothing yet.
  package init() {}

  /// Notes that something was left out.
  mutating func noteCut(_ note: String) {
    isCut = true
    notes.append(note)
  }
}
