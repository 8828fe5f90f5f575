internal import SegmentIndex

// Counting without reading a row, or with reading few.

extension Executor {
  /// Counts whole segments by their statistics: all rows, or those of each term of one key. Returns the segments for which
  /// the grouping or the condition asks for more; nothing of those is counted.
  mutating func countByStatistics(into groups: inout GroupTable) -> [Int] {
    let grouping = groups.grouping
    guard grouping.aggregates.allSatisfy({ $0.argument == nil }), grouping.keys.count <= 1
    else { return Array(segments.indices) }
    let conjuncts = query.condition.conjuncts
    var uncounted: [Int] = []
    var unclear: [UnclearMessages] = []
    var sum = TermCounts()
    for index in segments.indices where budget.allows() {
      // Damaged statistics are no loss: then the rows are counted.
      let isCounted = try? count(index, conjuncts, &groups, &sum, &unclear)
      if isCounted != true { uncounted.append(index) }
    }
    add(sum, &groups)
    return uncounted + countMessages(unclear, &groups)
  }

  /// Counts a segment; false when that takes reading its rows.
  ///
  /// - Parameters:
  ///   - sum: what has been counted and is not yet in the groups.
  ///   - unclear: gets what of a few messages has to be read first; then they are not counted yet.
  private mutating func count(
    _ index: Int, _ conjuncts: [Condition], _ groups: inout GroupTable, _ sum: inout TermCounts,
    _ unclear: inout [UnclearMessages]
  ) throws(SegmentError) -> Bool {
    let segment = segments[index]
    guard damaged.isEmpty || !damaged.contains(where: { $0.segment == index }) else { return false }
    let others = conjuncts.filter { !$0.isTrue(within: segment.timeRange) }
    if let key = groups.grouping.keys.first {
      guard others.isEmpty, case .field(let field) = key.operand,
        let name = field.columnOfKeys,
        case .terms(let column)? = try segment.column(name)
      else { return false }
      let (terms, counts) = (try column.terms, try column.rowCounts)
      if sum.terms != terms {
        add(sum, &groups)
        sum = TermCounts(terms)
      }
      sum.add(counts, segment.rowCount)
    } else if others.isEmpty {
      groups.add(count: segment.rowCount, of: [])
    } else {
      guard others.count == 1,
        case .test(.field(.field(.message)), .contains(let search)) = others[0],
        let messages = try UnclearMessages(of: search, in: segment, number: index)
      else { return false }
      if messages.granules.isEmpty {
        add(messages, messages.count, &groups)
      } else {
        unclear.append(messages)
      }
      return true
    }
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

  /// Makes what has been counted groups.
  private func add(_ counts: TermCounts, _ groups: inout GroupTable) {
    guard let key = groups.grouping.keys.first, case .field(let field) = key.operand else { return }
    for (term, count) in zip(counts.terms, counts.counts) {
      groups.add(count: count, of: [value(of: field, as: term)])
    }
    if counts.restCount > 0 { groups.add(count: counts.restCount, of: [nil]) }
  }

  /// The value that a field has where its column has a term.
  private func value(of field: FieldReference, as term: Term) -> Value? {
    guard case .field(let name) = field, name.isOfSession else { return Value(term) }
    guard case .identity(let session) = term else { return nil }
    return sessions.value(of: name, session: session)
  }
}

/// How many rows have each of some terms, in segments that follow one another and have the same ones: mostly all have the
/// same levels, and those need not be looked up for each segment.
private struct TermCounts {
  let terms: [Term]
  private(set) var counts: [Int]
  /// How many rows have none.
  private(set) var restCount = 0

  init(_ terms: [Term] = []) {
    self.terms = terms
    counts = [Int](repeating: 0, count: terms.count)
  }

  /// Adds those of a segment of `rowCount` rows.
  mutating func add(_ more: [Int], _ rowCount: Int) {
    var rest = rowCount
    for (index, count) in more.enumerated() {
      counts[index] += count
      rest -= count
    }
    restCount += max(rest, 0)
  }
}

extension FieldReference {
  /// The column whose terms decide the field's values; nil when there is none.
  fileprivate var columnOfKeys: SegmentField? {
    guard case .field(let field) = self else { return columnOfTerms }
    if field == .scope { return .scopes }
    return field.isOfSession ? .session : columnOfTerms
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
