import PQL
import SegmentIndex

// The oracles that compare answers to one question.

extension OracleStore {
  mutating func checkReference() throws {
    let segments = segments()
    let text = queries.query()
    let query = try bound(text, segments)
    let (answer, expected) = (answer(query, segments), expected(query))
    try require(answer.summary.gaps.isEmpty, "a sound store has gaps: \(text)")
    try require(answer.summary.isCut == expected.summary.isCut, "cut or not: \(text)")
    try require(
      answer.rows.isSame(as: expected.rows),
      "\(text)\n\(answer.ndjson)is not what it must be:\n\(expected.ndjson)")
  }

  // MARK: Two parts

  mutating func checkPartition() throws {
    let segments = segments()
    let filter = queries.filter(3)
    let aggregates =
      "n = count(), s = sum(line), d = sum(duration), a = min(time), b = max(duration)"
    var found: [SessionSequence] = []
    var totals: [[Value?]] = []
    for part in [filter, "not (\(filter))"] {
      let list = answer(try bound(part, segments), segments)
      found += list.records.map { SessionSequence($0) }
      let summary = answer(try bound("\(part) | stats \(aggregates)", segments), segments)
      totals += summary.table?.rows ?? []
    }
    let all = Set(records.map { SessionSequence($0) })
    try require(found.count == records.count && Set(found) == all, "not two parts: \(filter)")
    let whole = answer(try bound("| stats \(aggregates)", segments), segments).table?.rows[0] ?? []
    for (column, combine) in [sum, sum, sum, least, greatest].enumerated() {
      let joined = combine(totals[0][column], totals[1][column])
      try require(joined == whole[column], "parts do not make the whole: \(filter)")
    }
    let moment = queries.random.pick(["2026-09-01T02:00Z", "-2h", "today"])
    let halves = try ["since \(moment)", "until \(moment)"].map {
      answer(try bound($0, segments), segments).rowCount
    }
    try require(halves[0] + halves[1] == records.count, "time does not split at \(moment)")
  }

  private func sum(_ left: Value?, _ right: Value?) -> Value? {
    guard let left, let right else { return left ?? right }
    var sum = ExactSum()
    sum.add(left)
    sum.add(right)
    return sum.total
  }

  private func least(_ left: Value?, _ right: Value?) -> Value? {
    Value.order(left, right) == .after ? right : left
  }

  private func greatest(_ left: Value?, _ right: Value?) -> Value? {
    guard let left, let right else { return left ?? right }
    return Value.order(left, right) == .before ? right : left
  }

  mutating func checkTruth() throws {
    let segments = segments()
    let filter = queries.filter(3)
    let condition = try bound(filter, segments).condition
    let found = answer(try bound("\(filter) | count", segments), segments)
    var counting = try bound("| count", segments)
    guard case .group(var grouping) = counting.exit else { return }
    grouping.aggregates = [.init(name: "count", function: .count, argument: .truth(condition))]
    counting.exit = .group(grouping)
    try require(
      found.rows.isSame(as: answer(counting, segments).rows), "found is not true: \(filter)")
  }

  // MARK: Other ways

  /// Whether the answer depends on which times the condition admits, and not only on which records.
  private func dependsOnBounds(_ text: String) -> Bool {
    text.contains("timeline") || text.contains("rate()")
  }

  mutating func checkRewriting() throws {
    let segments = segments()
    let (filter, stages) = (queries.filter(3), queries.stages())
    let query = try bound(filter + stages, segments)
    let answer = answer(query, segments)
    guard !dependsOnBounds(stages) else { return }
    let condition = query.condition
    var rewritten: [BoundQuery] = []
    for condition in [
      // No index, bound of time or order of tests is seen through these.
      Condition.not(.not(condition)), .or([.always(false), condition]),
      .not(.or([.not(condition), .always(false)])), reordered(condition),
    ] {
      var other = query
      other.condition = condition
      rewritten.append(other)
    }
    // Whole records instead of columns.
    var slow = query
    slow.recordStages.insert(.limit(.max), at: 0)
    rewritten.append(slow)
    slow.condition = .always(true)
    slow.recordStages.insert(.filter(condition), at: 1)
    rewritten.append(slow)
    for (index, other) in rewritten.enumerated() {
      let otherAnswer = self.answer(other, segments)
      try require(
        otherAnswer.rows.isSame(as: answer.rows),
        "rewriting \(index) of \(filter)\(stages)\n\(answer.ndjson)becomes\n\(otherAnswer.ndjson)")
    }
  }

  /// The conjunction with its parts in another order.
  private mutating func reordered(_ condition: Condition) -> Condition {
    switch condition {
    case .and(let parts): .and(parts.shuffled(using: &queries.random))
    case .or(let parts): .or(parts.shuffled(using: &queries.random))
    // De Morgan.
    case .not(.and(let parts)): .or(parts.map { .not($0) })
    case .not(.or(let parts)): .and(parts.map { .not($0) })
    default: condition
    }
  }

  mutating func checkLayout() throws {
    let text = queries.query()
    let whole = layouts[0]
    let query = try bound(text, whole)
    let answer = answer(query, whole)
    // A segment for each record, and segments without any.
    var layouts = layouts.dropFirst() + [whole + (try stores.segments([], count: 2))]
    if queries.random.chance(20) {
      layouts.append(
        try records.map { try Segment(bytes: stores.bytes(of: [$0]), name: "one") })
    }
    for layout in layouts {
      let other = self.answer(query, layout.shuffled(using: &queries.random))
      try require(
        other.rows.isSame(as: answer.rows),
        "\(text) in \(layout.count) segments\n\(other.ndjson)is not that in one:\n\(answer.ndjson)")
    }
  }

  mutating func checkPrefix() throws {
    let segments = segments()
    let filter = queries.filter(2)
    let parts = queries.stages().split(separator: "|").dropFirst().map { "|" + $0 }
    for count in 0...parts.count {
      let text = filter + " " + parts.prefix(count).joined()
      let whole = answer(try bound(text, segments), segments)
      let limit = queries.random.number(0...12)
      let fewer = answer(try bound("\(text) | limit \(limit)", segments), segments)
      try require(
        fewer.rows.isSame(as: whole.rows.prefix(limit)), "not the first \(limit): \(text)")
    }
  }
}

/// What tells the records of a store apart.
struct SessionSequence: Hashable {
  let session: UniqueID
  let sequence: UInt64

  init(_ record: Record) {
    session = record.session
    sequence = record.sequence
  }
}
