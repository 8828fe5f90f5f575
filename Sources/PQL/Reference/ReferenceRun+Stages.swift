internal import SegmentIndex

// The stages that make rows which are not simply records or groups of them.

extension ReferenceRun {
  // MARK: Timeline

  /// Counts per bin and key, and a row for every bin in which a key that occurs anywhere did not.
  mutating func timeline(
    of rows: [ReferenceRow], _ timeline: BoundQuery.Timeline
  ) -> ReferenceTable {
    let width = timeline.width ?? TimelineCounts.width(for: searched)
    let bin = BoundQuery.Column(
      name: "time",
      operand: .bin(.field(.field(.time)), .constant(.duration(width)), timeline.zone))
    let grouping = BoundQuery.Grouping(
      keys: [bin] + timeline.keys,
      aggregates: [.init(name: "count", function: .count, argument: nil)], timeKey: 0)
    let counted = groups(of: rows, grouping)
    guard let bins = bins(of: width, timeline.zone) else {
      summary.noteCut("there are too many bins")
      return counted
    }
    var keys: [[Value?]] = timeline.keys.isEmpty ? [[]] : []
    for row in counted.rows where !timeline.keys.isEmpty {
      let key = Array(row[1...timeline.keys.count])
      if !keys.contains(where: { Reference.key($0) == Reference.key(key) }) { keys.append(key) }
    }
    keys.sort { left, right in
      zip(left, right).map { Reference.order($0, $1) }.first { $0 != 0 } ?? 0 < 0
    }
    guard keys.count * bins.count <= TimelineCounts.rowLimit else {
      summary.noteCut("there are too many empty bins")
      return counted
    }
    var result: [[Value?]] = []
    for bin in bins {
      let present = counted.rows.filter { Reference.order($0[0], .time(bin)) == 0 }
      let shown = Set(present.map { Reference.key(Array($0[1...].dropLast())) })
      let absent = keys.filter { !shown.contains(Reference.key($0)) }
      result += present + absent.map { [.time(bin)] + $0 + [.int(0)] }
    }
    let all = Set(bins)
    result += counted.rows.filter { row in
      if case .time(let bin)? = row[0] { !all.contains(bin) } else { true }
    }
    return ReferenceTable(columns: counted.columns, rows: result)
  }

  /// The starts of the bins of the times that were searched; nil when there are too many.
  private func bins(of width: Int64, _ zone: TimeZoneRules) -> [Int64]? {
    guard let searched, let last = zone.bin(of: searched.upperBound, width: width),
      var bin = zone.bin(of: searched.lowerBound, width: width)
    else { return [] }
    var bins = [bin.lowerBound]
    while bin.lowerBound < last.lowerBound {
      guard bins.count < limits.binCount, let next = zone.bin(of: bin.upperBound, width: width),
        next.lowerBound > bin.lowerBound
      else { return nil }
      bin = next
      bins.append(bin.lowerBound)
    }
    return bins
  }

  // MARK: Spans

  /// A row for each span that one of the rows belongs to, newest start first.
  mutating func spans(of rows: [ReferenceRow], now: Int64) -> ReferenceTable {
    var spans: [UniqueID] = []
    for row in rows {
      if let span = row.record?.span, !spans.contains(span) { spans.append(span) }
    }
    if spans.count > limits.groupCount {
      summary.noteCut("there are too many spans")
      spans.removeLast(spans.count - limits.groupCount)
    }
    var result = spans.map { span in
      self.row(ofSpan: Array(store.records.filter { $0.span == span }.reversed()), now: now)
    }
    result.sort { left, right in
      let byStart = Reference.order(left[3], right[3], isDescending: true)
      return byStart != 0 ? byStart < 0 : Reference.order(left[0], right[0]) < 0
    }
    return ReferenceTable(columns: SpanRows.columns.map(\.name), rows: result)
  }

  /// - Parameter records: all of the span, oldest first.
  private func row(ofSpan records: [Record], now: Int64) -> [Value?] {
    let ofFirstSession = records.filter { $0.session == records[0].session }
    let oldest = ofFirstSession.sorted { $0.sequence < $1.sequence }[0]
    let end = records.last { $0.exit != nil }
    let beginningIsLost = oldest.exit != nil
    var start: Int64? = oldest.time
    if beginningIsLost {
      start = end?.duration.flatMap { Int64(exactly: Int128(oldest.time) - Int128($0)) }
    }
    var duration = end?.duration
    if duration == nil, let start {
      duration = Int64(exactly: max(0, Int128(end?.time ?? now) - Int128(start)))
    }
    var parent: Value?
    if case .string(let text)? = ReferenceJSON(oldest.payload).value(at: [.name("parent")]) {
      parent = UniqueID(text).map(Value.uuid)
    }
    let worst = records.map { Value.level($0.level) }.max { Reference.order($0, $1) < 0 }
    return [
      oldest.span.map(Value.uuid), .string(oldest.event), .string(oldest.message),
      start.map(Value.time), end.map { .time($0.time) }, duration.map(Value.duration),
      end?.exit.map(Value.string), .bool(end == nil), worst, .int(Int64(records.count)),
      oldest.scopes.isEmpty ? nil : .list(oldest.scopes.map(Value.string)),
      .uuid(oldest.session), parent, .bool(beginningIsLost),
    ]
  }

