package import JournalKit

/// Integers as a straight line and, for each, its distance from it in as few bits as the largest needs.
///
/// Value `i` is `base + i * slope + distance(i)`, all in wrapping 64-bit arithmetic. A constant and an
/// arithmetic progression need no distances at all. The bytes:
///
///     u8   bits per distance, 0 to 64; bit 7: a slope follows the base
///     i64  base
///     i64  slope, if any
///     the distances, least significant bit first, padded to a whole byte
package struct PackedIntegers: ~Escapable {
  package let count: Int
  private let width: Int
  private let base: Int64
  private let slope: Int64
  private let distances: RawSpan

  /// Reads the description of `count` integers; nil when the bytes are not one. What is read is checked
  /// to be there, not to make sense: any value can come out.
  @_lifetime(copy reader)
  package init?(_ reader: inout ByteReader, count: Int) {
    guard let head = reader.byte(), head & 0x7f <= 64, let base = reader.integer(Int64.self)
    else { return nil }
    width = Int(head & 0x7f)
    self.base = base
    if head & 0x80 != 0 {
      guard let slope = reader.integer(Int64.self) else { return nil }
      self.slope = slope
    } else {
      slope = 0
    }
    let (bits, overflow) = count.multipliedReportingOverflow(by: width)
    guard count >= 0, !overflow, bits <= Int.max - 7,
      let distances = reader.span((bits + 7) / 8)
    else { return nil }
    self.count = count
    self.distances = distances
  }

  /// The integer at `index`, which must be in range.
  package subscript(index: Int) -> Int64 {
    precondition(index >= 0 && index < count)
    let line = base &+ Int64(truncatingIfNeeded: index) &* slope
    return line &+ Int64(bitPattern: distance(index))
  }

  /// The integers of `range`, which must be in range, into the first elements of `values`.
  ///
  /// The loop for the usual widths loads the eight bytes around a distance at once; the last few, where
  /// those bytes are not all there, and widths over 57 bits take the slower way.
  @inline(__always)
  package func unpack<T: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, into values: inout [T]
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count && range.count <= values.count)
    var output = values.mutableSpan
    let first = range.lowerBound
    var line = base &+ Int64(truncatingIfNeeded: first) &* slope
    if width == 0 {
      for index in 0..<range.count {
        output[index] = T(truncatingIfNeeded: line)
        line &+= slope
      }
      return
    }
    var fast = 0
    if width <= 57, distances.byteCount >= 8 {
      fast = min(range.count, max(0, ((distances.byteCount - 8) * 8 + 7) / width + 1 - first))
    }
    let mask = UInt64.max >> UInt64(64 - width)
    var bit = first &* width
    for index in 0..<fast {
      let word = distances.littleEndian(UInt64.self, at: bit >> 3)
      let distance = (word &>> UInt64(truncatingIfNeeded: bit & 7)) & mask
      output[index] = T(truncatingIfNeeded: line &+ Int64(bitPattern: distance))
      line &+= slope
      bit &+= width
    }
    for index in fast..<range.count {
      let distance = Int64(bitPattern: distance(first + index))
      output[index] = T(truncatingIfNeeded: line &+ distance)
      line &+= slope
    }
  }

  private func distance(_ index: Int) -> UInt64 {
    guard width > 0 else { return 0 }
    let bit = index * width
    var value: UInt64 = 0
    var have = -(bit & 7)
    var at = bit >> 3
    while have < width {
      let byte = UInt64(distances[at])
      value |= have < 0 ? byte >> UInt64(-have) : byte << UInt64(have)
      have += 8
      at += 1
    }
    return value & (UInt64.max >> UInt64(64 - width))
  }
}

extension ByteWriter {
  /// The values as `PackedIntegers`, with whichever of no slope and the mean slope is shorter.
  package mutating func packedIntegers(_ values: some RandomAccessCollection<Int64>) {
    guard let first = values.first, let last = values.last else { return packed(values, base: 0) }
    let flat = distanceBounds(values, slope: 0)
    let (rise, overflow) = last.subtractingReportingOverflow(first)
    let slope = overflow || values.count < 3 ? 0 : rise / Int64(values.count - 1)
    if slope != 0 {
      let sloped = distanceBounds(values, slope: slope)
      // A slope costs as much as this many values save by a shorter distance.
      let saved = (flat.width - sloped.width) * values.count
      if saved > 64 { return packed(values, base: sloped.base, slope: slope, width: sloped.width) }
    }
    packed(values, base: flat.base, width: flat.width)
  }

  /// The lowest base, and the bits for the longest distance, along a line of `slope`.
  private func distanceBounds(
    _ values: some RandomAccessCollection<Int64>, slope: Int64
  ) -> (base: Int64, width: Int) {
    var low = Int64.max
    var high = Int64.min
    var line: Int64 = 0
    for value in values {
      let distance = value &- line
      low = min(low, distance)
      high = max(high, distance)
      line &+= slope
    }
    return (low, 64 - UInt64(bitPattern: high &- low).leadingZeroBitCount)
  }

  private mutating func packed(
    _ values: some RandomAccessCollection<Int64>, base: Int64, slope: Int64 = 0, width: Int = 0
  ) {
    byte(UInt8(width) | (slope == 0 ? 0 : 0x80))
    integer(base)
    if slope != 0 { integer(slope) }
    guard width > 0 else { return }
    var line = base
    var word: UInt64 = 0
    var filled = 0
    for value in values {
      let distance = UInt64(bitPattern: value &- line)
      line &+= slope
      word |= distance << UInt64(filled)
      filled += width
      if filled >= 64 {
        integer(word)
        filled -= 64
        word = filled == 0 ? 0 : distance >> UInt64(width - filled)
      }
    }
    while filled > 0 {
      byte(UInt8(truncatingIfNeeded: word))
      word >>= 8
      filled -= 8
    }
  }
}
