internal import JournalKit

extension RawSpan {
  /// The `width` bits, 0 to 64, from bit `bit` on, least significant first. They must be there.
  @inline(__always)
  func bits(at bit: Int, width: Int) -> UInt64 {
    let first = bit >> 3
    // One load where its eight bytes are all there, wherever in the first of them the bits begin.
    if width <= 57, first <= byteCount - 8 {
      let word = littleEndian(UInt64.self, at: first) &>> UInt64(truncatingIfNeeded: bit & 7)
      return word & (1 &<< UInt64(truncatingIfNeeded: width) &- 1)
    }
    return bitsByByte(at: bit, width: width)
  }

  private func bitsByByte(at bit: Int, width: Int) -> UInt64 {
    guard width > 0 else { return 0 }
    var value: UInt64 = 0
    var have = -(bit & 7)
    var at = bit >> 3
    while have < width {
      let byte = UInt64(self[at])
      value |= have < 0 ? byte >> UInt64(-have) : byte << UInt64(have)
      have += 8
      at += 1
    }
    return value & (.max >> UInt64(64 - width))
  }
}

/// Appends numbers of any width to bytes, least significant bit first.
struct BitWriter {
  private(set) var writer = ByteWriter()
  private var word: UInt64 = 0
  private var filled = 0

  /// Adds the `width` lowest bits of `value`, 0 to 64; its others must be zero.
  @inline(__always)
  mutating func append(_ value: UInt64, width: Int) {
    word |= value << UInt64(filled)
    filled += width
    guard filled >= 64 else { return }
    writer.integer(word)
    filled -= 64
    word = filled == 0 ? 0 : value >> UInt64(width - filled)
  }

  /// Ends with zeros up to a whole byte, and gives all bytes to `target`; this is then empty again.
  mutating func finish(into target: inout ByteWriter) {
    while filled > 0 {
      writer.byte(UInt8(truncatingIfNeeded: word))
      word >>= 8
      filled -= 8
    }
    target.bytes += writer.bytes
    writer.bytes.removeAll(keepingCapacity: true)
    word = 0
    filled = 0
  }
}

extension ByteReader {
  /// What `ByteWriter.signedVarint` writes.
  mutating func signedVarint() -> Int64? {
    varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }
}

extension ByteWriter {
  /// A varint of twice the magnitude of `value`, less 1 if that is negative.
  mutating func signedVarint(_ value: Int64) {
    varint(UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}
