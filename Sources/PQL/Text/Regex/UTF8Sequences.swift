/// The encodings of sets of scalars.
package enum UTF8Sequences {
  /// Sequences of ranges of bytes, in ascending order, that together are the encodings of the set. At any
  /// depth the ranges of two sequences that agree before it are the same or apart.
  package static func of(_ set: ScalarSet) -> [[ClosedRange<UInt8>]] {
    var sequences: [[ClosedRange<UInt8>]] = []
    for range in set.ranges {
      // All scalars of one piece have encodings of one length.
      for length in [0...0x7f, 0x80...0x7ff, 0x800...0xffff, 0x1_0000...0x10_ffff]
        as [ClosedRange<UInt32>]
      where range.overlaps(length) {
        add(range.clamped(to: length), &sequences)
      }
    }
    return sequences
  }

  /// Adds the encodings of scalars whose encodings have one length.
  ///
  /// A product of byte ranges covers a range of scalars only if, wherever the bounds differ, all lower
  /// bytes run through all their values; otherwise the range is cut where they begin to.
  private static func add(
    _ range: ClosedRange<UInt32>, _ sequences: inout [[ClosedRange<UInt8>]]
  ) {
    let (low, high) = (range.lowerBound, range.upperBound)
    let (first, last) = (encoded(low), encoded(high))
    for count in stride(from: 1, to: first.count, by: 1) {
      let mask = UInt32(1) << UInt32(6 * count) - 1
      guard low & ~mask != high & ~mask else { continue }
      if low & mask != 0 {
        add(low...low | mask, &sequences)
        add((low | mask) + 1...high, &sequences)
        return
      }
      if high & mask != mask {
        add(low...(high & ~mask) - 1, &sequences)
        add(high & ~mask...high, &sequences)
        return
      }
    }
    sequences.append(zip(first, last).map { $0...$1 })
  }

  private static func encoded(_ value: UInt32) -> [UInt8] {
    // A set has no surrogates.
    Unicode.Scalar(value).flatMap(UTF8.encode).map { Array($0) } ?? []
  }
}
