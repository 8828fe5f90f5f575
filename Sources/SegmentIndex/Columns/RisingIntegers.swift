package import JournalKit

/// Integers none of which is less than the one before: the code of Elias and Fano.
///
/// Value `i` is `base + unit * q(i)`. The low bits of each `q` are kept as they are. The high bits, as a number `h(i)`,
/// are kept as bit `h(i) + i` of a row of bits, so that together they take about two bits for each integer. The bytes:
///
///     varint base, twice its magnitude, less 1 if it is negative
///     varint unit
///     u8     low bits of each, 0 to 63
///     the low bits, least significant bit first, padded to a whole byte
///     the row of bits, least significant bit first, padded to a whole byte, to the end of the block
package struct RisingIntegers: ~Escapable {
  package let count: Int
  private let base: Int64
  private let unit: Int64
  private let width: Int
  private let lows: RawSpan
  private let highs: RawSpan

  /// Reads the description of `count` integers from all that is left; nil when the bytes are not one.
  @_lifetime(copy reader)
  package init?(_ reader: inout ByteReader, count: Int) {
    guard let base = reader.signedVarint(), let unit = reader.varint(), let width = reader.byte(),
      width <= 63
    else { return nil }
    let (bits, overflow) = count.multipliedReportingOverflow(by: Int(width))
    guard count >= 0, !overflow, bits <= Int.max - 7, let lows = reader.span((bits + 7) / 8),
      let highs = reader.span(reader.remaining)
    else { return nil }
    self.count = count
    self.base = base
    self.unit = Int64(bitPattern: unit)
    self.width = Int(width)
    self.lows = lows
    self.highs = highs
    guard highs.bitCount(atWord: 0..<(highs.byteCount + 7) / 8) == count else { return nil }
  }

  /// The integers of `range`, which must be in range, into the elements of `values` from `start` on.
  @inline(__always)
  package func unpack<T: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, into values: inout [T], at start: Int = 0
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    precondition(start >= 0 && range.count <= values.count - start)
    guard !range.isEmpty else { return }
    var output = values.mutableSpan
    // The word with the bit of the first one, and how many come before that word.
    var index = 0
    var before = 0
    var word = highs.word(0)
    while before + word.nonzeroBitCount <= range.lowerBound {
      before += word.nonzeroBitCount
      index += 1
      word = highs.word(index)
    }
    for _ in before..<range.lowerBound { word &= word &- 1 }
    var low = range.lowerBound &* width
    for at in range {
      while word == 0 {
        index += 1
        word = highs.word(index)
      }
      let high = UInt64(truncatingIfNeeded: index &* 64 &+ word.trailingZeroBitCount &- at)
      word &= word &- 1
      let quotient = high &<< UInt64(truncatingIfNeeded: width) | lows.bits(at: low, width: width)
      low &+= width
      let value = base &+ unit &* Int64(bitPattern: quotient)
      output[start &+ at &- range.lowerBound] = T(truncatingIfNeeded: value)
    }
  }

  /// Finds single integers, each after the one before.
  package struct Finder {
    fileprivate var word = 0
    /// How many integers come before that word's.
    fileprivate var before = 0

    package init() {}
  }

  /// The integer at `index`, which must be in range and not before the finder's last one.
  @inline(__always)
  package func integer(at index: Int, _ finder: inout Finder) -> Int64 {
    precondition(index >= finder.before && index < count)
    // Eight words have the bits of 512 integers at most, and are counted together sooner than one by one.
    while index - finder.before >= 512 {
      finder.before += highs.bitCount(atWord: finder.word..<finder.word + 8)
      finder.word += 8
    }
    var word = highs.word(finder.word)
    while finder.before + word.nonzeroBitCount <= index {
      finder.before += word.nonzeroBitCount
      finder.word += 1
      word = highs.word(finder.word)
    }
    for _ in finder.before..<index { word &= word &- 1 }
    let place = finder.word &* 64 &+ word.trailingZeroBitCount
    let high = UInt64(truncatingIfNeeded: place &- index)
    let low = lows.bits(at: index &* width, width: width)
    let quotient = high &<< UInt64(truncatingIfNeeded: width) | low
    return base &+ unit &* Int64(bitPattern: quotient)
  }

  /// The index of the first integer from `start` on that is not below `value`, or how many there are. `start` must not be
  /// before the finder's last one.
  package func firstIndex(
    notBelow value: Int64, from start: Int, _ finder: inout Finder
  ) -> Int {
    precondition(start >= finder.before)
    var index = start
    // No integer of a word has higher bits than how many bits are clear up to that word's end.
    if value > base, unit > 0 {
      let high = (UInt64(bitPattern: value &- base) / UInt64(unit)) >> UInt64(width)
      while finder.word + 1 < (highs.byteCount + 7) / 8 {
        let after = finder.before + highs.word(finder.word).nonzeroBitCount
        guard UInt64((finder.word + 1) * 64 - after) < high else { break }
        finder.before = after
        finder.word += 1
      }
      index = max(index, finder.before)
    }
    while index < count, integer(at: index, &finder) < value { index += 1 }
    return index
  }
}

extension ByteWriter {
  /// The values, of which none may be less than the one before, as `RisingIntegers`; writes nothing and returns false
  /// when one is, or when they are too far apart.
  package mutating func risingIntegers(_ values: [Int64]) -> Bool {
    guard let first = values.first, let last = values.last, values.count >= 16 else { return false }
    let (range, overflow) = last.subtractingReportingOverflow(first)
    guard !overflow, range >= 0 else { return false }
    for index in 1..<values.count where values[index] < values[index - 1] { return false }
    let unit = UInt64(max(1, values.commonUnit(base: first)))
    let mean = UInt64(range) / unit / UInt64(values.count)
    let width = mean == 0 ? 0 : 63 - mean.leadingZeroBitCount
    signedVarint(first)
    varint(unit)
    byte(UInt8(width))
    var lows = BitWriter()
    let highest = Int((UInt64(range) / unit) >> UInt64(width))
    var highs = [UInt8](repeating: 0, count: (highest + values.count + 7) / 8)
    for (index, value) in values.enumerated() {
      let distance = UInt64(value - first)
      let quotient = unit == 1 ? distance : distance / unit
      lows.append(quotient & (1 << UInt64(width) - 1), width: width)
      let bit = Int(quotient >> UInt64(width)) + index
      highs[bit / 8] |= 1 << UInt8(bit % 8)
    }
    lows.finish(into: &self)
    bytes += highs
    return true
  }
}
