internal import JournalKit
internal import Synchronization

/// A column of texts: `message`, which every row has, or `payload`, which is empty where a row has none.
///
/// A text is kept as the code of its pattern and what that leaves open (`TextPatterns`). Rows are in pages of 256, so
/// that one row costs a page. A page's bytes:
///
///     the code of each row, as PackedIntegers
///     u8  bits of the length of each text in a slot, 0 to 32
///     for each row, for each slot: the number less the slot's base, or the length of the text; least significant bit
///         first, padded with zeros to a whole byte
///     the texts in slots, one after another, as `compressible` bytes, unless they are all empty
///
/// A page whose texts are all empty has no block.
public final class TextColumn: Sendable {
  /// How many patterns there are, with pattern 0.
  package let patternCount: Int
  let pages: BlockList
  let rowCount: Int
  /// Block 0 has the patterns from 1 on, block 1 the posting lists of all.
  private let indexes: BlockList
  private let allPatterns = Mutex<TextPatterns?>(nil)
  private let literalTriples = LookupAid<TripleSet>()

  /// Reads the rest of a column's block: `varint` patterns from 1 on, the list of their block and the posting lists,
  /// then the list of pages.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    let pageCount = SegmentFormat.partCount(size: SegmentFormat.pageRowCount, rowCount: rowCount)
    guard let patternCount = reader.count(atMost: rowCount),
      let indexes = BlockList(&reader, count: 2, file: file),
      let pages = BlockList(&reader, count: pageCount, file: file)
    else { return nil }
    self.patternCount = patternCount + 1
    self.indexes = indexes
    self.pages = pages
    self.rowCount = rowCount
  }

  /// Where the column's blocks are, without its own.
  package var blocks: [Range<Int>] { pages.ranges + indexes.ranges }

  /// The error that says what is wrong with the patterns or the posting lists.
  func error(_ reason: String) -> SegmentError {
    indexes.error(in: 0, reason)
  }
}

// MARK: - Patterns

extension TextColumn {
  /// All patterns: decoded once and kept.
  package var patterns: TextPatterns {
    get throws(SegmentError) {
      if let patterns = allPatterns.withLock({ $0 }) { return patterns }
      let patterns = try indexes.read(0, as: "a list of patterns") { bytes in
        TextPatterns(bytes, count: patternCount - 1)
      }
      allPatterns.withLock { $0 = patterns }
      return patterns
    }
  }

  /// False when no literal of a pattern has these bytes, whatever the case of ASCII letters; true says nothing.
  package func mayHaveLiteral(with needle: [UInt8]) throws(SegmentError) -> Bool {
    let triples = try literalTriples.value { () throws(SegmentError) in
      TripleSet(try patterns.literals)
    }
    return triples?.mayHold(needle) ?? true
  }

  /// How many rows have pattern `code`, exactly.
  package func rowCount(ofPattern code: Int) throws(SegmentError) -> Int {
    try readPostings { $0.rowCount(at: code) }
  }

  /// How many rows have each of these patterns, exactly.
  package func rowCounts(ofPatterns codes: [Int]) throws(SegmentError) -> [Int] {
    try readPostings { lists in
      var counts: [Int] = []
      counts.reserveCapacity(codes.count)
      for code in codes {
        guard let count = lists.rowCount(at: code) else { return nil }
        counts.append(count)
      }
      return counts
    }
  }

  /// The granules in which some row has pattern `code`, ascending.
  package func granules(ofPattern code: Int) throws(SegmentError) -> [Int] {
    try readPostings { $0.granules(at: code) }
  }

  private func readPostings<Result>(
    _ body: (borrowing PostingLists) -> Result?
  ) throws(SegmentError) -> Result {
    let granuleCount = SegmentFormat.partCount(
      size: SegmentFormat.granuleRowCount, rowCount: rowCount)
    return try indexes.read(1, as: "a set of posting lists") { bytes in
      guard
        let lists = PostingLists(
          bytes, termCount: patternCount, granuleCount: granuleCount, rowCount: rowCount)
      else { return nil }
      return body(lists)
    }
  }
}
