/// Why a segment, or a part of it, cannot be read.
public struct SegmentError: Error, Equatable, Sendable {
  /// The segment's name: of a file, its path.
  public let segment: String
  /// The offset, in bytes from the start of the segment, of the part that is wrong.
  public let offset: Int
  /// What is wrong, as a sentence without a full stop.
  public let reason: String

  /// An error at `offset` of `segment`.
  public init(segment: String, offset: Int, reason: String) {
    self.segment = segment
    self.offset = offset
    self.reason = reason
  }
}
