internal import JournalKit

// Decimal digits, eight bytes at a time.

extension RawSpan {
  /// How many of the eight bytes at `start`, which must be there, are decimal digits before the first that is not, and
  /// the number that they are.
  ///
  /// A byte is a digit if it differs from 0x30 by less than ten: adding 0x76 then leaves its highest bit unset. Pairs of
  /// digits are then made numbers, pairs of those, and once more.
  @inline(__always)
  func digits(at start: Int) -> (count: Int, value: UInt64) {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let values = littleEndian(UInt64.self, at: start) ^ (ones &* 0x30)
    let others = ((values &+ (ones &* 0x76)) | values) & (ones &* 0x80)
    let count = others.trailingZeroBitCount / 8
    guard count > 0 else { return (0, 0) }
    // The digits as the last of eight, zeros before them.
    var word = values &<< UInt64(truncatingIfNeeded: 64 - count * 8)
    word = (word &* (1 + 10 << 8)) >> 8 & 0x00ff_00ff_00ff_00ff
    word = (word &* (1 + 100 << 16)) >> 16 & 0x0000_ffff_0000_ffff
    return (count, (word &* (1 + 10_000 << 32)) >> 32)
  }
}
