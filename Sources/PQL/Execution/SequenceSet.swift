internal import SegmentIndex

/// A set of records of one session, by their sequences: ranges of them, because nearly all are there.
package struct SequenceSet: Sendable {
  /// Ascending, and apart from each other.
  package private(set) var ranges: [ClosedRange<UInt64>] = []

  package init() {}

  package func contains(_ sequence: UInt64) -> Bool {
    let index = firstIndex(endingAtOrAfter: sequence)
    return index < ranges.count && ranges[index].contains(sequence)
  }

  /// Adds one. Records come nearly in order, so most make the last range longer.
  package mutating func insert(_ sequence: UInt64) {
    let index = firstIndex(endingAtOrAfter: sequence)
    if index < ranges.count, ranges[index].contains(sequence) { return }
    var added = sequence...sequence
    var replaced = index..<index
    if index > 0, sequence > 0, ranges[index - 1].upperBound == sequence - 1 {
      added = ranges[index - 1].lowerBound...added.upperBound
      replaced = index - 1..<index
    }
    if index < ranges.count, sequence < .max, ranges[index].lowerBound == sequence + 1 {
      added = added.lowerBound...ranges[index].upperBound
      replaced = replaced.lowerBound..<index + 1
    }
    ranges.replaceSubrange(replaced, with: [added])
  }

  private func firstIndex(endingAtOrAfter sequence: UInt64) -> Int {
    if let last = ranges.last, last.upperBound < sequence { return ranges.count }
    return ranges.indices.partitionPoint { ranges[$0].upperBound < sequence }
  }
}