  // MARK: Context

  /// The hits and the records around them in their sessions.
  mutating func neighbours(of rows: [ReferenceRow], _ context: Neighbours) -> [ReferenceRow] {
    if rows.count > Neighbours.hitLimit { summary.noteCut("there are too many hits") }
    let hits = rows.prefix(Neighbours.hitLimit).compactMap(\.record).map(Place.init)
    var groups: [[Record]] = []
    for session in Set(hits.map(\.session)) {
      // Sequences are the signed numbers that queries see.
      let records = store.records.filter { $0.session == session }
        .sorted { Place($0).order < Place($1).order }
      var shown: Set<Int> = []
      for (index, record) in records.enumerated() where hits.contains(Place(record)) {
        shown.formUnion(
          max(index - context.before, 0)...min(index + context.after, records.count - 1))
      }
      var last: Int?
      for index in shown.sorted() {
        if let last, last + 1 == index {
          groups[groups.count - 1].append(records[index])
        } else {
          groups.append([records[index]])
        }
        last = index
      }
    }
    groups.sort { ReferenceEvaluator.isNewer($1[0], $0[0]) }
    return groups.enumerated().flatMap { number, group in
      group.map { record in
        ReferenceRow(
          record: record, sessions: store.sessions,
          columns: [.bool(hits.contains(Place(record))), .int(Int64(number + 1))])
      }
    }
  }

  /// What tells records apart.
  private struct Place: Hashable {
    let session: UniqueID
    let time: Int64
    let sequence: Int64

    init(_ record: Record) {
      session = record.session
      time = record.time
      sequence = Int64(bitPattern: record.sequence)
    }

    var order: (Int64, Int64) { (time, sequence) }
  }

  // MARK: Trace

  /// What led to each of the first rows, oldest first.
  mutating func traces(of rows: [ReferenceRow], _ trace: Trace) -> [ReferenceRow] {
    if rows.count > Trace.anchorLimit { summary.noteCut("there are too many rows to trace") }
    let anchors = rows.prefix(Trace.anchorLimit).compactMap(\.record)
    var result: [ReferenceRow] = []
    for anchor in anchors.sorted(by: { ReferenceEvaluator.isNewer($1, $0) }) {
      let before = store.records.reversed().filter { record in
        record.session == anchor.session && ReferenceEvaluator.isNewer(anchor, record)
          && Int128(anchor.time) - Int128(record.time) <= Int128(trace.back)
      }
      let relations = Self.relations(of: anchor, before, depth: trace.depth)
      var shown = before.compactMap { record -> (Record, String, Int)? in
        if let span = anchor.span, record.span == span { return (record, "span", 0) }
        let found = record.scopes.compactMap { relations[Array($0.utf8)] }
        return found.min { $0 < $1 }.map { (record, Self.names[$0.kind], $0.distance) }
      }
      let room = Trace.recordLimit - result.count - 1
      if shown.count > room {
        summary.noteCut("the trace is too long")
        shown.removeFirst(shown.count - max(room, 0))
      }
      for (record, name, distance) in shown + [(anchor, "anchor", 0)] {
        let lag = Int64(exactly: Int128(anchor.time) - Int128(record.time))
        result.append(
          ReferenceRow(
            record: record, sessions: store.sessions,
            columns: [
              .uuid(anchor.id), .string(name), .int(Int64(distance)), lag.map(Value.duration),
            ]))
      }
    }
    return result
  }

  /// How a scope leads to the anchor, the nearest first: in how many steps, and of the same the kinds in this order.
  private typealias Relation = (distance: Int, kind: Int)
  private static let names = ["scope", "link", "ancestor"]

  /// The nearest relation of every scope that leads to the anchor in at most `depth` steps.
  private static func relations(
    of anchor: Record, _ before: [Record], depth: Int
  ) -> [[UInt8]: Relation] {
    let own = anchor.scopes.map { Array($0.utf8) }
    let linked = before.map { $0.scopes.map { Array($0.utf8) } }
      .filter { scopes in scopes.contains { own.contains($0) } }.joined()
    var all: [(scope: [UInt8], relation: Relation)] = own.map { ($0, (0, 0)) }
    all += linked.map { ($0, (1, 1)) }
    for (scope, relation) in all {
      let slashes = scope.indices.filter { scope[$0] == UInt8(ascii: "/") }
      for (step, slash) in slashes.reversed().enumerated() {
        all.append((Array(scope[..<slash]), (relation.distance + step + 1, 2)))
      }
    }
    var nearest: [[UInt8]: Relation] = [:]
    for (scope, relation) in all where relation.distance <= depth {
      if let known = nearest[scope], known <= relation { continue }
      nearest[scope] = relation
    }
    return nearest
  }
}
