/// Where the values of a message stand. As many as most messages have need no memory of their own.
struct LogMessageBounds: Sendable, Hashable {
  /// The beginnings and ends of the first values, in turn.
  private var first = SIMD8<Int32>()
  private var count = 0
  private var more: [Range<Int>] = []

  /// All of them, in order.
  var all: [Range<Int>] {
    (0..<min(count, 4)).map { Int(first[2 * $0])..<Int(first[2 * $0 + 1]) } + more
  }

  mutating func append(_ range: Range<Int>) {
    guard count < 4 else { return more.append(range) }
    first[2 * count] = Int32(clamping: range.lowerBound)
    first[2 * count + 1] = Int32(clamping: range.upperBound)
    count += 1
  }
}
