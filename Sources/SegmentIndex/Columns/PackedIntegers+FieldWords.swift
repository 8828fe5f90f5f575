internal import JournalKit

// Finding short distances, all of them side by side: no branch depends on which integers are meant.

extension PackedIntegers {
  /// Sets the bit of each integer for whose distance `mark` sets the topmost bit, from word `first` on.
  @inline(__always)
  func setBits(
    _ word: FieldWord, in words: inout [UInt64], atWord first: Int, _ mark: (UInt64) -> UInt64
  ) {
    let wordCount = (count + 63) / 64
    precondition(first >= 0 && wordCount <= words.count - first)
    // Steps that touch nothing but the elements of an array become vector instructions.
    var fields = [UInt64](repeating: 0, count: wordCount * (64 / word.fieldCount))
    load(into: &fields, stride: word.fieldCount * width / 8)
    var marks = fields.mutableSpan
    for index in marks.indices { marks[index] = word.together(mark(marks[index])) }
    let rest = UInt64(count % 64)
    let last = rest == 0 ? UInt64.max : 1 << rest - 1
    var output = words.mutableSpan
    for index in 0..<wordCount {
      let bits =
        word.fieldCount == 16
        ? Self.joined(marks, index &* 4, 16)
        : Self.joined(marks, index &* 8, 8) | Self.joined(marks, index &* 8 &+ 4, 8) &<< 32
      output[first &+ index] |= index == wordCount - 1 ? bits & last : bits
    }
  }

  /// Fills `fields` with eight bytes of distances each, which begin so many bytes apart; those that are not there are zero.
  @inline(__always)
  private func load(into fields: inout [UInt64], stride: Int) {
    var output = fields.mutableSpan
    var start = 0
    for index in output.indices {
      if start <= distances.byteCount - 8 {
        output[index] = distances.littleEndian(UInt64.self, at: start)
      } else {
        for at in start..<max(start, distances.byteCount) {
          output[index] |= UInt64(distances[at]) << UInt64((at - start) * 8)
        }
      }
      start &+= stride
    }
  }

  /// Four numbers of `width` bits as one.
  @inline(__always)
  private static func joined(
    _ numbers: borrowing MutableSpan<UInt64>, _ first: Int, _ width: UInt64
  ) -> UInt64 {
    numbers[first] | numbers[first &+ 1] &<< width | numbers[first &+ 2] &<< (2 &* width)
      | numbers[first &+ 3] &<< (3 &* width)
  }
}

/// Numbers of up to eight bits side by side in a word: as many as whole bytes hold, so that each word begins with one.
struct FieldWord {
  /// How many numbers are in a word, 8 or 16.
  let fieldCount: Int
  /// The lowest bit of each field.
  let ones: UInt64
  /// The topmost bit of each, and all others.
  private let tops: UInt64
  private let lows: UInt64
  /// Which bit of a field is its topmost: so far, and twice as far turn by turn, marks are moved together.
  private let topmost: UInt64
  /// The bits that marks have after each turn.
  private let masks: (UInt64, UInt64, UInt64, UInt64)

  /// Those of each width up to 8; nil for 0.
  static let ofWidth = (0...8).map { FieldWord(width: $0) }

  private init?(width: Int) {
    guard width > 0 else { return nil }
    let fieldCount = width <= 4 ? 16 : 8
    self.fieldCount = fieldCount
    var ones: UInt64 = 0
    for field in 0..<fieldCount { ones |= 1 << UInt64(field * width) }
    self.ones = ones
    tops = ones << UInt64(width - 1)
    lows = ones &* (1 << UInt64(width) - 1) ^ tops
    topmost = UInt64(width - 1)
    func mask(_ turn: Int) -> UInt64 {
      // Twice as many neighbours as before, in each second group.
      let size = min(2 << turn, fieldCount)
      var mask: UInt64 = 0
      for field in Swift.stride(from: 0, to: fieldCount, by: size) {
        mask |= (1 << UInt64(size) - 1) << UInt64(field * width)
      }
      return mask
    }
    masks = (mask(0), mask(1), mask(2), mask(3))
  }

  /// The topmost bits of the fields, where no other bits are set, one after another.
  @inline(__always)
  func together(_ marks: UInt64) -> UInt64 {
    // The last turn does nothing where there are eight.
    var bits = marks &>> topmost
    bits = (bits | bits &>> topmost) & masks.0
    bits = (bits | bits &>> (topmost &* 2)) & masks.1
    bits = (bits | bits &>> (topmost &* 4)) & masks.2
    return (bits | bits &>> (topmost &* 8)) & masks.3
  }

  /// The topmost bits of the fields that are zero.
  @inline(__always)
  func zeros(_ word: UInt64) -> UInt64 {
    // The topmost bit of a field stays clear only if all of its bits are.
    ~(((word & lows) &+ lows) | word) & tops
  }

  /// The topmost bits of the fields that are not below those of `other`.
  @inline(__always)
  func notBelow(_ word: UInt64, _ other: UInt64) -> UInt64 {
    // No field borrows from the next: its topmost bit, set before, says whether the rest is below. Where the topmost
    // bits differ they decide.
    let rest = (word | tops) &- (other & lows)
    return ((word & ~other) | (~(word ^ other) & rest)) & tops
  }
}
