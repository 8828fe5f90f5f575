/// Which three bytes follow one another somewhere in a text, but for the case of ASCII letters: by a hash, so that some
/// may seem to be there that are not.
package struct TripleSet: Sendable {
  private var words = [UInt64](repeating: 0, count: Self.bitCount / 64)
  private static let bitCount = 1 << 15

  package init(_ text: [UInt8]) {
    var hash: UInt32 = 0
    for (index, byte) in text.enumerated() {
      hash = hash << 8 | UInt32(byte.lowercasedASCII)
      if index >= 2 { insert(Self.bit(hash)) }
    }
  }

  /// False when the text does not have these bytes; true says nothing.
  package func mayHold(_ needle: [UInt8]) -> Bool {
    var hash: UInt32 = 0
    for (index, byte) in needle.enumerated() {
      hash = hash << 8 | UInt32(byte.lowercasedASCII)
      guard index >= 2 else { continue }
      let bit = Self.bit(hash)
      if words[bit / 64] >> UInt64(bit % 64) & 1 == 0 { return false }
    }
    return true
  }

  private mutating func insert(_ bit: Int) {
    words[bit / 64] |= 1 << UInt64(bit % 64)
  }

  /// The bit of the three last bytes of `hash`.
  private static func bit(_ hash: UInt32) -> Int {
    Int(((hash << 8) &* 0x9e37_79b1) >> UInt32(32 - bitCount.trailingZeroBitCount))
  }
}

extension UInt8 {
  /// The byte, or the lower-case letter when it is an upper-case one of ASCII.
  @inlinable
  package var lowercasedASCII: UInt8 {
    @inline(__always)
    get { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
  }
}
