internal import JournalKit

/// A column of 64-bit integers. `sequence` holds unsigned ones by their bits.
public final class IntegerColumn: Sendable {
  private let granules: ColumnGranules
  /// The least and greatest value of each granule; nil where no row has one.
  let limits: GranuleLimits

  /// Reads the rest of a column's block: the granules, then for each that there is `i64 least` and
  /// `i64 greatest`.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    guard let granules = ColumnGranules(&reader, rowCount: rowCount, file: file) else { return nil }
    self.granules = granules
    guard let limits = GranuleLimits(&reader, of: granules.blocks) else { return nil }
    self.limits = limits
  }

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] { granules.blocks.ranges }

  /// How many bytes granule `granule` takes.
  package func byteCount(granule: Int) -> Int { granules.blocks.byteCount(granule) }

  /// The least and greatest value of granule `granule`; nil when none of its rows has one. Reads no block.
  public func bounds(granule: Int) -> ClosedRange<Int64>? {
    limits[granule]
  }

  /// Makes `values` as long as the granule and fills it, with 0 for rows that have no value.
  public func decode(granule: Int, into values: inout [Int64]) throws(SegmentError) {
    try decode(rows: granules.rows(granule), into: &values)
  }

  /// As `decode(granule:into:)`, for rows within one granule, counted from the segment's first.
  package func decode(rows: Range<Int>, into values: inout [Int64]) throws(SegmentError) {
    try granules.decode(rows, into: &values)
  }

  /// Puts the values of the rows whose bits are set in `rows`, one bit for each row of a granule, into the elements of
  /// `values` of the rows' numbers, 0 for those without one. `values` becomes as long as the granule. Returns
  /// which of the rows have a value, one bit each.
  package func decode(
    _ rows: [UInt64], ofGranule granule: Int, into values: inout [Int64]
  ) throws(SegmentError) -> [UInt64] {
    let count = granules.rows(granule).count
    values.resize(to: count)
    var presence = [UInt64](repeating: 0, count: (count + 63) / 64)
    var output = values.mutableSpan
    var bits = presence.mutableSpan
    guard rows.setBitCount <= ColumnGranules.fewRows else {
      try granules.forEachValue(ofBits: rows, in: granule) { row, value, mask in
        output[row] = Int64(bitPattern: value & mask)
        bits[row &>> 6] |= mask & 1 &<< UInt64(truncatingIfNeeded: row & 63)
      }
      return presence
    }
    try granules.forEachValue(of: rows.setBits, in: granule) { row, value in
      output[row] = value
      bits[row / 64] |= 1 << UInt64(row % 64)
    }
    return presence
  }

  /// Divides the rows of a granule, of a column whose values never fall, into runs: for each its first row, counted from the
  /// granule's first, and that one's value. Nil when that takes decoding the granule, or rows have no value.
  ///
  /// - Parameter end: the value from which on none belongs to the run that begins with a value; a run is never empty.
  package func runs(
    granule: Int, endingAt end: (Int64) -> Int64
  ) throws(SegmentError) -> [(row: Int, value: Int64)]? {
    let count = granules.rows(granule).count
    guard granules.blocks.hasBlock(granule) else { return nil }
    // Nil within is that it takes decoding, and nil without that the bytes are no granule.
    return try granules.blocks.read(granule, as: "a granule") { bytes -> [(Int, Int64)]?? in
      guard let granule = Granule(bytes, rowCount: count) else { return nil }
      return .some(granule.runs(endingAt: end))
    }
  }

  /// Calls `body` with each of `rows` that has a value: with its place among them, and the value.
  @inline(__always)
  func forEachValue(
    of rows: [Int], inGranule granule: Int, _ body: (Int, Int64) -> Void
  ) throws(SegmentError) {
    var place = 0
    try granules.forEachValue(of: rows, in: granule) { row, value in
      while rows[place] != row { place += 1 }
      body(place, value)
    }
  }

  /// The values of `rows`, one after another; nil where a row has none.
  func values(of rows: [Int], inGranule granule: Int) throws(SegmentError) -> [Int64?] {
    var values = [Int64?](repeating: nil, count: rows.count)
    var place = 0
    try granules.forEachValue(of: rows, in: granule) { row, value in
      while rows[place] != row { place += 1 }
      values[place] = value
    }
    return values
  }

  /// Which rows of granule `granule` have a value: nil when all have, else one bit a row.
  public func presence(granule: Int) throws(SegmentError) -> [UInt64]? {
    try granules.presence(granule)
  }

  /// The error that says what is wrong with granule `granule`.
  func error(granule: Int, _ reason: String) -> SegmentError {
    granules.blocks.error(in: granule, reason)
  }
}
