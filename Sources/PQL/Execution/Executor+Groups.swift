internal import SegmentIndex

extension Executor {
  /// Puts every row that passes into its groups.
  mutating func group(into groups: inout GroupTable) {
    // Damaged statistics are no loss: then the rows are counted.
    var uncounted: [Int] = []
    var rest = 16
    for index in segments.indices where budget.allows() {
      let isCounted = (try? countByStatistics(segments[index], &groups, reading: &rest)) == true
      if !isCounted { uncounted.append(index) }
    }
    let empty = groups.emptied
    let parts = concurrently(on: uncounted) { worker, pieces, scans in
      var groups = empty
      for piece in pieces { worker.group(piece, &scans, into: &groups) }
      return groups
    }
    for part in parts {
      if groups.hasRows { groups.add(part) } else { groups = part }
    }
  }

  private mutating func group(
    _ piece: ScanPiece, _ scans: inout Scans, into groups: inout GroupTable
  ) {
    guard var scan = scans.removeValue(forKey: piece.segment) ?? scan(piece.segment) else { return }
    do throws(SegmentError) {
      var grouper = try SegmentGrouper(groups.grouping, &scan.reader)
      for granule in scan.granules(of: piece) where groups.hasRoom() {
        visit(granule, of: piece.segment, &scan) { rows, reader throws(SegmentError) in
          try grouper.group(rows, &reader, into: &groups)
        }
      }
    } catch {
      noteGap(segment: piece.segment, error)
    }
  }

  /// Counts a whole segment without reading a row: all rows, or those of each term of one key. False when
  /// the grouping asks for more than that, or the condition does. Nothing is counted unless all is.
  ///
  /// - Parameter granuleLimit: the most granules of which some messages may be read, after all.
  private mutating func countByStatistics(
    _ segment: Segment, _ groups: inout GroupTable, reading granuleLimit: inout Int
  ) throws(SegmentError) -> Bool {
    let grouping = groups.grouping
    guard grouping.aggregates.allSatisfy({ $0.argument == nil }), grouping.keys.count <= 1,
      !damaged.contains(where: { segments[$0.segment] === segment })
    else { return false }
    let others = query.condition.conjuncts.filter { !$0.isTrue(within: segment.timeRange) }
    if grouping.keys.isEmpty, others.count == 1,
      case .test(.field(.field(.message)), .contains(let search)) = others[0]
    {
      guard let found = try rowCount(of: search, in: segment, reading: &granuleLimit)
      else { return false }
      if found.count > 0 { groups.add(count: found.count, of: []) }
      summary.matchedCount += found.count
      summary.scannedCount += found.testedCount
      return true
    }
    guard others.isEmpty else { return false }
    var counts: [(key: [Value?], count: Int)] = []
    if let key = grouping.keys.first {
      guard case .field(let field) = key.operand else { return false }
      var reader = GranuleReader(segment, sessions)
      let slot = try reader.slot(of: field)
      guard case .terms(let column) = reader.slots[slot].source else { return false }
      try reader.loadTerms(slot)
      var rest = segment.rowCount
      for code in 1..<column.termCount + 1 {
        let count = try column.rowCount(ofTerm: code - 1)
        counts.append(([reader.value(slot, code: code)], count))
        rest -= count
      }
      if rest > 0 { counts.append(([nil], rest)) }
    } else {
      counts.append(([], segment.rowCount))
    }
    for (key, count) in counts { groups.add(count: count, of: key) }
    summary.matchedCount += segment.rowCount
    return true
  }
}

extension Executor {
  /// How many messages of a segment contain the text. Where a pattern does not tell its messages are read and tested;
  /// nil when these are many or in many granules, of which all that is read is checked: that is for several threads.
  private func rowCount(
    of search: TextSearch, in segment: Segment, reading granuleLimit: inout Int
  ) throws(SegmentError) -> (count: Int, testedCount: Int)? {
    guard case .texts(let column) = try segment.column(.message) else { return nil }
    var count = 0
    var unclear: [Int] = []
    var testedCount = 0
    for (code, verdict) in try search.verdicts(on: column).enumerated()
    where verdict != .never {
      let rowCount = try column.rowCount(ofPattern: code)
      if verdict == .always {
        count += rowCount
      } else if rowCount > 0 {
        unclear.append(code)
        testedCount += rowCount
      }
    }
    guard unclear.count <= 4, testedCount <= Segment.granuleRowCount / 4 else { return nil }
    var granules: Set<Int> = []
    for code in unclear { granules.formUnion(try column.granules(ofPattern: code)) }
    guard granules.count <= min(4, granuleLimit) else { return nil }
    granuleLimit -= granules.count
    for granule in granules {
      guard budget.allows() else { return nil }
      var rows = RowBits(count: segment.rows(ofGranule: granule).count, all: true)
      rows.formIntersection(try column.rows(ofPatterns: unclear, granule: granule))
      var texts = TextGranule()
      try column.append(rows.rows, ofGranule: granule, to: &texts)
      for row in 0..<texts.count
      where search.isFound(in: texts.bytes.span.extracting(texts.range(of: row))) {
        count += 1
      }
    }
    return (count, testedCount)
  }
}

extension Condition {
  /// Whether every record of these times passes, as far as bounds of time alone tell.
  fileprivate func isTrue(within times: ClosedRange<Int64>?) -> Bool {
    guard let times else { return true }
    guard case .test(.field(.field(.time)), let predicate) = self,
      let range = predicate.integerRange(.time)
    else { return self == .always(true) }
    return range.contains(times.lowerBound) && range.contains(times.upperBound)
  }
}
