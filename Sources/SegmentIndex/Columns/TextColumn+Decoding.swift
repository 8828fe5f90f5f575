internal import JournalKit

extension TextColumn {
  /// The texts of a granule.
  package func decode(granule: Int) throws(SegmentError) -> TextGranule {
    var texts = TextGranule()
    try decode(granule: granule, into: &texts)
    return texts
  }

  /// The texts of a granule, in memory that an earlier granule had.
  ///
  /// - Parameter wanted: by code, whether the texts of the pattern are of interest; the others come out empty. Nil
  ///   for all.
  package func decode(
    granule: Int, into texts: inout TextGranule, wanted: [Bool]? = nil
  ) throws(SegmentError) {
    texts.removeAll()
    var page = TextPage()
    for index in pages(ofGranule: granule) { try append(index, &page, to: &texts, wanted) }
  }

  /// The texts of page `index`, in memory that an earlier page had.
  func decode(page index: Int, into texts: inout TextGranule) throws(SegmentError) {
    texts.removeAll()
    var page = TextPage()
    try append(index, &page, to: &texts, nil)
  }

  private func append(
    _ index: Int, _ page: inout TextPage, to texts: inout TextGranule, _ wanted: [Bool]?
  ) throws(SegmentError) {
    let rowCount = rowCount(ofPage: index)
    guard pages.hasBlock(index) else { return texts.appendEmpty(rowCount) }
    let patterns = try patterns
    try pages.read(index, as: "a page of text") { bytes -> Void? in
      var reader = ByteReader(bytes)
      guard let bits = page.read(&reader, rowCount: rowCount, patterns),
        page.append(to: &texts, bits, patterns, wanted: wanted)
      else { return nil }
      return ()
    }
  }

  /// Makes `codes` as long as the granule and fills it with the codes of the rows' patterns.
  package func decode(codes: inout [UInt32], granule: Int) throws(SegmentError) {
    codes.removeAll(keepingCapacity: true)
    var page = TextPage()
    for index in pages(ofGranule: granule) {
      let rowCount = rowCount(ofPage: index)
      if pages.hasBlock(index) {
        try pages.read(index, as: "a page of text") { bytes -> Void? in
          var reader = ByteReader(bytes)
          return page.readCodes(&reader, rowCount: rowCount, patternCount: patternCount) ? () : nil
        }
      } else {
        page.clear(rowCount: rowCount)
      }
      codes += page.codes
    }
  }

  /// Makes `codes` and `numbers` as long as the granule, and fills them with the codes of the rows' patterns and
  /// with the numbers in the slots asked for; 0 for patterns of which none is.
  ///
  /// - Parameter slots: by code, which of the pattern's slots, which must be none of text.
  package func decode(
    slots: [Int?], granule: Int, codes: inout [UInt32], numbers: inout [UInt64]
  ) throws(SegmentError) {
    let patterns = try patterns
    let places = slots.indices.map { code in
      slots[code].map { SlotPlace($0, of: patterns.patterns[code], patterns) }
    }
    codes.removeAll(keepingCapacity: true)
    numbers.removeAll(keepingCapacity: true)
    var page = TextPage()
    for index in pages(ofGranule: granule) {
      let rowCount = rowCount(ofPage: index)
      if pages.hasBlock(index) {
        try pages.read(index, as: "a page of text") { bytes -> Void? in
          var reader = ByteReader(bytes)
          guard let bits = page.read(&reader, rowCount: rowCount, patterns) else { return nil }
          page.append(places, to: &numbers, bits, patterns)
          return ()
        }
      } else {
        page.clear(rowCount: rowCount)
        numbers.append(contentsOf: repeatElement(0, count: rowCount))
      }
      codes += page.codes
    }
  }

  private func pages(ofGranule granule: Int) -> Range<Int> {
    let rows = SegmentFormat.rows(
      ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    let end = SegmentFormat.partCount(size: SegmentFormat.pageRowCount, rowCount: rows.upperBound)
    return rows.lowerBound / SegmentFormat.pageRowCount..<end
  }

  private func rowCount(ofPage page: Int) -> Int {
    SegmentFormat.rows(ofPart: page, size: SegmentFormat.pageRowCount, rowCount: rowCount).count
  }
}
