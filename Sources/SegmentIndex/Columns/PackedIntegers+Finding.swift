internal import JournalKit

extension PackedIntegers {
  /// One bit for each integer, from `words` word `first` on: set where the integer is `value`. Bits that are set already
  /// stay so.
  package func setBits(of value: Int64, in words: inout [UInt64], atWord first: Int = 0) {
    guard let fields = Fields.ofWidth[width], slope == 0, unit > 0 else {
      return setBits(in: &words, atWord: first) { $0 == value }
    }
    let (sought, rest) = UInt64(bitPattern: value &- base)
      .quotientAndRemainder(dividingBy: UInt64(unit))
    guard rest == 0, sought <= fields.greatest else { return }
    if width < FieldWord.ofWidth.count, let word = FieldWord.ofWidth[width] {
      let pattern = sought &* word.ones
      return setBits(word, in: &words, atWord: first) { word.zeros($0 ^ pattern) }
    }
    let pattern = sought &* fields.ones
    setFewBits(fields, in: &words, atWord: first) { fields.zeros($0 ^ pattern) }
  }

  /// The same where the integer is in `range`.
  package func setBits(in range: ClosedRange<Int64>, of words: inout [UInt64]) {
    // In steps of one distances from the base order as the integers do; what is below the base no integer is.
    guard let fields = Fields.ofWidth[width], slope == 0, unit == 1,
      case (let greatest, let overflow) = base.addingReportingOverflow(Int64(fields.greatest)),
      !overflow
    else {
      return setBits(in: &words, atWord: 0) { range.contains($0) }
    }
    guard range.lowerBound <= greatest, range.upperBound >= base else { return }
    let lowest = UInt64(Swift.max(range.lowerBound, base) &- base)
    let highest = UInt64(Swift.min(range.upperBound, greatest) &- base)
    let isOpen = range.upperBound >= greatest
    if width < FieldWord.ofWidth.count, let word = FieldWord.ofWidth[width] {
      let (first, last) = (lowest &* word.ones, highest &* word.ones)
      if isOpen { return setBits(word, in: &words, atWord: 0) { word.notBelow($0, first) } }
      return setBits(word, in: &words, atWord: 0) {
        word.notBelow($0, first) & word.notBelow(last, $0)
      }
    }
    let first = lowest &* fields.ones
    let last = highest &* fields.ones
    if isOpen {
      setBits(fields, in: &words, atWord: 0) { fields.notBelow($0, first) }
    } else {
      setBits(fields, in: &words, atWord: 0) {
        fields.notBelow($0, first) & fields.notBelow(last, $0)
      }
    }
  }

  private func setBits(in words: inout [UInt64], atWord first: Int, _ isMeant: (Int64) -> Bool) {
    for index in 0..<count where isMeant(self[index]) {
      words[first + index / 64] |= 1 << UInt64(index % 64)
    }
  }

  /// Sets the bit of each integer for whose distance `mark` sets the topmost bit, of which most loads have none: one by
  /// one.
  @inline(__always)
  private func setFewBits(
    _ fields: Fields, in words: inout [UInt64], atWord first: Int, _ mark: (UInt64) -> UInt64
  ) {
    precondition(first >= 0 && (count + 63) / 64 <= words.count - first)
    var output = words.mutableSpan
    // For the quotients of a division by `width` of what is below 64.
    let inverse = 65_536 / width + 1
    let last = (distances.byteCount - 8) * 8
    var index = 0
    var bit = 0
    while index + fields.count <= count, bit <= last {
      let word = distances.littleEndian(UInt64.self, at: bit >> 3)
      var marks = mark(word &>> UInt64(truncatingIfNeeded: bit & 7) & fields.all)
      while marks != 0 {
        let place = index &+ (marks.trailingZeroBitCount &* inverse) &>> 16
        output[first &+ place / 64] |= 1 << UInt64(place % 64)
        marks &= marks &- 1
      }
      index &+= fields.count
      bit &+= fields.count &* width
    }
    setLastBits(from: index, fields, of: &output, atWord: first, mark)
  }

