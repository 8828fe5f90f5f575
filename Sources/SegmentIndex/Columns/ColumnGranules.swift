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

  /// Makes `values` as long as `rows`, which must lie within one granule, fills it with their values, and
  /// returns the granule's number.
  ///
  /// - Parameter limit: a value over it is an error in the segment.
  @inline(__always)
  @discardableResult
  func decode<T: FixedWidthInteger & BitwiseCopyable>(
    _ rows: Range<Int>, into values: inout [T], absent: T, plus offset: T = 0, limit: T = .max
  ) throws(SegmentError) -> Int {
    let index = rows.lowerBound / SegmentFormat.granuleRowCount
    let all = self.rows(index)
    precondition(
      !rows.isEmpty && all.lowerBound <= rows.lowerBound && rows.upperBound <= all.upperBound)
    if values.count != rows.count { values = [T](repeating: absent, count: rows.count) }
    guard blocks.hasBlock(index) else {
      for at in values.indices { values[at] = absent }
      return index
    }
    let local = rows.lowerBound - all.lowerBound..<rows.upperBound - all.lowerBound
    try blocks.read(index, as: "a granule") { bytes -> Void? in
      guard let granule = Granule(bytes, rowCount: all.count),
        granule.decode(local, into: &values, absent: absent, plus: offset),
        limit == .max || values.allSatisfy({ $0 <= limit })
      else { return nil }
      return ()
    }
    return index
  }

  /// Which rows of granule `index` have a value: nil when all have, else one bit a row.
  func presence(_ index: Int) throws(SegmentError) -> [UInt64]? {
    let count = rows(index).count
    guard blocks.hasBlock(index) else { return [UInt64](repeating: 0, count: (count + 63) / 64) }
    return try blocks.read(index, as: "a granule") { bytes in
      Granule(bytes, rowCount: count)?.rows
    }.words
  }
}
