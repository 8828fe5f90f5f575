internal import SegmentIndex

/// How many messages of a segment contain a text: known of most by their patterns, of few only by reading them.
struct UnclearMessages: Sendable {
  /// The number of the segment in its run.
  let segment: Int
  /// How many contain the text by their patterns alone.
  private(set) var count = 0
  /// How many have to be read.
  private(set) var testedCount = 0
  /// Where these are.
  private(set) var granules: [Int] = []
  private var codes: [Int] = []
  private let search: TextSearch
  private let column: TextColumn
  private let source: Segment

  /// Nil when many have to be read, or some in many granules, of which all that is read is checked: that is no less than
  /// reading them all.
  init?(of search: TextSearch, in source: Segment, number: Int) throws(SegmentError) {
    guard case .texts(let column) = try source.column(.message) else { return nil }
    segment = number
    self.search = search
    self.column = column
    self.source = source
    let verdicts = try search.verdicts(on: column)
    let possible = verdicts.indices.filter { verdicts[$0] != .never }
    for (code, rowCount) in zip(possible, try column.rowCounts(ofPatterns: possible)) {
      if verdicts[code] == .always {
        count += rowCount
      } else if rowCount > 0 {
        codes.append(code)
        testedCount += rowCount
      }
    }
    guard codes.count <= 4, testedCount <= Segment.granuleRowCount / 4 else { return nil }
    var granules: Set<Int> = []
    for code in codes { granules.formUnion(try column.granules(ofPattern: code)) }
    guard granules.count <= 4 else { return nil }
    self.granules = granules.sorted()
  }

  /// How many contain the text, after reading those of which it is not known; nil when the budget ran out.
  func totalCount(_ budget: RunBudget) throws(SegmentError) -> Int? {
    var count = count
    for granule in granules {
      guard budget.allows() else { return nil }
      var rows = RowBits(count: source.rows(ofGranule: granule).count, all: true)
      rows.formIntersection(try column.rows(ofPatterns: codes, granule: granule))
      var texts = TextGranule()
      try column.append(rows.rows, ofGranule: granule, to: &texts)
      for row in 0..<texts.count
      where search.isFound(in: texts.bytes.span.extracting(texts.range(of: row))) {
        count += 1
      }
    }
    return count
  }
}
