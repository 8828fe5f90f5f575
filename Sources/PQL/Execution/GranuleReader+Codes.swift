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
}
