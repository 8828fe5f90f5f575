internal import JournalKit

// Adding up numbers by code without listing codes.

/// Numbers of a granule's rows, added up by code.
package struct CodeSums {
  /// The rows without a code first, then those of code 1 and so on.
  package fileprivate(set) var totals: [Int64]
  /// How many rows each is of.
  package fileprivate(set) var counts: [Int]
}

extension Granule {
  /// Adds up those `numbers`, one for each row, whose bits are set in `wanted`, by value: `limit + 1` sums, of rows without
  /// a value first. In wrapping arithmetic.
  func sum(_ numbers: [Int64], ofBits wanted: [UInt64], limit: Int) -> Tally<CodeSums> {
    guard let packed = flatIntegers, packed.width <= 8, limit <= rows.rowCount
    else { return .unfit }
    var sums = CodeSums(
      totals: [Int64](repeating: 0, count: limit + 1),
      counts: [Int](repeating: 0, count: limit + 1))
    let size = 1 << packed.width
    var totals = [Int64](repeating: 0, count: size)
    var counts = [UInt32](repeating: 0, count: size)
    let missing = addUp(numbers, packed, wanted, &totals, &counts)
    sums.totals[0] = missing.total
    sums.counts[0] = missing.count
    for distance in counts.indices where counts[distance] > 0 {
      let value = value(atDistance: distance, in: packed)
      guard value >= 0, value < Int64(limit) else { return .malformed }
      sums.totals[Int(value) + 1] &+= totals[distance]
      sums.counts[Int(value) + 1] += Int(counts[distance])
    }
    return .done(sums)
  }

  /// Adds the numbers of wanted rows to the totals by distance, and returns those of the rows without a value.
  private func addUp(
    _ numbers: [Int64], _ packed: PackedIntegers, _ wanted: [UInt64], _ totals: inout [Int64],
    _ counts: inout [UInt32]
  ) -> (total: Int64, count: Int) {
    var totals = totals.mutableSpan
    var counts = counts.mutableSpan
    let (numbers, wanted) = (numbers.span, wanted.span)
    var missing = (total: 0 as Int64, count: 0)
    var before = 0
    for index in wanted.indices {
      let first = index &* 64
      let present = rows.isFull ? .max : rows.word(index)
      // All are added to those without a value, and taken away where they have one.
      missing.count &+= (wanted[index] & ~present).nonzeroBitCount
      var rest = wanted[index]
      if rest == .max {
        for row in first..<first &+ 64 { missing.total &+= numbers[row] }
      } else {
        while rest != 0 {
          missing.total &+= numbers[first &+ rest.trailingZeroBitCount]
          rest &= rest &- 1
        }
      }
      rest = wanted[index] & present
      // Where all are wanted, each is the next of those that are packed.
      let isNext = rest == present
      var rank = before
      while rest != 0 {
        let bit = rest & (0 &- rest)
        if !isNext { rank = before &+ (present & (bit &- 1)).nonzeroBitCount }
        let distance = Int(truncatingIfNeeded: packed.distance(rank))
        totals[distance] &+= numbers[first &+ rest.trailingZeroBitCount]
        counts[distance] &+= 1
        rank &+= 1
        rest ^= bit
      }
      before &+= present.nonzeroBitCount
    }
    for index in totals.indices { missing.total &-= totals[index] }
    return missing
  }
}
