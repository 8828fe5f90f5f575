internal import JournalKit

extension TextColumn {
  /// The texts of a granule.
  public func decode(granule: Int) throws(SegmentError) -> TextGranule {
    var texts = TextGranule()
    try decode(granule: granule, into: &texts)
    return texts
  }

  /// The texts of a granule, in memory that an earlier granule had.
  ///
  /// - Parameters:
  ///   - wanted: by code, whether the texts of the pattern are of interest; nil for all.
  ///   - rows: one bit a row, whether its text is of interest; nil for all. Texts of no interest come out empty.
  package func decode(
    granule: Int, into texts: inout TextGranule, wanted: [Bool]? = nil, rows: [UInt64]? = nil
  ) throws(SegmentError) {
    texts.removeAll()
    var page = TextPage()
    let pages = pages(ofGranule: granule)
    for index in pages {
      let words = rows.map { words in
        let first = (index - pages.lowerBound) * SegmentFormat.pageRowCount / 64
        return words[first..<min(first + SegmentFormat.pageRowCount / 64, words.count)]
      }
      if let words, words.allSatisfy({ $0 == 0 }) {
        texts.appendEmpty(rowCount(ofPage: index))
      } else {
        try append(index, &page, to: &texts, wanted, words)
      }
    }
  }

  /// The texts of page `index`, in memory that earlier ones had.
  func decode(page index: Int, into texts: inout TextGranule) throws(SegmentError) {
    texts.removeAll()
    var page = TextPage()
    try append(index, &page, to: &texts, nil, nil)
  }

  /// The texts of these rows of page `index`, ascending and counted from its first, one after another: in memory that
  /// earlier ones had.
  func decode(
    _ rows: [Int], ofPage index: Int, into texts: inout TextGranule, _ page: inout TextPage
  ) throws(SegmentError) {
    texts.removeAll()
    try append(rows, ofPage: index, to: &texts, &page)
  }

  private func append(
    _ rows: [Int], ofPage index: Int, to texts: inout TextGranule, _ page: inout TextPage
  ) throws(SegmentError) {
    guard pages.hasBlock(index) else { return texts.appendEmpty(rows.count) }
    let patterns = try patterns
    let rowCount = rowCount(ofPage: index)
    try pages.read(index, as: "a page of text") { bytes -> Void? in
      var reader = ByteReader(bytes)
      return page.appendTexts(of: rows, to: &texts, &reader, rowCount: rowCount, patterns)
        ? () : nil
    }
  }

  /// Appends the texts of these rows of a granule, ascending and counted from its first.
  package func append(
    _ rows: [Int], ofGranule granule: Int, to texts: inout TextGranule
  ) throws(SegmentError) {
    let firstPage = pages(ofGranule: granule).lowerBound
    var page = TextPage()
    var start = 0
    while start < rows.count {
      let number = rows[start] / SegmentFormat.pageRowCount
      var end = start
      while end < rows.count, rows[end] / SegmentFormat.pageRowCount == number { end += 1 }
      let wanted = rows[start..<end].map { $0 % SegmentFormat.pageRowCount }
      try append(wanted, ofPage: firstPage + number, to: &texts, &page)
      start = end
    }
  }

  private func append(
    _ index: Int, _ page: inout TextPage, to texts: inout TextGranule, _ wanted: [Bool]?,
    _ rows: ArraySlice<UInt64>?
  ) throws(SegmentError) {
    let rowCount = rowCount(ofPage: index)
    guard pages.hasBlock(index) else { return texts.appendEmpty(rowCount) }
    let patterns = try patterns
    try pages.read(index, as: "a page of text") { bytes -> Void? in
      var reader = ByteReader(bytes)
      guard let bits = page.read(&reader, rowCount: rowCount, patterns),
        page.append(to: &texts, bits, patterns, wanted: wanted, rows: rows)
      else { return nil }
      return ()
    }
  }

