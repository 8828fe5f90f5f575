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

extension [SegmentSource] {
  /// The same in order: stretches that overlap or adjoin are one.
  func merged() -> [SegmentSource] {
    var merged: [SegmentSource] = []
    let ordered = sorted { ($0.journal, $0.firstSequence) < ($1.journal, $1.firstSequence) }
    for source in ordered {
      if let last = merged.last, last.journal == source.journal,
        source.firstSequence == 0 || source.firstSequence - 1 <= last.lastSequence
      {
        merged[merged.count - 1].lastSequence = Swift.max(last.lastSequence, source.lastSequence)
      } else {
        merged.append(source)
      }
    }
    return merged
  }
}
