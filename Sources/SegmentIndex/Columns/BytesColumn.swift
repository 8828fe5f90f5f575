internal import JournalKit

/// A column of texts: `message`, which every row has, or `payload`, which is empty where a row has none.
///
/// Rows are kept in pages of 256, each compressed by itself, so that one row costs a page. A page's bytes:
///
///     u8     form: 0 as they are, 1 LZ4
///     varint how many bytes the texts have together
///     the length of each text, as PackedIntegers
///     the texts, one after another, in that form
///
/// A page whose texts are all empty has no block.
package struct BytesColumn: Sendable {
  private let pages: BlockList
  private let rowCount: Int

  /// Reads the rest of a column's block: the list of pages.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    let count = SegmentFormat.partCount(size: SegmentFormat.pageRowCount, rowCount: rowCount)
    guard let pages = BlockList(&reader, count: count, file: file) else { return nil }
    self.pages = pages
    self.rowCount = rowCount
  }

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] { pages.ranges }

  /// The texts of a granule.
  package func decode(granule: Int) throws(SegmentError) -> BytesGranule {
    var texts = BytesGranule()
    try decode(granule: granule, into: &texts)
    return texts
  }

  /// The texts of a granule, in memory that an earlier granule had.
  package func decode(granule: Int, into texts: inout BytesGranule) throws(SegmentError) {
    let rows = SegmentFormat.rows(
      ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    texts.removeAll()
    for page in rows.lowerBound
      / SegmentFormat.pageRowCount..<SegmentFormat.partCount(
        size: SegmentFormat.pageRowCount, rowCount: rows.upperBound)
    {
      try append(page: page, to: &texts)
    }
  }

  /// The texts of page `page`, in memory that an earlier page had.
  func decode(page: Int, into texts: inout BytesGranule) throws(SegmentError) {
    texts.removeAll()
    try append(page: page, to: &texts)
  }

  private func append(page: Int, to texts: inout BytesGranule) throws(SegmentError) {
    let rowCount = SegmentFormat.rows(
      ofPart: page, size: SegmentFormat.pageRowCount, rowCount: self.rowCount
    ).count
    guard pages.hasBlock(page) else { return texts.appendEmpty(rowCount) }
    try pages.read(page, as: "a page of text") { bytes -> Void? in
      var reader = ByteReader(bytes)
      guard let form = reader.byte(), let byteCount = Self.byteCount(form, &reader),
        let lengths = PackedIntegers(&reader, count: rowCount),
        let content = reader.span(reader.remaining),
        texts.append(lengths, byteCount: byteCount, form: form, content)
      else { return nil }
      return ()
    }
  }

  /// The byte count of the texts: no more than the bytes that follow can stand for.
  private static func byteCount(_ form: UInt8, _ reader: inout ByteReader) -> Int? {
    switch form {
    case 0: return reader.count(atMost: reader.remaining)
    case 1:
      let (limit, overflow) = reader.remaining.multipliedReportingOverflow(by: LZ4.maximumRatio)
      return overflow ? nil : reader.count(atMost: limit)
    default: return nil
    }
  }
}
