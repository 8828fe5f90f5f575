internal import SegmentIndex

/// The stage `trace`: what led to a record, by the spans and scopes that it shares with earlier ones.
package struct Trace: Sendable, Hashable {
  /// The columns that it adds, and their types.
  static let columns: [(name: String, type: ValueType)] = [
    ("anchor", .uuid), ("relation", .string), ("distance", .int), ("lag", .duration),
  ]
  /// The most records that are traced back.
  static let anchorLimit = 10
  /// The most records that a trace shows.
  static let recordLimit = 10_000
  /// The most steps.
  static let depthLimit: Int64 = 8

  /// How far back it looks, in nanoseconds.
  let back: Int64
  /// How many steps through scopes it goes.
  let depth: Int

  /// The earlier records that are related to each anchor, oldest first, and then the anchor; anchors are
  /// oldest first.
  func rows(
    of anchors: [RecordRow], from source: some RecordSource, _ summary: inout QuerySummary
  ) -> [RecordRow] {
    guard let sessions = anchors.first?.sessions else { return [] }
    if anchors.count > Self.anchorLimit {
      summary.noteCut(
        "only the first \(Self.anchorLimit) of \(anchors.count) records are traced back")
    }
    var rows: [RecordRow] = []
    let traced = anchors.prefix(Self.anchorLimit).map(\.record)
    for anchor in traced.sorted(by: { $0.position < $1.position }) {
      let start = anchor.time.adding(-back) ?? .min
      let candidates = source.records(
        .and([
          .field(.session, is: .uuid(anchor.session)),
          .field(.time, .greaterOrEqual, .time(start)),
          .field(.time, .lessOrEqual, .time(anchor.time)),
        ]), oldestFirst: false, limit: .max
      ).filter { $0.position < anchor.position }
      let relations = Relations(anchor, candidates, depth: depth)
      var related = candidates.reversed().compactMap { record in
        relations.relation(to: record).map { (record, $0) }
      }
      let room = Self.recordLimit - rows.count - 1
      if related.count > room {
        summary.noteCut("only the newest \(Self.recordLimit) records of the trace are shown")
        related.removeFirst(related.count - max(room, 0))
      }
      let byteCount = related.reduce(0) {
        $0 + $1.0.byteCount + MemoryLayout<RecordRow>.stride
      }
      guard source.allows(keeping: byteCount) else { return [] }
      for (record, relation) in related + [(anchor, Relation(name: "anchor", distance: 0))] {
        rows.append(
          RecordRow(
            record: record, sessions: sessions,
            made: [
              .uuid(anchor.id), .string(relation.name), .int(Int64(relation.distance)),
              anchor.time.subtracting(record.time).map(Value.duration),
            ]))
      }
    }
    return rows
  }
}

/// How a record is related to an anchor.
private struct Relation {
  let name: String
  /// Steps from the anchor's own span and scopes.
  let distance: Int
}

/// The scopes that lead to an anchor, each with its nearest relation.
///
/// An anchor's scopes are no step away. Scopes that occur together in a record are linked: those linked to
/// the anchor's are one step away. From each of these their parents lead on, a step each.
private struct Relations {
  private let span: UniqueID?
  /// By scope, which is a text that equals only itself, to the byte.
  private var scopes: [Value: Relation] = [:]

  init(_ anchor: Record, _ candidates: [Record], depth: Int) {
    span = anchor.span
    let own = Set(anchor.scopes.map(Value.string))
    let linked = candidates.map { $0.scopes.map(Value.string) }
      .filter { !own.isDisjoint(with: $0) }.joined()
    for scope in own { note(scope, Relation(name: "scope", distance: 0), depth) }
    for scope in linked { note(scope, Relation(name: "link", distance: 1), depth) }
    for (scope, relation) in scopes {
      guard case .string(let scope) = scope else { continue }
      var path = Substring(scope)
      var distance = relation.distance
      // By bytes: a slash and a mark behind it are one character.
      while let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) {
        path = path[..<slash]
        distance += 1
        note(.string(String(path)), Relation(name: "ancestor", distance: distance), depth)
      }
    }
  }

  /// Remembers the nearest relation of a scope; of equally near ones a link before an ancestor.
  private mutating func note(_ scope: Value, _ relation: Relation, _ depth: Int) {
    guard relation.distance <= depth else { return }
    if let known = scopes[scope],
      (known.distance, known.name == "ancestor" ? 1 : 0)
        <= (relation.distance, relation.name == "ancestor" ? 1 : 0)
    {
      return
    }
    scopes[scope] = relation
  }

  /// The nearest relation of a record; nil when there is none.
  func relation(to record: Record) -> Relation? {
    if let span, record.span == span { return Relation(name: "span", distance: 0) }
    return record.scopes.compactMap { scopes[.string($0)] }.min {
      ($0.distance, $0.name == "ancestor" ? 1 : 0) < ($1.distance, $1.name == "ancestor" ? 1 : 0)
    }
  }
}
