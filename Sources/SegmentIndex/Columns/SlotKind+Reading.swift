internal import JournalKit

extension RawSpan {
  /// The number of a slot whose text begins at `start`, which is in bounds, and where that ends; nil when what is there
  /// is not what the slot's kind makes of any number.
  @inline(__always)
  func number(_ kind: SlotKind, at start: Int) -> (UInt64, end: Int)? {
    switch kind {
    case .number:
      let (value, end) = decimalPrefix(from: start, limit: SlotKind.maximumDigitCount)
      return end > start && isCanonical(start, end) ? (value, end) : nil
    case .digits(let count):
      let (value, end) = decimalPrefix(from: start, limit: count)
      return end == start + count ? (value, end) : nil
    case .hex(let count): return hexadecimalPrefix(from: start, count, letter: UInt8(ascii: "a"))
    case .upperHex(let count):
      return hexadecimalPrefix(from: start, count, letter: UInt8(ascii: "A"))
    case .scaled:
      let (whole, point) = decimalPrefix(from: start, limit: SlotKind.maximumScale)
      guard point > start, isCanonical(start, point) else { return nil }
      guard point + 1 < byteCount, self[point] == UInt8(ascii: ".") else {
        return (whole << 4, point)
      }
      let limit = SlotKind.maximumScale - (point - start)
      let (rest, end) = decimalPrefix(from: point + 1, limit: limit)
      let scale = end - point - 1
      guard scale > 0 else { return (whole << 4, point) }
      return ((whole * wholePowersOfTen[scale] + rest) << 4 | UInt64(scale), end)
    case .fraction, .text: return nil
    }
  }

  /// Whether digits have no zero before others.
  @inline(__always)
  private func isCanonical(_ start: Int, _ end: Int) -> Bool {
    self[start] != UInt8(ascii: "0") || end == start + 1
  }

  /// The value of the decimal digits from `start` on, at most `limit` of them, and where they end.
  @inline(__always)
  private func decimalPrefix(from start: Int, limit: Int) -> (UInt64, end: Int) {
    var value: UInt64 = 0
    var at = start
    if start <= byteCount - 8, limit >= 8 {
      let (count, first) = digits(at: start)
      if count < 8 { return (first, start + count) }
      (value, at) = (first, start + 8)
    }
    let stop = Swift.min(byteCount, start + limit)
    while at < stop {
      let digit = self[at] &- 0x30
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      at += 1
    }
    return (value, at)
  }

  /// The value of `count` hexadecimal digits at `start`, whose letters begin with `letter`; nil when there are others.
  @inline(__always)
  private func hexadecimalPrefix(
    from start: Int, _ count: Int, letter: UInt8
  ) -> (UInt64, end: Int)? {
    guard count <= byteCount - start else { return nil }
    var value: UInt64 = 0
    var others: UInt8 = 0
    // Digits and letters come at random: there is no branch on them, which no processor could foresee.
    for at in start..<start + count {
      let byte = self[at]
      others |= (byte &- 0x30 < 10 ? 0 : 1) & (byte &- letter < 6 ? 0 : 1)
      value = value << 4 | UInt64(byte & 15 &+ 9 &* (byte >> 6))
    }
    return others == 0 ? (value, start + count) : nil
  }
}
