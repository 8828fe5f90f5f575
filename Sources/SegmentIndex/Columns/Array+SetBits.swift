// Sets of small numbers, such as the rows of a granule: one bit each.

extension [UInt64] {
  /// The places of the bits that are set, ascending.
  package var setBits: [Int] {
    var places = [Int](repeating: 0, count: setBitCount)
    var output = places.mutableSpan
    var next = 0
    for index in indices {
      var rest = self[index]
      if rest == .max {
        for place in 0..<64 { output[next &+ place] = index &* 64 &+ place }
        next &+= 64
        continue
      }
      while rest != 0 {
        output[next] = index &* 64 &+ rest.trailingZeroBitCount
        next &+= 1
        rest &= rest &- 1
      }
    }
    return places
  }

  /// How many bits are set.
  @inlinable
  package var setBitCount: Int { reduce(0) { $0 + $1.nonzeroBitCount } }
}
