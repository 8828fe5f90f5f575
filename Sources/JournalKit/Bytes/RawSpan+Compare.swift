extension RawSpan {
  /// Whether these are the same bytes as `other`.
  @inlinable
  package func equals(_ other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    guard byteCount >= 8 else { return shortWord == other.shortWord }
    let last = byteCount - 8
    var at = 0
    while at < last {
      if littleEndian(UInt64.self, at: at) != other.littleEndian(UInt64.self, at: at) {
        return false
      }
      at += 8
    }
    // The last eight may overlap the ones before.
    return littleEndian(UInt64.self, at: last) == other.littleEndian(UInt64.self, at: last)
  }

  /// These bytes, at most seven, as one big-endian number.
  @inlinable @inline(__always)
  package var shortWord: UInt64 {
    var word: UInt64 = 0
    var at = 0
    if byteCount & 4 != 0 {
      word = UInt64(littleEndian(UInt32.self, at: 0).byteSwapped)
      at = 4
    }
    if byteCount & 2 != 0 {
      word = word << 16 | UInt64(littleEndian(UInt16.self, at: at).byteSwapped)
      at += 2
    }
    return byteCount & 1 != 0 ? word << 8 | UInt64(self[at]) : word
  }

  /// Whether these bytes are all zero.
  package var isBlank: Bool {
    var at = 0
    while at <= byteCount - 32 {
      let first = littleEndian(UInt64.self, at: at) | littleEndian(UInt64.self, at: at + 8)
      let second = littleEndian(UInt64.self, at: at + 16) | littleEndian(UInt64.self, at: at + 24)
      if first | second != 0 { return false }
      at += 32
    }
    while at < byteCount {
      if self[at] != 0 { return false }
      at += 1
    }
    return true
  }

  /// Whether these bytes come before `other` in lexicographic order.
  @inlinable
  package func precedes(_ other: RawSpan) -> Bool {
    let shared = sharedPrefixCount(with: other)
    guard shared < other.byteCount else { return false }
    return shared == byteCount || self[shared] < other[shared]
  }

  /// How many first bytes these have in common with `other`.
  @inlinable
  package func sharedPrefixCount(with other: RawSpan) -> Int {
    let limit = Swift.min(byteCount, other.byteCount)
    var at = 0
    while at <= limit - 8 {
      let difference =
        littleEndian(UInt64.self, at: at) ^ other.littleEndian(UInt64.self, at: at)
      if difference != 0 { return at + difference.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < limit, self[at] == other[at] { at += 1 }
    return at
  }

  /// A hash of 64 good bits: eight bytes at a time, each step folding a 128-bit product onto itself.
  ///
  /// For tables and sums, not against damage. The same bytes and seed give the same hash for ever.
  @inlinable
  package func hash(seed: UInt64) -> UInt64 {
    @inline(__always)
    func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
      let product = left.multipliedFullWidth(by: right)
      return product.high ^ product.low
    }
    var state = folded(seed ^ 0x9e37_79b9_7f4a_7c15, UInt64(byteCount) ^ 0xe703_7ed1_a0b4_28db)
    var at = 0
    while at <= byteCount - 8 {
      state = folded(state ^ littleEndian(UInt64.self, at: at), 0xa076_1d64_78bd_642f)
      at += 8
    }
    // What is left, as one big-endian number.
    let rest: UInt64
    if byteCount >= 8 {
      let bits = UInt64(truncatingIfNeeded: byteCount &- at) &* 8
      rest = littleEndian(UInt64.self, at: byteCount - 8).byteSwapped & (1 &<< bits &- 1)
    } else {
      rest = shortWord
    }
    return folded(state ^ rest, 0x8ebc_6af0_9c88_c6e3)
  }
}
