/// Why bytes are not the JSON that was asked for.
public struct JSONError: Error, Equatable, Sendable {
  /// The offset, in bytes from the start of the scanned text, of the byte that is wrong.
  public let offset: Int
  /// What is wrong, as a sentence without a full stop.
  public let reason: String

  /// An error at `offset`.
  public init(offset: Int, reason: String) {
    self.offset = offset
    self.reason = reason
  }
}
