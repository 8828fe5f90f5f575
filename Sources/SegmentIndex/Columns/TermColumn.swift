internal import JournalKit
internal import Synchronization

/// A dictionary-coded column: each distinct value is a term, written once, and rows hold codes.
///
/// Code 0 means that the row lacks the field; code `k` means term `k - 1`. Terms are ascending.
package final class TermColumn: Sendable {
  /// How many distinct values the column has.
  package let termCount: Int
  private let granules: ColumnGranules
  /// Block 0 is the dictionary, block 1 the posting lists.
  private let indexes: BlockList
  private let allTerms = Mutex<[Term]?>(nil)

  /// Reads the rest of a column's block: `varint term count`, the list of dictionary and posting lists,
  /// then the granules.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    guard let termCount = reader.count(atMost: rowCount),
      let indexes = BlockList(&reader, count: 2, file: file),
      let granules = ColumnGranules(&reader, rowCount: rowCount, file: file)
    else { return nil }
    self.termCount = termCount
    self.indexes = indexes
    self.granules = granules
  }

  /// Where the column's blocks are, without its own.
  var blocks: [Range<Int>] { granules.blocks.ranges + indexes.ranges }

  /// Makes `codes` as long as the granule and fills it.
  package func decode(granule: Int, into codes: inout [UInt32]) throws(SegmentError) {
    try decode(rows: granules.rows(granule), into: &codes)
  }

  /// As `decode(granule:into:)`, for rows within one granule, counted from the segment's first.
  package func decode(rows: Range<Int>, into codes: inout [UInt32]) throws(SegmentError) {
    try granules.decode(rows, into: &codes, absent: 0, plus: 1, limit: UInt32(termCount))
  }

  /// The error that says what is wrong with the dictionary or the posting lists.
  func error(_ reason: String) -> SegmentError {
    indexes.error(in: 0, reason)
  }
}

// MARK: - Terms

extension TermColumn {
  /// All terms, ascending: decoded once and kept. Costs memory for each; `term(at:)` and `index(of:)` do
  /// not need them.
  package var terms: [Term] {
    get throws(SegmentError) {
      if let terms = allTerms.withLock({ $0 }) { return terms }
      let terms = try indexes.read(0, as: "a dictionary") { bytes in
        TermDictionary(bytes, count: termCount)?.terms()
      }
      allTerms.withLock { $0 = terms }
      return terms
    }
  }

  /// Calls `body` with the bytes of each term, ascending; returning false there makes them malformed.
  func forEachEncodedTerm(_ body: (RawSpan) -> Bool) throws(SegmentError) {
    try indexes.read(0, as: "a dictionary") { bytes -> Void? in
      guard let dictionary = TermDictionary(bytes, count: termCount),
        dictionary.forEachEncodedTerm(body)
      else { return nil }
      return ()
    }
  }

  /// The term at `index`, which must be in range; reads at most sixteen terms.
  package func term(at index: Int) throws(SegmentError) -> Term {
    precondition(index >= 0 && index < termCount)
    if let term = allTerms.withLock({ $0?[index] }) { return term }
    return try indexes.read(0, as: "a dictionary") { bytes in
      TermDictionary(bytes, count: termCount)?.term(at: index)
    }
  }

  /// The index of `term`, found by binary search; nil when no row has it.
  package func index(of term: Term) throws(SegmentError) -> Int? {
    let sought = term.encoded()
    let place = try indexes.read(0, as: "a dictionary") { bytes in
      TermDictionary(bytes, count: termCount)?.place(of: sought.rawSpan)
    }
    switch place {
    case .found(let index): return index
    case .absent: return nil
    }
  }
}

// MARK: - Posting lists

extension TermColumn {
  /// How many rows have the term at `index`, exactly.
  package func rowCount(ofTerm index: Int) throws(SegmentError) -> Int {
    precondition(index >= 0 && index < termCount)
    return try readPostings { $0.rowCount(at: index) }
  }

  /// The granules in which some row has the term at `index`, ascending.
  package func granules(ofTerm index: Int) throws(SegmentError) -> [Int] {
    precondition(index >= 0 && index < termCount)
    return try readPostings { $0.granules(at: index) }
  }

  /// Calls `body` with each row that has the term at `index`, ascending, counted from the segment's first.
  /// Decodes the granules that the term is in.
  package func rows(ofTerm index: Int, _ body: (Int) -> Void) throws(SegmentError) {
    let code = UInt32(index + 1)
    var codes: [UInt32] = []
    for granule in try granules(ofTerm: index) {
      try decode(granule: granule, into: &codes)
      let first = granules.rows(granule).lowerBound
      for row in codes.indices where codes[row] == code { body(first + row) }
    }
  }

  private func readPostings<Result>(
    _ body: (borrowing PostingLists) -> Result?
  ) throws(SegmentError) -> Result {
    try indexes.read(1, as: "a set of posting lists") { bytes in
      guard
        let lists = PostingLists(
          bytes, termCount: termCount, granuleCount: granules.blocks.count,
          rowCount: granules.rowCount)
      else { return nil }
      return body(lists)
    }
  }
}
