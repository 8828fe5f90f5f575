/// Where the values of a message stand. As many as most messages have need no memory of their own.
struct LogMessageBounds: Sendable, Hashable {
  /// The first values: 16 bits each for beginning and end, the first value lowest.
  private var first: UInt128 = 0
  private var count = 0
  private var more: [Range<Int>] = []

  /// All of them, in order.
  var all: [Range<Int>] {
    (0..<count).map { index in
      let word = UInt32(truncatingIfNeeded: first >> UInt128(32 * index))
      return Int(word & 0xffff)..<Int(word >> 16)
    } + more
  }

  @inline(__always)
  mutating func append(_ range: Range<Int>) {
    guard count < 4, more.isEmpty, range.upperBound < 0x1_0000 else { return more.append(range) }
    first |=
      UInt128(UInt32(range.lowerBound) | UInt32(range.upperBound) << 16) << UInt128(32 * count)
    count += 1
  }
}
