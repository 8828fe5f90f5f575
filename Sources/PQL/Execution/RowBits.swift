/// Some of the rows of a granule: one bit a row.
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
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

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

  /// Keeps the rows whose bit is set; nil keeps all.
  mutating func formIntersection(_ others: [UInt64]?) {
    guard let others else { return }
    for index in words.indices { words[index] &= others[index] }
  }

  /// Calls `body` with each row, ascending.
  @inline(__always)
  func forEach(_ body: (Int) -> Void) {
    for index in words.indices {
      var rest = words[index]
      while rest != 0 {
        body(index &* 64 &+ rest.trailingZeroBitCount)
        rest &= rest &- 1
      }
    }
  }
}
