import PQL
import SegmentIndex
import TestSupport

// The oracles that look at a store more than once, or at one that has lost something.

extension OracleStore {
  /// Stages that leave records in their order.
  private mutating func listing() -> String {
    queries.random.pick([
      "", "| where line > 3", "| select time, x = line * 2, event",
      "| extend n = len(message) | where n > 4",
      "| select message, line | where line > 5", "| limit 17", "| dedup event, scope",
      "| dedup message | where has line", "| select s = session.app, scope | extend t = lower(s)",
    ])
  }

  mutating func checkPages() throws {
    let text = queries.filter(2).replacing("trace", with: "error") + " " + listing()
    let query = try Query(text)
    let limit = queries.random.number(1...9)
    let whole = answer(try bound(text, layouts[0]), segments())
    var joined: QueryResult.Rows?
    var cursor: QueryCursor?
    var pageCount = 0
    repeat {
      // Every page sees another layout, and records that came since.
      var layout = segments()
      if cursor != nil, !text.contains("limit"), !text.contains("dedup") {
        var later = Record(
          id: UniqueID(bits: 1), time: context.now, sequence: 1_000, session: sessions[0].id,
          level: .error, event: "later", message: "timeout")
        later.line = 7
        layout.append(try Segment(bytes: stores.bytes(of: [later]), name: "later"))
      }
      let page = try query.page(
        after: cursor.flatMap { QueryCursor($0.description) }, limit: limit,
        on: Snapshot(segments: layout), context)
      try require(page.rows.count <= limit, "a page of \(page.rows.count) rows: \(text)")
      joined = joined?.joined(with: page.rows) ?? page.rows
      cursor = page.summary.cursor
      pageCount += 1
      try require(pageCount <= records.count + 1, "pages have no end: \(text)")
    } while cursor != nil
    let rows = joined ?? .records([])
    try require(
      rows.isSame(as: whole.rows), "\(pageCount) pages of \(limit) are not the whole: \(text)")
  }

  mutating func checkFollow() throws {
    let stages = queries.random.pick([
      "", "| where line > 3", "| select time, x = line * 2, event, sequence", "| count by level",
      "| top 3 event", "| sort -line, sequence | limit 5", "| limit 4", "| dedup event",
      "| timeline every 1h", "| spans | sort span", "| stats max(line), p50(duration)",
    ])
    let text = queries.filter(2).replacing("trace", with: "error") + " " + stages
    let query = try Query(text)
    // The parts in which the records are logged, in no order of time.
    var parts: [[Record]] = [[]]
    for record in records {
      if queries.random.chance(10) { parts.append([]) }
      parts[parts.count - 1].append(record)
    }
    var logged = parts[0]
    let first = Snapshot(segments: try stores.segments(logged, count: 2))
    var follower = try QueryFollower(query, from: first, context)
    let before = answer(try bound(text, first.segments), first.segments)
    var new: [QueryResult.Rows] = []
    var last: QueryResult.Rows?
    var layout = first.segments
    for part in parts.dropFirst() {
      logged += part
      if queries.random.chance(50) {
        layout.append(try Segment(bytes: stores.bytes(of: part), name: "part"))
      } else {
        layout = try stores.segments(logged, count: stores.random.number(1...3))
      }
      switch try follower.refresh(Snapshot(segments: layout), context) {
      case .new(let result): new.append(result.rows)
      case .replaced(let result): last = result.rows
      case nil: break
      }
      try require(
        try follower.refresh(Snapshot(segments: layout), context) == nil, "old news: \(text)")
    }
    let after = answer(try bound(text, layout), layout)
    if let last {
      try require(last.isSame(as: after.rows), "the last rows are not those of a run: \(text)")
    } else {
      let told = (new + [before.rows]).flatMap(\.keys).sorted()
      try require(
        told == after.rows.keys.sorted() || parts.count == 1 || !isNews(stages),
        "news are not what a run finds: \(text)")
    }
  }

  private func isNews(_ stages: String) -> Bool {
    stages.isEmpty || stages.hasPrefix("| where") || stages.hasPrefix("| select")
  }

  // MARK: Damage

  mutating func checkDamage() throws {
    let parts = stores.random.number(1...4)
    var dealt = [[Record]](repeating: [], count: parts)
    for record in records { dealt[stores.random.number(0...parts - 1)].append(record) }
    var files = try dealt.map { try stores.bytes(of: $0) }
    for _ in 0..<stores.random.number(1...3) {
      let file = stores.random.number(0...parts - 1)
      let place = stores.random.number(0...files[file].count - 1)
      files[file][place] ^= 1 << UInt8(stores.random.number(0...7))
    }
    // A file whose head is damaged does not open at all; the store reports that.
    let opened = files.indices.filter { (try? Segment(bytes: files[$0], name: "\($0)")) != nil }
    let segments = try opened.map { try Segment(bytes: files[$0], name: "\($0)") }
    let text = queries.query()
    let query = try bound(text, layouts[0])
    let answer = answer(query, segments)
    let lost = Set(answer.summary.gaps.map(\.segment))
    try require(
      answer.summary.isComplete == (lost.isEmpty && !answer.summary.isCut), "complete: \(text)")
    let rest = opened.filter { !lost.contains("\($0)") }.flatMap { dealt[$0] }
    // Which times were searched, a damaged segment still says.
    if !text.contains("timeline"), !text.contains("rate()") {
      let expected = expected(query, of: rest)
      try require(
        answer.rows.isSame(as: expected.rows),
        "\(text)\n\(answer.ndjson)is not that of the rest:\n\(expected.ndjson)")
    }
    for name in lost {
      let missing = dealt[Int(name) ?? 0]
      let gaps = answer.summary.gaps.filter { $0.segment == name }
      let told = gaps.reduce(0) { $0 + ($1.estimatedCount ?? 0) }
      try require(told == missing.count, "\(told) of \(missing.count) records are missed: \(text)")
      for gap in gaps {
        guard let range = gap.timeRange else { continue }
        try require(
          missing.allSatisfy { range.contains($0.time) }, "a gap does not cover its loss: \(text)")
      }
    }
  }
}

extension QueryResult.Rows {
  /// What tells the rows apart, as text.
  fileprivate var keys: [String] {
    switch self {
    case .records(let records): records.map { "\($0.session) \($0.sequence)" }
    case .table(_, let rows): rows.map { "\($0)" }
    }
  }
}
