internal import JournalKit
internal import Synchronization

/// A dictionary-coded column: each distinct value is a term, written once, and rows hold codes.
///
/// Code 0 means that the row lacks the field; code `k` means term `k - 1`. Terms are ascending.
public final class TermColumn: Sendable {
  /// How many distinct values the column has.
  public let termCount: Int
  private let granules: ColumnGranules
  /// Block 0 is the dictionary, block 1 the posting lists.
  private let indexes: BlockList
  private let allTerms = Mutex<[Term]?>(nil)
  /// Terms that were asked for lately.
  private let lateTerms = Mutex(LateTerms())
  /// How many rows each term has, once somebody has asked, when the terms are few.
  private let fewRowCounts = Mutex<[Int]?>(nil)
  /// So many are better decoded once for all.
  private static let fewTerms = 64
  private let restarts = LookupAid<RestartKeys>()

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

  /// How many bytes granule `granule` takes.
  package func byteCount(granule: Int) -> Int { granules.blocks.byteCount(granule) }

  /// Makes `codes` as long as the granule and fills it.
  public func decode(granule: Int, into codes: inout [UInt32]) throws(SegmentError) {
    try decode(rows: granules.rows(granule), into: &codes)
  }

  /// As `decode(granule:into:)`, for rows within one granule, counted from the segment's first.
  package func decode(rows: Range<Int>, into codes: inout [UInt32]) throws(SegmentError) {
    try granules.decode(rows, into: &codes, plus: 1, limit: UInt32(termCount))
  }

  /// Puts the codes of the rows whose bits are set in `rows`, one bit for each row of a granule, into the elements of
  /// `codes` of the rows' numbers, and leaves the others as they are. `codes` becomes as long as the granule.
  package func decode(
    _ rows: [UInt64], ofGranule granule: Int, into codes: inout [UInt32]
  ) throws(SegmentError) {
    codes.resize(to: granules.rows(granule).count)
    var output = codes.mutableSpan
    guard rows.setBitCount <= ColumnGranules.fewRows else {
      return try granules.forEachValue(ofBits: rows, in: granule, limit: UInt64(termCount)) {
        row, value, mask in output[row] = UInt32(truncatingIfNeeded: (value &+ 1) & mask)
      }
    }
    let rows = rows.setBits
    for row in rows { output[row] = 0 }
    try granules.forEachValue(of: rows, in: granule, limit: Int64(termCount)) { row, value in
      output[row] = UInt32(truncatingIfNeeded: value) + 1
    }
  }

  /// Makes `codes` those of the rows of a granule whose bits are set in `rows`, one bit for each row, in order.
  package func list(
    codesOf rows: [UInt64], granule: Int, into codes: inout [UInt32]
  ) throws(SegmentError) {
    codes.resize(to: rows.setBitCount)
    var output = codes.mutableSpan
    var next = 0
    try granules.forEachValue(ofBits: rows, in: granule, limit: UInt64(termCount)) {
      _, value, mask in
      output[next] = UInt32(truncatingIfNeeded: (value &+ 1) & mask)
      next &+= 1
    }
  }

  /// How many of the rows of a granule whose bits are set in `rows` have each code, in each of `runs` of rows: `termCount +
  /// 1` numbers for each run. Nil when codes are better decoded for that: there are many, or many runs.
  package func counts(
    ofCodes rows: [UInt64], in runs: [Range<Int>], granule: Int
  ) throws(SegmentError) -> [Int]? {
    try granules.counts(granule, rows, in: runs, limit: termCount)
  }

  /// Adds up those of `numbers`, one for each row of a granule, whose bits are set in `rows`, by the rows' codes, in
  /// wrapping arithmetic. Nil when codes are better decoded for that: there are many.
  package func sums(
    of numbers: [Int64], _ rows: [UInt64], granule: Int
  ) throws(SegmentError) -> CodeSums? {
    try granules.sums(granule, numbers, ofBits: rows, limit: termCount)
  }

  /// One bit for each row of the granule: whether its code is in the range, which begins above 0.
  package func matches(
    _ codes: ClosedRange<UInt32>, granule: Int
  ) throws(SegmentError) -> [UInt64] {
    let values = codes.lowerBound - 1...codes.upperBound - 1
    return try granules.matches(granule, .range(values), limit: UInt32(termCount))
  }

  /// One bit for each row of the granule: whether `table`, by code, is true of its code. It is false of 0.
  package func matches(_ table: [Bool], granule: Int) throws(SegmentError) -> [UInt64] {
    precondition(table.count == termCount + 1)
    return try granules.matches(
      granule, .table(Array(table.dropFirst())), limit: UInt32(termCount))
  }

  /// The codes of `rows`, one after another.
  func codes(of rows: [Int], inGranule granule: Int) throws(SegmentError) -> [UInt32] {
    var codes: [UInt32] = []
    try read(rows, granule, into: &codes)
    return codes
  }

