/// A number as it was written.
public enum JSONNumber: Sendable, Hashable {
  /// Written without fraction and exponent, and in the range of 64 bits. `-0` is the integer 0.
  case int(Int64)
  /// Any other number, rounded to the nearest double; one too large is an infinity.
  case double(Double)
}
