internal import JournalKit

/// A 128-bit identity, written as a UUID.
public struct UniqueID: Hashable, Sendable, Comparable {
  /// The identity's bits; the first hexadecimal digit of the text is the topmost four.
  public let bits: UInt128

  /// An identity of these bits.
  public init(bits: UInt128) {
    self.bits = bits
  }

  /// A new random identity (UUID version 4).
  public init() {
    var generator = SystemRandomNumberGenerator()
    self.init(using: &generator)
  }

  /// A new random identity (UUID version 4) from `generator`.
  public init(using generator: inout some RandomNumberGenerator) {
    let high = UInt64.random(in: .min ... .max, using: &generator)
    let low = UInt64.random(in: .min ... .max, using: &generator)
    self.init(high: high, low: low, version: 4)
  }

  /// The identity of record `sequence` of `session` (UUID version 8): the same in every process and
  /// after every rewrite, so a store need not keep it.
  ///
  /// Both halves of the session are mixed with the sequence by the finalizer of SplitMix64 (Steele, Lea
  /// and Flood, 2014), so identities of one session share no prefix and a short one can be quoted.
  public init(session: UniqueID, sequence: UInt64) {
    func mixed(_ value: UInt64) -> UInt64 {
      var z = value
      z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
      z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
      return z ^ (z >> 31)
    }
    let high = UInt64(truncatingIfNeeded: session.bits >> 64)
    let low = UInt64(truncatingIfNeeded: session.bits)
    let step = sequence &* 0x9e37_79b9_7f4a_7c15
    self.init(high: mixed(high &+ step), low: mixed(low ^ mixed(high) &+ step), version: 8)
  }

  private init(high: UInt64, low: UInt64, version: UInt64) {
    let high = high & ~0xf000 | version << 12
    let low = low & ~(3 << 62) | 2 << 62
    bits = UInt128(high) << 64 | UInt128(low)
  }

  /// Reads the 36-character UUID form or 32 hexadecimal digits, in either case; nil for anything else.
  public init?(_ text: some StringProtocol) {
    self.init(utf8: Array(text.utf8).rawSpan)
  }

  /// Reads the UTF-8 of an identity, in the forms of `init(_:)`. Allocates nothing.
  package init?(utf8 text: RawSpan) {
    guard text.byteCount == 36 || text.byteCount == 32 else { return nil }
    let isHyphenated = text.byteCount == 36
    // Two halves: 128-bit shifts are slow, and an import reads millions of these.
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<text.byteCount {
      let byte = text[index]
      if isHyphenated, index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      // No branch on whether it is a digit or a letter, which nothing could predict: both have their
      // value in the low four bits, a letter's less 9, and only a letter has bit 6.
      let isDigit = byte &- UInt8(ascii: "0") < 10
      let isLetter = (byte | 0x20) &- UInt8(ascii: "a") < 6
      guard isDigit != isLetter else { return nil }
      high = high << 4 | low >> 60
      low = low << 4 | UInt64(byte & 15 &+ 9 &* (byte >> 6))
    }
    bits = UInt128(high) << 64 | UInt128(low)
  }

  /// Orders by the bits, as the texts order.
  public static func < (left: UniqueID, right: UniqueID) -> Bool {
    left.bits < right.bits
  }
}

extension UniqueID: CustomStringConvertible {
  /// The 36-character lower-case UUID form.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: 36) { buffer in
      var at = 0
      for digit in 0..<32 {
        if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
          unsafe buffer[at] = UInt8(ascii: "-")
          at += 1
        }
        let value = UInt8(truncatingIfNeeded: bits >> UInt128(124 - 4 * digit)) & 15
        unsafe buffer[at] = value < 10 ? 48 + value : 87 + value
        at += 1
      }
      return 36
    }
  }
}
