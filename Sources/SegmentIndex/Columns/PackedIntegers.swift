package import JournalKit

/// Integers as a straight line and, for each, its distance from it in as few bits as the largest needs.
///
/// Value `i` is `base + i * slope + unit * distance(i)`, all in wrapping 64-bit arithmetic. A constant and an
/// arithmetic progression need no distances at all; times in whole milliseconds have a unit. The bytes:
///
///     u8     bits per distance, 0 to 64; bit 7: slope and unit are there, else they are 0 and 1
///     varint base, twice its magnitude, less 1 if it is negative
///     varint slope, in the same way, and varint unit, if they are there
///     the distances, least significant bit first, padded to a whole byte
package struct PackedIntegers: ~Escapable {
  package let count: Int
  let width: Int
  let base: Int64
  let slope: Int64
  let unit: Int64
  let distances: RawSpan

  /// Reads the description of `count` integers; nil when the bytes are not one. What is read is checked
  /// to be there, not to make sense: any value can come out.
  ///
  /// - Parameter orFewer: whether they are all that is left, and there may be fewer.
  @_lifetime(copy reader)
  package init?(_ reader: inout ByteReader, count: Int, orFewer: Bool = false) {
    guard let head = reader.byte(), head & 0x7f <= 64, let base = reader.signedVarint()
    else { return nil }
    width = Int(head & 0x7f)
    self.base = base
    if head & 0x80 != 0 {
      guard let slope = reader.signedVarint(), let unit = reader.varint() else { return nil }
      self.slope = slope
      self.unit = Int64(bitPattern: unit)
    } else {
      slope = 0
      unit = 1
    }
    let (bits, overflow) = count.multipliedReportingOverflow(by: width)
    guard count >= 0, !overflow, bits <= Int.max - 7 else { return nil }
    if orFewer, (bits + 7) / 8 > reader.remaining {
      guard let distances = reader.span(reader.remaining) else { return nil }
      self.count = distances.byteCount * 8 / width
      self.distances = distances
      return
    }
    guard let distances = reader.span((bits + 7) / 8) else { return nil }
    self.count = count
    self.distances = distances
  }

  /// Whether all are the same, as far as their description says so.
  package var isConstant: Bool { width == 0 && slope == 0 }

  /// The integer at `index`, which must be in range.
  package subscript(index: Int) -> Int64 {
    precondition(index >= 0 && index < count)
    let line = base &+ Int64(truncatingIfNeeded: index) &* slope
    return line &+ Int64(bitPattern: distance(index)) &* unit
  }

  /// The integers of `range`, which must be in range, into the elements of `values` from `start` on.
  ///
  /// The loops for the usual widths load eight bytes at once and take several distances from them; the last few, where
  /// those bytes are not all there, and widths over 57 bits take the slower way.
  @inline(__always)
  package func unpack<T: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, into values: inout [T], at start: Int = 0
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    precondition(start >= 0 && range.count <= values.count - start)
    var output = values.mutableSpan
    let first = range.lowerBound
    var done = 0
    // As many at once as the most of the usual widths allow, and a number that the compiler knows.
    switch width {
    case 1...7: done = unpack(8, from: first, range.count, into: &output, at: start)
    case 8...14: done = unpack(4, from: first, range.count, into: &output, at: start)
    case 15...28: done = unpack(2, from: first, range.count, into: &output, at: start)
    case 29...57: done = unpack(1, from: first, range.count, into: &output, at: start)
    default: break
    }
    for index in done..<range.count {
      output[start + index] = width == 0 ? 0 : T(truncatingIfNeeded: distance(first + index))
    }
    var line = base &+ Int64(truncatingIfNeeded: first) &* slope
    if slope == 0, unit == 1 {
      guard base != 0 else { return }
      let base = T(truncatingIfNeeded: base)
      for index in start..<start + range.count { output[index] &+= base }
      return
    }
    for index in start..<start + range.count {
      let distance = Int64(truncatingIfNeeded: output[index])
      output[index] = T(truncatingIfNeeded: line &+ distance &* unit)
      line &+= slope
    }
  }

  /// Puts the distances from number `first` on, at most `count`, into the elements of `output` from `start` on, and
  /// returns how many: `step` from each eight bytes, where these are all there.
  @inline(__always)
  private func unpack<T: FixedWidthInteger & BitwiseCopyable>(
    _ step: Int, from first: Int, _ count: Int, into output: inout MutableSpan<T>, at start: Int
  ) -> Int {
    let mask = UInt64.max >> UInt64(64 - width)
    let last = (distances.byteCount - 8) * 8
    var done = 0
    var bit = first &* width
    while done + step <= count, bit <= last {
      var word = distances.littleEndian(UInt64.self, at: bit >> 3)
      word &>>= UInt64(truncatingIfNeeded: bit & 7)
      for index in 0..<step {
        output[start &+ done &+ index] = T(truncatingIfNeeded: word & mask)
        word &>>= UInt64(truncatingIfNeeded: width)
      }
      done &+= step
      bit &+= step &* width
    }
    return done
  }

  /// All integers.
  func unpacked<T: FixedWidthInteger & BitwiseCopyable>() -> [T] {
    var values = [T](repeating: 0, count: count)
    unpack(0..<count, into: &values)
    return values
  }

  func distance(_ index: Int) -> UInt64 {
    distances.bits(at: index &* width, width: width)
  }
}

