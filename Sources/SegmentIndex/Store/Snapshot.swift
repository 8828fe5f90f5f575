/// What a store holds at one moment. It stays readable however the store changes.
public struct Snapshot: Sendable {
  /// Every record is in exactly one of them.
  public let segments: [Segment]
  /// What is known to be missing.
  public let gaps: [Gap]
  private let compacted: [UInt128: UInt64]

  /// A snapshot of these segments.
  public init(segments: [Segment], gaps: [Gap] = []) {
    self.init(segments: segments, gaps: gaps, compactedUpTo: [:])
  }

  init(segments: [Segment], gaps: [Gap], compactedUpTo: [UInt128: UInt64]) {
    self.segments = segments
    self.gaps = gaps
    compacted = compactedUpTo
  }

  /// The same with one more segment, such as the tail of a live journal.
  public func adding(_ segment: Segment) -> Snapshot {
    Snapshot(segments: segments + [segment], gaps: gaps, compactedUpTo: compacted)
  }

  /// The sequence up to which the journal's entries are in `segments`, or in `gaps`; 0 when none is.
  package func compactedUpTo(journal: UInt128) -> UInt64 {
    compacted[journal] ?? 0
  }
}