  /// One bit for each row of the granule: whether its pattern is one of `codes`, which should be few.
  package func rows(ofPatterns codes: [Int], granule: Int) throws(SegmentError) -> [UInt64] {
    let rows = SegmentFormat.rows(
      ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    var bits = [UInt64](repeating: 0, count: (rows.count + 63) / 64)
    var first = 0
    for index in pages(ofGranule: granule) {
      let rowCount = rowCount(ofPage: index)
      if pages.hasBlock(index) {
        try pages.read(index, as: "a page of text") { bytes -> Void? in
          var reader = ByteReader(bytes)
          guard let packed = PackedIntegers(&reader, count: rowCount) else { return nil }
          for code in codes { packed.setBits(of: Int64(code), in: &bits, atWord: first / 64) }
          return ()
        }
      } else if codes.contains(0) {
        for row in first..<first + rowCount { bits[row / 64] |= 1 << UInt64(row % 64) }
      }
      first += rowCount
    }
    return bits
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

  /// Puts the codes of the patterns of `rows` into the elements of `codes` of these numbers: rows counted from the
  /// granule's first, ascending, and better few. `codes` becomes as long as the granule.
  package func decode(
    codes: inout [UInt32], of rows: [Int], granule: Int
  ) throws(SegmentError) {
    codes.resize(
      to: SegmentFormat.rows(
        ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: rowCount
      ).count)
    let first = pages(ofGranule: granule).lowerBound
    for row in rows {
      let page = first + row / SegmentFormat.pageRowCount
      codes[row] = 0
      guard pages.hasBlock(page) else { continue }
      codes[row] = try pages.read(page, as: "a page of text") { bytes -> UInt32? in
        var reader = ByteReader(bytes)
        let packed = PackedIntegers(&reader, count: rowCount(ofPage: page))
        guard let code = packed?[row % SegmentFormat.pageRowCount], code >= 0, code < patternCount
        else { return nil }
        return UInt32(code)
      }
    }
  }

  /// Makes `codes` and `numbers` as long as the granule, and fills them with the codes of the rows' patterns and
  /// with the numbers in the slots asked for, as 64 bits; 0 for patterns of which none is.
  ///
  /// - Parameter slots: by code, which of the pattern's slots, which must be none of text.
  package func decode(
    slots: [Int?], granule: Int, codes: inout [UInt32], numbers: inout [Int64]
  ) throws(SegmentError) {
    let patterns = try patterns
    let places = slots.indices.map { SlotPlace(slots[$0], of: patterns.patterns[$0], patterns) }
    let rows = SegmentFormat.rows(
      ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    codes.resize(to: rows.count)
    numbers.resize(to: rows.count)
    var page = TextPage()
    var start = 0
    // For the width of lengths that the last page had.
    var bitPlaces: [SlotPlace.Bits] = []
    var lengthWidth: Int?
    for index in pages(ofGranule: granule) {
      let rowCount = rowCount(ofPage: index)
      if pages.hasBlock(index) {
        try pages.read(index, as: "a page of text") { bytes -> Void? in
          var reader = ByteReader(bytes)
          guard let bits = page.read(&reader, rowCount: rowCount, patterns, readsTexts: false)
          else { return nil }
          if page.lengthWidth != lengthWidth {
            lengthWidth = page.lengthWidth
            bitPlaces = places.map { $0.bits(lengthWidth: page.lengthWidth) }
          }
          page.write(bitPlaces, to: &numbers, at: start, bits)
          return ()
        }
      } else {
        page.clear(rowCount: rowCount)
        for row in start..<start + rowCount { numbers[row] = 0 }
      }
      let source = page.codes.span
      var output = codes.mutableSpan
      for row in 0..<rowCount { output[start + row] = source[row] }
      start += rowCount
    }
  }

  /// How many bytes the pages of granule `granule` take.
  package func byteCount(granule: Int) -> Int {
    pages(ofGranule: granule).reduce(0) { $0 + pages.byteCount($1) }
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
