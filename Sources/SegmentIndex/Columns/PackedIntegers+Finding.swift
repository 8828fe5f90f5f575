internal import JournalKit

extension PackedIntegers {
  /// Calls `body` with the index of each integer that is `value`, ascending.
  @inline(__always)
  package func forEachIndex(of value: Int64, _ body: (Int) -> Void) {
    guard let fields = Fields(width: width), slope == 0, unit > 0 else {
      for index in 0..<count where self[index] == value { body(index) }
      return
    }
    let (sought, rest) = UInt64(bitPattern: value &- base)
      .quotientAndRemainder(dividingBy: UInt64(unit))
    guard rest == 0, sought <= fields.greatest else { return }
    let pattern = sought &* fields.ones
    forEachIndex(fields, { fields.zeros($0 ^ pattern) }, body)
  }

  /// Calls `body` with the index of each integer that is in `range`, ascending.
  @inline(__always)
  package func forEachIndex(in range: ClosedRange<Int64>, _ body: (Int) -> Void) {
    // In steps of one distances from the base order as the integers do; what is below the base no integer is.
    guard let fields = Fields(width: width), slope == 0, unit == 1,
      case (let greatest, let overflow) = base.addingReportingOverflow(Int64(fields.greatest)),
      !overflow
    else {
      for index in 0..<count where range.contains(self[index]) { body(index) }
      return
    }
    guard range.lowerBound <= greatest, range.upperBound >= base else { return }
    let first = UInt64(Swift.max(range.lowerBound, base) &- base) &* fields.ones
    let last = UInt64(Swift.min(range.upperBound, greatest) &- base) &* fields.ones
    forEachIndex(
      fields, { fields.notBelow($0, first) & fields.notBelow(last, $0) }, body)
  }

  /// Calls `body` with the index of each integer for whose distance `mark` sets the topmost bit.
  ///
  /// Distances are compared as they are packed, all that a load of eight bytes has at once.
  ///
  /// - Parameter mark: for fields that hold distances, the topmost bits of those that are meant.
  @inline(__always)
  private func forEachIndex(
    _ fields: Fields, _ mark: (UInt64) -> UInt64, _ body: (Int) -> Void
  ) {
    // For the quotients of a division by `width` of what is below 64.
    let inverse = 65_536 / width + 1
    let last = (distances.byteCount - 8) * 8
    var index = 0
    var bit = 0
    while index + fields.count <= count, bit <= last {
      let word = distances.littleEndian(UInt64.self, at: bit >> 3)
      var marks = mark(word &>> UInt64(truncatingIfNeeded: bit & 7) & fields.all)
      while marks != 0 {
        body(index &+ (marks.trailingZeroBitCount &* inverse) &>> 16)
        marks &= marks &- 1
      }
      index &+= fields.count
      bit &+= fields.count &* width
    }
    while index < count {
      if mark(distance(index)) & fields.firstTop != 0 { body(index) }
      index += 1
    }
  }
}

/// Numbers of so many bits side by side in one of 64, as many as fit 57 bits.
private struct Fields {
  let count: Int
  /// The greatest number of a field.
  let greatest: UInt64
  /// All bits of all fields.
  let all: UInt64
  /// The lowest bit of each.
  let ones: UInt64
  /// The topmost bit of each.
  let tops: UInt64
  /// The topmost bit of the first.
  let firstTop: UInt64

  /// Nil when there are none of this width.
  init?(width: Int) {
    guard width > 0, width <= 57 else { return nil }
    count = 57 / width
    greatest = .max >> UInt64(64 - width)
    all = .max >> UInt64(64 - count * width)
    var ones: UInt64 = 0
    for field in 0..<count { ones |= 1 << UInt64(field * width) }
    self.ones = ones
    firstTop = 1 << UInt64(width - 1)
    tops = ones << UInt64(width - 1)
  }

  /// The topmost bits of the fields that are zero.
  @inline(__always)
  func zeros(_ word: UInt64) -> UInt64 {
    let lows = all ^ tops
    // The topmost bit of a field stays clear only if all of its bits are.
    return ~(((word & lows) &+ lows) | word) & tops
  }

  /// The topmost bits of the fields that are not below those of `other`.
  @inline(__always)
  func notBelow(_ word: UInt64, _ other: UInt64) -> UInt64 {
    // No field borrows from the next: its topmost bit, set before, says whether the rest is below. Where the topmost
    // bits differ they decide.
    let rest = (word | tops) &- (other & ~tops)
    return ((word & ~other) | (~(word ^ other) & rest)) & tops
  }
}
