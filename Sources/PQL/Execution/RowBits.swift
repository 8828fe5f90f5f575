internal import SegmentIndex

/// Some of the rows of a granule, or of anything else that is numbered from 0, such as a run's segments: one bit a row.
struct RowBits: Equatable {
  /// Bits past the last row are zero.
  private(set) var words: [UInt64]

  /// All or none of `count` rows.
  init(count: Int, all: Bool) {
    words = [UInt64](repeating: all ? .max : 0, count: (count + 63) / 64)
    if all, count % 64 != 0 { words[words.count - 1] = 1 << UInt64(count % 64) - 1 }
  }

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// How many rows there are.
  var count: Int { words.setBitCount }

  /// Adds the rows of `other`.
  mutating func formUnion(_ other: RowBits) {
    for index in words.indices { words[index] |= other.words[index] }
  }

  /// Takes away the rows of `other`.
  mutating func subtract(_ other: RowBits) {
    for index in words.indices { words[index] &= ~other.words[index] }
  }

  mutating func removeAll() {
    for index in words.indices { words[index] = 0 }
  }

  /// Keeps the rows that `condition` is true of; it is asked about no others.
  @inline(__always)
  mutating func filter(_ condition: (Int) -> Bool) {
    for index in words.indices {
      var rest = words[index]
      var kept: UInt64 = 0
      while rest != 0 {
        let bit = rest & (~rest &+ 1)
        if condition(index &* 64 &+ rest.trailingZeroBitCount) { kept |= bit }
        rest ^= bit
      }
      words[index] = kept
    }
  }

  /// As `filter`, for conditions that cost nearly nothing and may be asked about any row: no branch depends on which
  /// rows there are.
  @inline(__always)
  mutating func filterBlindly(rowCount: Int, _ condition: (Int) -> Bool) {
    for index in words.indices where words[index] != 0 {
      let first = index &* 64
      var kept: UInt64 = 0
      var bit: UInt64 = 1
      for row in first..<Swift.min(first + 64, rowCount) {
        kept |= condition(row) ? bit : 0
        bit &<<= 1
      }
      words[index] &= kept
    }
  }

  /// Keeps the last `count` rows.
  mutating func keepLast(_ count: Int) {
    var rest = count
    for index in words.indices.reversed() {
      let here = words[index].nonzeroBitCount
      if here <= rest {
        rest -= here
      } else {
        for _ in 0..<here - rest { words[index] &= words[index] &- 1 }
        rest = 0
      }
    }
  }

  /// Whether all rows of `other` are among these.
  func contains(_ other: RowBits) -> Bool {
    words.indices.allSatisfy { other.words[$0] & ~words[$0] == 0 }
  }

  /// The rows, ascending.
  var rows: [Int] { words.setBits }

  /// Calls `body` with each row, ascending.
  @inline(__always)
  func forEachRow(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      if word == .max {
        for row in index &* 64..<index &* 64 &+ 64 { body(row) }
        continue
      }
      var rest = word
      while rest != 0 {
        body(index &* 64 &+ rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }

  /// Keeps the rows whose bit is set; nil keeps all.
  mutating func formIntersection(_ others: [UInt64]?) {
    guard let others else { return }
    for index in words.indices { words[index] &= others[index] }
  }

  mutating func insert(_ row: Int) {
    words[row / 64] |= 1 << UInt64(row % 64)
  }
}

extension RowBits: Sequence {
  /// Gives the rows, ascending. Loops use this rather than closures, which would copy the reader that
  /// they change in each row.
  struct Iterator: IteratorProtocol {
    private let words: [UInt64]
    private var index = 0
    /// The bits of the current word that are still to come.
    private var rest: UInt64

    init(_ words: [UInt64]) {
      self.words = words
      rest = words.first ?? 0
    }

    mutating func next() -> Int? {
      while rest == 0 {
        index += 1
        guard index < words.count else { return nil }
        rest = words[index]
      }
      defer { rest &= rest &- 1 }
      return index &* 64 &+ rest.trailingZeroBitCount
    }
  }

  func makeIterator() -> Iterator { Iterator(words) }
}
