internal import JournalKit

/// The granules of a column, and how many rows each has.
struct ColumnGranules: Sendable {
  let blocks: BlockList
  let rowCount: Int

  /// Reads the list of the granules of a column of `rowCount` rows.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    let count = SegmentFormat.partCount(size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    guard let blocks = BlockList(&reader, count: count, file: file) else { return nil }
    self.blocks = blocks
    self.rowCount = rowCount
  }

  /// The rows of granule `index`, counted from the segment's first.
  func rows(_ index: Int) -> Range<Int> {
    SegmentFormat.rows(ofPart: index, size: SegmentFormat.granuleRowCount, rowCount: rowCount)
  }

  /// Makes `values` as long as `rows`, which must lie within one granule, fills it with their values, 0 for rows
  /// without one, and returns the granule's number.
  ///
  /// - Parameter limit: a value over it is an error in the segment.
  @inline(__always)
  @discardableResult
  func decode<T: FixedWidthInteger & BitwiseCopyable>(
    _ rows: Range<Int>, into values: inout [T], plus offset: T = 0, limit: T = .max
  ) throws(SegmentError) -> Int {
    let index = rows.lowerBound / SegmentFormat.granuleRowCount
    let all = self.rows(index)
    precondition(
      !rows.isEmpty && all.lowerBound <= rows.lowerBound && rows.upperBound <= all.upperBound)
    values.resize(to: rows.count)
    guard blocks.hasBlock(index) else {
      for at in values.indices { values[at] = 0 }
      return index
    }
    let local = rows.lowerBound - all.lowerBound..<rows.upperBound - all.lowerBound
    try blocks.read(index, as: "a granule") { bytes -> Void? in
      guard let granule = Granule(bytes, rowCount: all.count),
        granule.decode(local, into: &values, plus: offset),
        limit == .max || values.areAll(atMost: limit)
      else { return nil }
      return ()
    }
    return index
  }

  /// So many rows are better sought one by one.
  static let fewRows = 16

  /// Calls `body` with each of `rows` that has a value, and that value: rows counted from the first of granule
  /// `index`, ascending and in range.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment.
  @inline(__always)
  func forEachValue(
    of rows: [Int], in index: Int, limit: Int64 = .max, _ body: (Int, Int64) -> Void
  ) throws(SegmentError) {
    if rows.count == 1 {
      if let value = try value(of: rows[0], in: index, limit: limit) { body(rows[0], value) }
      return
    }
    precondition((rows.last ?? 0) < self.rows(index).count)
    guard blocks.hasBlock(index) else { return }
    try blocks.read(index, as: "a granule") { bytes -> Void? in
      let isForFew = rows.count <= Self.fewRows
      guard let granule = Granule(bytes, rowCount: self.rows(index).count, isForFew: isForFew)
      else { return nil }
      var isSound = true
      let isRead = granule.forEachValue(of: rows) { row, value in
        guard limit == .max || value >= 0 && value < limit else { return isSound = false }
        body(row, value)
      }
      return isRead && isSound ? () : nil
    }
  }

  /// Calls `body` for each row of granule `index` whose bit is set in `wanted`, one bit a row, in order: with the row, its
  /// value, and a mask for that, which is 0 for rows without one.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment; `body` has heard of it by then.
  @inline(__always)
  func forEachValue(
    ofBits wanted: [UInt64], in index: Int, limit: UInt64 = .max,
    _ body: (Int, UInt64, UInt64) -> Void
  ) throws(SegmentError) {
    let count = rows(index).count
    precondition(wanted.count == (count + 63) / 64)
    guard blocks.hasBlock(index) else {
      for row in wanted.setBits { body(row, 0, 0) }
      return
    }
    try blocks.read(index, as: "a granule") { bytes -> Void? in
      guard let granule = Granule(bytes, rowCount: count) else { return nil }
      var greatest: UInt64 = 0
      let isSound = granule.forEachValue(ofBits: wanted) { row, value, mask in
        greatest = max(greatest, value & mask)
        body(row, value, mask)
      }
      return isSound && (limit == .max || greatest < limit || granule.rows.count == 0) ? () : nil
    }
  }

  /// The value of `row`, counted from the first of granule `index` and in range; nil when it has none.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment.
  func value(of row: Int, in index: Int, limit: Int64 = .max) throws(SegmentError) -> Int64? {
    let rowCount = rows(index).count
    precondition(row >= 0 && row < rowCount)
    guard blocks.hasBlock(index) else { return nil }
    return try blocks.read(index, as: "a granule") { bytes -> Int64?? in
      guard let found = Granule.value(of: row, in: bytes, rowCount: rowCount) else { return nil }
      if limit < .max, let value = found, value < 0 || value >= limit { return nil }
      return .some(found)
    }
  }

  /// One bit for each row of granule `index`: whether it has a value that is one of `wanted`.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment where values are looked at one by one. Where
  ///   they are compared as they are packed it counts with the last one.
  func matches(
    _ index: Int, _ wanted: CodeSet, limit: UInt32
  ) throws(SegmentError) -> [UInt64] {
    let count = rows(index).count
    guard blocks.hasBlock(index) else { return [UInt64](repeating: 0, count: (count + 63) / 64) }
    return try blocks.read(index, as: "a granule") { bytes in
      Granule(bytes, rowCount: count)?.matches(wanted, limit: limit)
    }
  }

  /// Counts the rows of granule `index` whose bits are set in `wanted` by value, in each of `runs` of rows: `limit + 1`
  /// numbers for each run, of the rows without a value first. Nil when the values are better decoded for that.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment.
  func counts(
    _ index: Int, _ wanted: [UInt64], in runs: [Range<Int>], limit: Int
  ) throws(SegmentError) -> [Int]? {
    let count = rows(index).count
    precondition(wanted.count == (count + 63) / 64)
    precondition(runs.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= count })
    return try tally(index) { $0.count(wanted, in: runs, limit: limit) }
  }

  /// Adds up those of `numbers`, one for each row of granule `index`, whose bits are set in `wanted`, by the rows' values.
  /// Nil when the values are better decoded for that.
  ///
  /// - Parameter limit: a value that is not below it is an error in the segment.
  func sums(
    _ index: Int, _ numbers: [Int64], ofBits wanted: [UInt64], limit: Int
  ) throws(SegmentError) -> CodeSums? {
    let count = rows(index).count
    precondition(wanted.count == (count + 63) / 64 && numbers.count == count)
    return try tally(index) { $0.sum(numbers, ofBits: wanted, limit: limit) }
  }

  private func tally<Result>(
    _ index: Int, _ body: (borrowing Granule) -> Tally<Result>
  ) throws(SegmentError) -> Result? {
    guard blocks.hasBlock(index) else { return nil }
    return try blocks.read(index, as: "a granule") { bytes -> Result?? in
      guard let granule = Granule(bytes, rowCount: rows(index).count) else { return nil }
      return switch body(granule) {
      case .done(let result): .some(result)
      case .unfit: .some(nil)
      case .malformed: nil
      }
    }
  }

  /// Which rows of granule `index` have a value: nil when all have, else one bit a row.
  func presence(_ index: Int) throws(SegmentError) -> [UInt64]? {
    let count = rows(index).count
    guard blocks.hasBlock(index) else { return [UInt64](repeating: 0, count: (count + 63) / 64) }
    // Nil within is that all rows have one, and nil without that the bytes are no granule.
    return try blocks.read(index, as: "a granule") { bytes -> [UInt64]?? in
      guard let granule = Granule(bytes, rowCount: count) else { return nil }
      return .some(granule.rows.words)
    }
  }
}

extension Array where Element: FixedWidthInteger {
  /// Makes the array `count` elements long; when it was not, all are 0.
  @inlinable
  package mutating func resize(to count: Int) {
    if self.count != count { self = Array(repeating: 0, count: count) }
  }

  /// Whether no element is over `limit`, which is below half of what an unsigned element can be.
  fileprivate func areAll(atMost limit: Element) -> Bool {
    precondition(limit <= Element.max >> 1)
    // One that is over it has its topmost bit set, or the limit less it has: no branch, and several at once.
    var bits: Element = 0
    for element in self { bits |= element | (limit &- element) }
    return bits & ~(Element.max >> 1) == 0
  }
}
