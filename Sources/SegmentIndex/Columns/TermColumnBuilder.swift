internal import JournalKit

/// Collects and writes a dictionary-coded column.
struct TermColumnBuilder {
  private var terms = TermInterner()
  private var entries = SparseValues<UInt32>()

  var isEmpty: Bool { entries.count == 0 }
  /// How many distinct terms there are.
  var termCount: Int { terms.count }
  /// How many rows have a term.
  var entryCount: Int { entries.count }
  /// The bytes that this holds in memory.
  var byteCount: Int { terms.byteCount + entries.byteCount }

  /// Adds the term of `row`, which must be after all others.
  mutating func append(_ term: RawSpan, row: Int) {
    // Rows often repeat the one before: comparing is cheaper than hashing.
    if let last = entries.values.last, terms[last].equals(term) {
      entries.append(last, row: row)
    } else {
      entries.append(terms.intern(term), row: row)
    }
  }

  /// Adds to `row`, which must be after all others, the same term as that of the one before.
  mutating func appendSame(row: Int) {
    guard let last = entries.values.last else { preconditionFailure("there is none before") }
    entries.append(last, row: row)
  }

  /// The bytes of a term, by the order of first appearance.
  subscript(term: UInt32) -> RawSpan {
    @_lifetime(borrow self)
    get { terms[term] }
  }

  /// Calls `body` with each row that has a term, and that term's number.
  func forEachEntry(_ body: (Int, UInt32) -> Void) {
    for (row, term) in zip(entries.rows, entries.values) { body(Int(row), term) }
  }

  /// For each row, in the order of appending, the place of its term among all terms.
  func ranks() -> [UInt32] {
    let ranks = ranks(terms.sorted())
    return entries.values.map { ranks[Int($0)] }
  }

  private func ranks(_ sorted: [UInt32]) -> [UInt32] {
    var ranks = [UInt32](repeating: 0, count: sorted.count)
    for (rank, entry) in sorted.enumerated() { ranks[Int(entry)] = UInt32(rank) }
    return ranks
  }

  /// Writes the column's blocks, and last its own, whose handle is returned.
  func write(to writer: inout ByteWriter, order: RowOrder) -> BlockHandle {
    let sorted = terms.sorted()
    let ranks = ranks(sorted)
    let entries = entries.arranged(by: order)
    let rows = entries.rows
    var granules = BlockListWriter()
    var postings = PostingCollector(termCount: sorted.count)
    let granuleRanges = entries.granules(rowCount: order.count)
    for (granule, range) in granuleRanges.enumerated() {
      guard !range.isEmpty else {
        granules.append(nil)
        continue
      }
      let all = SegmentFormat.rows(
        ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: order.count)
      let granuleRows = rows[range].lazy.map { $0 - UInt32(all.lowerBound) }
      let values = entries.values[range].map { Int64(ranks[Int($0)]) }
      var distinct = postings.add(values, granule: granule)
      // A table of more than half as many values as there are rows does not pay.
      if distinct.count > values.count / 2 { distinct = [] }
      distinct.sort()
      granules.append(
        writer.block {
          $0.granule(rows: granuleRows, among: all.count, values: values, distinct: distinct)
        })
    }
    var indexes = BlockListWriter()
    indexes.append(writer.block { $0.termDictionary(terms, order: sorted) })
    indexes.append(writer.block { postings.write(to: &$0, granuleCount: granuleRanges.count) })
    return writer.block {
      $0.byte(ColumnKind.terms.rawValue)
      $0.varint(UInt64(sorted.count))
      indexes.write(to: &$0)
      granules.write(to: &$0)
    }
  }
}
