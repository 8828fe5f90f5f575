internal import SegmentIndex

/// The stage `spans`: a row for each span of the records it is given, made of all records of the span.
struct SpanRows {
  /// The columns and their types.
  static let columns: [(name: String, type: ValueType)] = [
    ("span", .uuid), ("event", .string), ("message", .string), ("start", .time), ("end", .time),
    ("duration", .duration), ("exit", .string), ("open", .bool), ("level", .level),
    ("records", .int), ("scope", .string), ("session", .uuid), ("parent", .uuid), ("gap", .bool),
  ]

  /// Where the payload of a record that begins a span names the span around it.
  private static let parentPath: [Path.Segment] = [.name("parent")]

  /// The time up to which open spans have lasted.
  let now: Int64
  let sessions: SessionTable

  /// The rows: newest start first, those whose start is not known last.
  ///
  /// - Parameter spans: those of the records, in their order.
  func table(
    of spans: [UniqueID], from source: some RecordSource, _ limits: QueryLimits,
    _ summary: inout QuerySummary
  ) -> Table {
    var wanted: [UniqueID] = []
    var seen: Set<UniqueID> = []
    for span in spans where seen.insert(span).inserted {
      wanted.append(span)
    }
    if wanted.count > limits.groupCount {
      summary.noteCut("there are more than \(limits.groupCount) spans; the rest is left out")
      wanted.removeSubrange(limits.groupCount...)
    }
    let condition = Condition.test(
      .field(.field(.span)), .any(wanted.map { .order(.equal, .uuid($0)) }))
    let records =
      wanted.isEmpty ? [] : source.records(condition, oldestFirst: false, limit: .max)
    guard source.allows(keeping: records.reduce(0) { $0 + $1.byteCount }) else {
      return Table(columns: Self.columns.map(\.name), rows: [])
    }
    // Places take less than records.
    let places = Dictionary(grouping: records.indices.reversed()) { records[$0].span }
    // A span of which nothing can be read any more has no row.
    let table = wanted.compactMap { places[$0].map { row($0.map { records[$0] }) } }
    return Table(columns: Self.columns.map(\.name), rows: table.sorted(by: Self.precedes))
  }

  /// The row of one span; its records are oldest first.
  private func row(_ records: [Record]) -> [Value?] {
    // A clock that was set back meanwhile makes later records look older; their sequence knows better.
    let session = records[0].session
    let oldest = records.reduce(records[0]) { oldest, record in
      record.session == session && record.sequence < oldest.sequence ? record : oldest
    }
    let last = records.last { $0.exit != nil }
    // Without a record before the one that ends it, nobody knows when the span really began but the one
    // who measured it.
    let isCut = oldest.exit != nil
    let measured = last?.duration
    let start = isCut ? measured.flatMap(oldest.time.subtracting) : oldest.time
    var duration = measured
    if duration == nil, let start {
      duration = (last?.time ?? now).subtracting(start).map { max($0, 0) }
    }
    return [
      oldest.span.map(Value.uuid), .string(oldest.event), .string(oldest.message),
      start.map(Value.time), last.map { .time($0.time) }, duration.map(Value.duration),
      last?.exit.map(Value.string), .bool(last == nil), records.map(\.level).max().map(Value.level),
      .int(Int64(records.count)),
      RecordRow(record: oldest, sessions: sessions).value(of: .field(.scope)),
      .uuid(oldest.session), parent(oldest), .bool(isCut),
    ]
  }

  private func parent(_ record: Record) -> Value? {
    guard case .string(let text)? = jsonValue(at: Self.parentPath, in: record.payload.span)
    else { return nil }
    return UniqueID(text).map(Value.uuid)
  }

  private static func precedes(_ left: [Value?], _ right: [Value?]) -> Bool {
    let order = descendingOrder(left[3], right[3])
    return order == .same ? Value.order(left[0], right[0]) == .before : order == .before
  }
}