extension ByteWriter {
  /// The values as `PackedIntegers`, with whichever of no slope and the mean slope is shorter.
  package mutating func packedIntegers(_ values: some RandomAccessCollection<Int64>) {
    guard let first = values.first, let last = values.last else {
      return packed(values, Line(base: 0, slope: 0, width: 0), unit: 1)
    }
    var flat = line(values, slope: 0)
    // A unit must save a bit for each value, and some bytes more for itself.
    let unit = flat.width < 4 || values.count < 16 ? 1 : values.commonUnit(base: flat.base)
    flat.width = width(flat, unit)
    let (rise, overflow) = last.subtractingReportingOverflow(first)
    let mean = overflow || values.count < 3 ? 0 : rise / Int64(values.count - 1)
    let slope = mean - mean % unit
    // Only without overflow is each distance from the sloped line a multiple of the unit too.
    if slope != 0, unit == 1 || flat.greatest < 1 << 61 {
      var sloped = line(values, slope: slope)
      sloped.width = width(sloped, unit)
      // A slope costs as much as this many values save by a shorter distance.
      if (flat.width - sloped.width) * values.count > 64 {
        return packed(values, sloped, unit: unit)
      }
    }
    packed(values, flat, unit: unit)
  }

  /// A line that no value is below.
  private struct Line {
    var base: Int64
    var slope: Int64
    /// The bits of the greatest distance from it.
    var width: Int
    var greatest: UInt64 = 0
  }

  private func line(_ values: some RandomAccessCollection<Int64>, slope: Int64) -> Line {
    // Counted from the first value, for what lies near each other may lie near an end of the range.
    let first = values.first ?? 0
    var low = Int64.max
    var high = Int64.min
    var line = first
    for value in values {
      let distance = value &- line
      low = min(low, distance)
      high = max(high, distance)
      line &+= slope
    }
    let greatest = UInt64(bitPattern: high &- low)
    return Line(
      base: low &+ first, slope: slope, width: 64 - greatest.leadingZeroBitCount, greatest: greatest
    )
  }

  private func width(_ line: Line, _ unit: Int64) -> Int {
    64 - (line.greatest / UInt64(unit)).leadingZeroBitCount
  }

  private mutating func packed(
    _ values: some RandomAccessCollection<Int64>, _ line: Line, unit: Int64
  ) {
    let isPlain = line.slope == 0 && unit == 1
    byte(UInt8(line.width) | (isPlain ? 0 : 0x80))
    signedVarint(line.base)
    if !isPlain {
      signedVarint(line.slope)
      varint(UInt64(unit))
    }
    guard line.width > 0 else { return }
    var bits = BitWriter()
    var at = line.base
    for value in values {
      let distance = UInt64(bitPattern: value &- at)
      at &+= line.slope
      bits.append(unit == 1 ? distance : distance / UInt64(unit), width: line.width)
    }
    bits.finish(into: &self)
  }
}

extension RandomAccessCollection<Int64> {
  /// The greatest number that all values less `base` are multiples of.
  func commonUnit(base: Int64) -> Int64 {
    var unit: UInt64 = 0
    for value in self {
      let distance = UInt64(bitPattern: value &- base)
      // Nearly always the unit so far divides the next value too, or there is none.
      if unit != 0, distance % unit == 0 { continue }
      var (left, right) = (unit, distance)
      while right != 0 { (left, right) = (right, left % right) }
      unit = left
      if unit == 1 { break }
    }
    return Int64(exactly: unit).map { Swift.max($0, 1) } ?? 1
  }
}
