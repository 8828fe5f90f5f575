internal import JournalKit

// Many rows of a granule, as bits: no branch depends on which of them have a value.

extension Granule {
  /// Calls `body` for each row whose bit is set in `wanted`, in order: with the row, its value, and a mask for that, which
  /// is 0 for rows without one. False when a value names no place in the table.
  @inline(__always)
  func forEachValue(ofBits wanted: [UInt64], _ body: (Int, UInt64, UInt64) -> Void) -> Bool {
    // What is read for a row without a value is any other's.
    let last = rows.count - 1
    guard last >= 0 else {
      forEachRank(ofBits: wanted) { row, _, _ in body(row, 0, 0) }
      return true
    }
    switch values {
    case .packed(let values):
      forEachRank(ofBits: wanted) { row, rank, mask in
        body(row, UInt64(bitPattern: values[Swift.min(rank, last)]), mask)
      }
    case .rising(let values):
      var finder = RisingIntegers.Finder()
      forEachRank(ofBits: wanted) { row, rank, mask in
        let value = values.integer(at: Swift.min(rank, last), &finder)
        body(row, UInt64(bitPattern: value), mask)
      }
    case .places(let places, let distinct):
      let table: [Int64] = distinct.unpacked()
      let span = table.span
      var isSound = true
      forEachRank(ofBits: wanted) { row, rank, mask in
        let place = places[Swift.min(rank, last)]
        guard place >= 0, place < Int64(span.count) else {
          isSound = isSound && mask == 0
          return body(row, 0, 0)
        }
        body(row, UInt64(bitPattern: span[Int(place)]), mask)
      }
      return isSound
    }
    return true
  }

  /// Calls `body` for each row whose bit is set in `wanted`: with the row, how many before it have a value, and a mask of
  /// ones if it has one, else of zeros.
  @inline(__always)
  private func forEachRank(ofBits wanted: [UInt64], _ body: (Int, Int, UInt64) -> Void) {
    let wanted = wanted.span
    if rows.isFull {
      for index in wanted.indices {
        var rest = wanted[index]
        while rest != 0 {
          let row = index &* 64 &+ rest.trailingZeroBitCount
          body(row, row, .max)
          rest &= rest &- 1
        }
      }
      return
    }
    var before = 0
    for index in wanted.indices {
      let present = rows.word(index)
      var rest = wanted[index]
      while rest != 0 {
        let place = rest.trailingZeroBitCount
        let bit = rest & (0 &- rest)
        let rank = before &+ (present & (bit &- 1)).nonzeroBitCount
        let mask = 0 &- (present &>> UInt64(truncatingIfNeeded: place) & 1)
        body(index &* 64 &+ place, rank, mask)
        rest ^= bit
      }
      before &+= present.nonzeroBitCount
    }
  }
}