  /// Calls `body` with each of `rows` that has a term: with its place among them, and the term.
  ///
  /// - Parameter codes: memory for them.
  @inline(__always)
  func forEachTerm(
    of rows: [Int], inGranule granule: Int, _ codes: inout [UInt32], _ body: (Int, Term) -> Void
  ) throws(SegmentError) {
    guard granules.blocks.hasBlock(granule) else { return }
    if rows.count == 1 {
      guard
        let index = try granules.value(of: rows[0], in: granule, limit: Int64(termCount))
      else { return }
      let hasFew = termCount <= Self.fewTerms
      return body(0, hasFew ? try terms[Int(index)] : try term(at: Int(index)))
    }
    try read(rows, granule, into: &codes)
    // Decoding the whole dictionary, once for all, pays when there are many rows, or few terms.
    if termCount <= Self.fewTerms || termCount <= rows.count * 4 {
      let all = try terms
      for index in codes.indices where codes[index] != 0 { body(index, all[Int(codes[index]) - 1]) }
    } else {
      // Looked at once for all: what is missing there is looked up for itself.
      let late = lateTerms.withLock { $0 }
      for index in codes.indices where codes[index] != 0 {
        let number = Int(codes[index]) - 1
        if let term = late[number] { body(index, term) } else { body(index, try term(at: number)) }
      }
    }
  }

  /// Makes `codes` those of `rows`.
  private func read(
    _ rows: [Int], _ granule: Int, into codes: inout [UInt32]
  ) throws(SegmentError) {
    codes.removeAll(keepingCapacity: true)
    codes.append(contentsOf: repeatElement(0, count: rows.count))
    var place = 0
    try granules.forEachValue(of: rows, in: granule, limit: Int64(termCount)) { row, value in
      while rows[place] != row { place += 1 }
      codes[place] = UInt32(truncatingIfNeeded: value) + 1
    }
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
  public var terms: [Term] {
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
  public func term(at index: Int) throws(SegmentError) -> Term {
    precondition(index >= 0 && index < termCount)
    if let term = allTerms.withLock({ $0?[index] }) { return term }
    if let term = lateTerms.withLock({ $0[index] }) { return term }
    let term = try indexes.read(0, as: "a dictionary") { bytes in
      TermDictionary(bytes, count: termCount)?.term(at: index)
    }
    lateTerms.withLock { $0.add(term, at: index) }
    return term
  }

  /// The index of `term`, found by binary search; nil when no row has it.
  public func index(of term: Term) throws(SegmentError) -> Int? {
    try index(ofEncoded: term.encoded())
  }

  /// The index of the term that has these bytes; nil when no row has it.
  package func index(ofEncoded term: [UInt8]) throws(SegmentError) -> Int? {
    let place = try indexes.read(0, as: "a dictionary") { bytes -> TermDictionary.Place? in
      guard let dictionary = TermDictionary(bytes, count: termCount) else { return nil }
      guard let restarts = restarts.value({ RestartKeys(dictionary) }) else {
        return dictionary.place(of: term.rawSpan)
      }
      return restarts.place(of: term.rawSpan, in: dictionary)
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
  public func rowCount(ofTerm index: Int) throws(SegmentError) -> Int {
    precondition(index >= 0 && index < termCount)
    return try readPostings { $0.rowCount(at: index) }
  }

  /// For each term how many rows have it, exactly.
  package var rowCounts: [Int] {
    get throws(SegmentError) {
      if let counts = fewRowCounts.withLock({ $0 }) { return counts }
      let counts = try readPostings { lists -> [Int]? in
        var counts: [Int] = []
        counts.reserveCapacity(termCount)
        for index in 0..<termCount {
          guard let count = lists.rowCount(at: index) else { return nil }
          counts.append(count)
        }
        return counts
      }
      if termCount <= Self.fewTerms { fewRowCounts.withLock { $0 = counts } }
      return counts
    }
  }

  /// The granules in which some row has the term at `index`, ascending.
  public func granules(ofTerm index: Int) throws(SegmentError) -> [Int] {
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

/// The last few terms that were asked for, each in the place of its index modulo their number.
private struct LateTerms {
  private static let count = 256
  private var indices: [Int] = []
  private var terms: [Term] = []

  /// The term at `index`, if it is one of them.
  subscript(index: Int) -> Term? {
    let place = index % Self.count
    return !indices.isEmpty && indices[place] == index ? terms[place] : nil
  }

  mutating func add(_ term: Term, at index: Int) {
    if indices.isEmpty {
      indices = [Int](repeating: -1, count: Self.count)
      terms = [Term](repeating: .bool(false), count: Self.count)
    }
    indices[index % Self.count] = index
    terms[index % Self.count] = term
  }
}