  /// Sets the bit of each integer for whose distance `mark` sets the topmost bit.
  ///
  /// Distances are compared as they are packed, all that a load of eight bytes has at once, and their marks are moved
  /// together: no branch depends on which integers are meant.
  ///
  /// - Parameter mark: for fields that hold distances, the topmost bits of those that are meant.
  @inline(__always)
  private func setBits(
    _ fields: Fields, in words: inout [UInt64], atWord first: Int, _ mark: (UInt64) -> UInt64
  ) {
    precondition(first >= 0 && (count + 63) / 64 <= words.count - first)
    var output = words.mutableSpan
    let last = (distances.byteCount - 8) * 8
    var index = 0
    var bit = 0
    // Bits that do not fill a word yet, and how many.
    var (pending, filled, next) = (0 as UInt64, 0, first)
    while index + fields.count <= count, bit <= last {
      let word = distances.littleEndian(UInt64.self, at: bit >> 3)
      let bits = fields.together(mark(word &>> UInt64(truncatingIfNeeded: bit & 7) & fields.all))
      pending |= bits &<< UInt64(truncatingIfNeeded: filled)
      filled &+= fields.count
      if filled >= 64 {
        output[next] |= pending
        next &+= 1
        filled &-= 64
        // None are left of those shifted by as many as there are.
        pending = bits >> UInt64(truncatingIfNeeded: fields.count &- filled)
      }
      index &+= fields.count
      bit &+= fields.count &* width
    }
    if filled > 0 { output[next] |= pending }
    setLastBits(from: index, fields, of: &output, atWord: first, mark)
  }

  /// The same one by one for the integers from `start` on, which no load of eight bytes has.
  @inline(__always)
  private func setLastBits(
    from start: Int, _ fields: Fields, of output: inout MutableSpan<UInt64>, atWord first: Int,
    _ mark: (UInt64) -> UInt64
  ) {
    for index in start..<count where mark(distance(index)) & fields.firstTop != 0 {
      output[first + index / 64] |= 1 << UInt64(index % 64)
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
  /// How far, in turn, marks are moved together, and which.
  private let moves: (Move, Move, Move)

  /// Which bit of a field is its topmost.
  private let topmost: UInt64

  private typealias Move = (distance: UInt64, marks: UInt64)

  /// Those of each width; nil when there are none.
  static let ofWidth = (0...64).map { Fields(width: $0) }

  private init?(width: Int) {
    guard width > 0, width <= 57 else { return nil }
    count = 57 / width
    greatest = .max >> UInt64(64 - width)
    all = .max >> UInt64(64 - count * width)
    var ones: UInt64 = 0
    for field in 0..<count { ones |= 1 << UInt64(field * width) }
    self.ones = ones
    firstTop = 1 << UInt64(width - 1)
    tops = ones << UInt64(width - 1)
    let fieldCount = count
    // Turn by turn twice as many neighbours lie together: each second group moves to the one before it.
    func move(_ turn: Int) -> Move {
      let size = 1 << turn
      var marks: UInt64 = 0
      for field in 0..<fieldCount where field & size != 0 {
        marks |= 1 << UInt64(field * width - (width - 1) * (field & (size - 1)))
      }
      return (marks == 0 ? 0 : UInt64((width - 1) * size), marks)
    }
    moves = (move(0), move(1), move(2))
    topmost = UInt64(width - 1)
  }

  /// The topmost bits of the fields one after another, where no other bits are set; of widths over 8, of which there are at
  /// most six.
  @inline(__always)
  func together(_ marks: UInt64) -> UInt64 {
    var bits = marks &>> topmost
    bits = bits & ~moves.0.marks | (bits & moves.0.marks) &>> moves.0.distance
    bits = bits & ~moves.1.marks | (bits & moves.1.marks) &>> moves.1.distance
    return bits & ~moves.2.marks | (bits & moves.2.marks) &>> moves.2.distance
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
