internal import SegmentIndex

extension GranuleReader {
  /// Makes `list` the codes of rows of the current granule, in order, in a slot of terms.
  mutating func list(
    codesOf slot: Int, _ rows: RowBits, into list: inout [UInt32]
  ) throws(SegmentError) {
    guard case .terms(let column) = slots[slot].source else {
      preconditionFailure("only terms have codes")
    }
    // A row that is found on its own costs about three times as much as one of all.
    let count = rows.count
    if slots[slot].granule != granule, count <= segment.rows(ofGranule: granule).count / 3 {
      noteRead(slot)
      return try column.list(codesOf: rows.words, granule: granule, into: &list)
    }
    try load(slot, rows)
    list.resize(to: count)
    let codes = slots[slot].codes
    let span = codes.span
    var output = list.mutableSpan
    var next = 0
    rows.forEachRow { row in
      output[next] = span[row]
      next &+= 1
    }
  }

  /// How many rows of the current granule have each code of a slot of terms, run by run; nil when its codes are better
  /// loaded for that.
  mutating func counts(
    ofCodes slot: Int, _ rows: RowBits, in runs: [Range<Int>]
  ) throws(SegmentError) -> [Int]? {
    guard case .terms(let column) = slots[slot].source,
      let counts = try column.counts(ofCodes: rows.words, in: runs, granule: granule)
    else { return nil }
    noteRead(slot)
    return counts
  }

  /// Adds up the integers that a slot holds for rows of the current granule by the codes of another slot; nil when these
  /// are better loaded for that.
  mutating func sums(
    of slot: Int, byCodesOf keySlot: Int, _ rows: RowBits
  ) throws(SegmentError) -> CodeSums? {
    guard case .terms(let column) = slots[keySlot].source,
      let sums = try column.sums(of: slots[slot].integers, rows.words, granule: granule)
    else { return nil }
    noteRead(keySlot)
    return sums
  }
}
