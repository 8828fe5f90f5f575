internal import SegmentIndex

extension Executor {
  /// Puts every row that passes into its groups.
  mutating func group(into groups: inout GroupTable) {
    // Damaged statistics are no loss: then the rows are counted.
    var uncounted: [Int] = []
    var unclear: [UnclearMessages] = []
    for index in segments.indices where budget.allows() {
      let isCounted = (try? countByStatistics(index, &groups, &unclear)) == true
      if !isCounted { uncounted.append(index) }
    }
    uncounted += countMessages(unclear, &groups)
    let empty = groups.emptied
    var parts = concurrently(on: uncounted) { worker, pieces, scans in
      var groups = empty.emptied
      for piece in pieces { worker.group(piece, &scans, into: &groups) }
      return groups
    }
    // Taken out one by one: a part that somebody else has would be copied.
    parts.reverse()
    while let part = parts.popLast() {
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
      grouper.finish(scan.reader, into: &groups)
    } catch {
      noteGap(segment: piece.segment, error)
    }
  }

  /// Counts a whole segment without reading a row: all rows, or those of each term of one key. False when
  /// the grouping asks for more than that, or the condition does. Nothing is counted unless all is.
  ///
  /// - Parameter unclear: gets what of a few messages has to be read first; then they are not counted yet.
  private mutating func countByStatistics(
    _ index: Int, _ groups: inout GroupTable, _ unclear: inout [UnclearMessages]
  ) throws(SegmentError) -> Bool {
    let segment = segments[index]
    let grouping = groups.grouping
    guard grouping.aggregates.allSatisfy({ $0.argument == nil }), grouping.keys.count <= 1,
      !damaged.contains(where: { $0.segment == index })
    else { return false }
    let others = query.condition.conjuncts.filter { !$0.isTrue(within: segment.timeRange) }
    if grouping.keys.isEmpty, others.count == 1,
      case .test(.field(.field(.message)), .contains(let search)) = others[0]
    {
      guard let messages = try UnclearMessages(of: search, in: segment, number: index)
      else { return false }
      if messages.granules.isEmpty {
        add(messages, messages.count, &groups)
      } else {
        unclear.append(messages)
      }
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

  /// Reads and counts messages; returns the segments of which some could not be read: none of those are counted.
  private mutating func countMessages(
    _ unclear: [UnclearMessages], _ groups: inout GroupTable
  ) -> [Int] {
    let granuleCount = unclear.reduce(0) { $0 + $1.granules.count }
    let shareCount = granuleCount < concurrency.granuleCount ? 1 : concurrency.threadCount
    let budget = budget
    let counts = concurrentResults(shareCount) { share in
      let start = unclear.count * share / shareCount
      return unclear[start..<unclear.count * (share + 1) / shareCount].map { messages in
        (try? messages.totalCount(budget)) ?? nil
      }
    }
    var uncounted: [Int] = []
    for (messages, count) in zip(unclear, counts.joined()) {
      if let count { add(messages, count, &groups) } else { uncounted.append(messages.segment) }
    }
    return uncounted
  }

  private mutating func add(_ messages: UnclearMessages, _ count: Int, _ groups: inout GroupTable) {
    if count > 0 { groups.add(count: count, of: []) }
    summary.matchedCount += count
    summary.scannedCount += messages.testedCount
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
