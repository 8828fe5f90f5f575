/// Where some of a segment's records came from: a stretch of a journal.
public struct SegmentSource: Sendable, Hashable {
  /// The journal's identity.
  public var journal: UInt128
  /// The journal's sequence of the first entry in the stretch.
  public var firstSequence: UInt64
  /// The journal's sequence of the last entry in the stretch.
  public var lastSequence: UInt64

  /// A stretch of a journal.
  public init(journal: UInt128, firstSequence: UInt64, lastSequence: UInt64) {
    self.journal = journal
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
  }
}
