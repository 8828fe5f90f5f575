/// A segment file and what is in it.
package struct JournalSegmentInfo: Equatable, Sendable {
  package let path: String
  package let number: UInt64
  package let firstSequence: UInt64
  /// `firstSequence - 1` when the segment has no entry.
  package let lastSequence: UInt64
  /// Bytes.
  package internal(set) var length: Int64

  package init(
    path: String, number: UInt64, firstSequence: UInt64, lastSequence: UInt64, length: Int64
  ) {
    self.path = path
    self.number = number
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
    self.length = length
  }
}
