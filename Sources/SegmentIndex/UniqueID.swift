internal import JournalKit

/// A 128-bit identity, written as a UUID.
public struct UniqueID: Hashable, Sendable, Comparable {
  /// The bytes of an identity's text in the UUID form.
  static let textByteCount = 36

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
    let parts: (UInt64, UInt64, UInt64, UInt64)
    switch text.byteCount {
    case 32:
      func word(_ offset: Int) -> UInt64 { text.littleEndian(UInt64.self, at: offset) }
      parts = (word(0), word(8), word(16), word(24))
    case Self.textByteCount:
      func half(_ offset: Int) -> UInt64 { UInt64(text.littleEndian(UInt32.self, at: offset)) }
      let hyphen = UInt8(ascii: "-")
      guard text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen
      else { return nil }
      parts = (
        half(0) | half(4) << 32, half(9) | half(14) << 32, half(19) | half(24) << 32,
        half(28) | half(32) << 32
      )
    default: return nil
    }
    guard let first = parts.0.hexadecimalDigits, let second = parts.1.hexadecimalDigits,
      let third = parts.2.hexadecimalDigits, let fourth = parts.3.hexadecimalDigits
    else { return nil }
    bits = UInt128(first << 32 | second) << 64 | UInt128(third << 32 | fourth)
  }

  /// Orders by the bits, as the texts order.
  public static func < (left: UniqueID, right: UniqueID) -> Bool {
    left.bits < right.bits
  }
}

extension UniqueID: CustomStringConvertible {
  /// The 36-character lower-case UUID form.
  public var description: String {
    unsafe String(unsafeUninitializedCapacity: Self.textByteCount) { buffer in
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
      return Self.textByteCount
    }
  }
}

extension UInt64 {
  /// The value of the eight hexadecimal digits, in either case, whose ASCII codes are the bytes of this, the first
  /// digit lowest; nil when they are not that.
  ///
  /// All eight are looked at together: adding to a byte under 0x80 sets its topmost bit from some value on.
  fileprivate var hexadecimalDigits: UInt64? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs = ones &* 0x80
    guard self & highs == 0 else { return nil }
    let lower = self | (ones &* 0x20)
    // Only a byte that has bit 5 itself is a digit.
    let digits = (lower &+ (ones &* 0x50)) & ~(lower &+ (ones &* 0x46)) & (self << 2)
    let letters = (lower &+ (ones &* 0x1f)) & ~(lower &+ (ones &* 0x19))
    guard (digits | letters) & highs == highs else { return nil }
    // Both have their value in the low four bits, a letter's less 9.
    let nines = ((letters & highs) >> 7) &* 9
    var value = ((self & (ones &* 15)) &+ nines).byteSwapped
    value = (value | value >> 4) & 0x00ff_00ff_00ff_00ff
    value = (value | value >> 8) & 0x0000_ffff_0000_ffff
    return (value | value >> 16) & 0xffff_ffff
  }
}
