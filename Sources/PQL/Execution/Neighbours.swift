internal import SegmentIndex

/// The stage `context`: the records before and after each hit in its session.
package struct Neighbours: Sendable, Hashable {
  /// The columns that it adds, and their types.
  static let columns: [(name: String, type: ValueType)] = [("match", .bool), ("group", .int)]
  /// The most hits whose neighbours are looked for.
  static let hitLimit = 1_000
  /// The most neighbours on either side.
  static let countLimit: Int64 = 1_000

  let before: Int
  let after: Int

  /// The hits and their neighbours, each record once. Neighbours that touch or overlap are one group, whose
  /// records are in order of time; groups are in order of their first records.
  func rows(
    of hits: [RecordRow], from source: some RecordSource, _ summary: inout QuerySummary
  ) -> [RecordRow] {
    guard let sessions = hits.first?.sessions else { return [] }
    if hits.count > Self.hitLimit {
      summary.noteCut("there are more than \(Self.hitLimit) hits; the rest is left out")
    }
    var groups: [[Record]] = []
    let hits = hits.prefix(Self.hitLimit).map(\.record).sorted {
      $0.placeInSession < $1.placeInSession
    }
    for hit in hits {
      let earlier = source.records(
        hit.neighbours(before: true), oldestFirst: false, limit: before)
      let later = source.records(hit.neighbours(before: false), oldestFirst: true, limit: after)
      let group: [Record] = earlier.reversed() + [hit] + later
      // The groups of a session grow in order of time, so only the last one can be touched. One that ends
      // just before this one begins is not touched unless it holds the record before.
      guard let last = groups.last, last[0].session == hit.session,
        let end = last.last, touches(end, group[0], source)
      else {
        guard source.allows(keeping: Self.byteCount(of: group)) else { return [] }
        groups.append(group)
        continue
      }
      let added = group.filter { $0.placeInSession > end.placeInSession }
      guard source.allows(keeping: Self.byteCount(of: added)) else { return [] }
      groups[groups.count - 1] += added
    }
    groups.sort { $0[0].position < $1[0].position }
    let matched = Set(hits.map(\.placeInSession))
    return groups.enumerated().flatMap { number, group in
      group.map { record in
        RecordRow(
          record: record, sessions: sessions,
          made: [.bool(matched.contains(record.placeInSession)), .int(Int64(number + 1))])
      }
    }
  }

  /// About how many bytes records take, and the rows that are made of them.
  private static func byteCount(of records: [Record]) -> Int {
    records.reduce(0) { $0 + $1.byteCount + MemoryLayout<RecordRow>.stride }
  }

  /// Whether a group that ends with `end` and one that begins with `start` are one: nothing of the session
  /// lies between.
  private func touches(_ end: Record, _ start: Record, _ source: some RecordSource) -> Bool {
    if start.placeInSession <= end.placeInSession { return true }
    let next = source.records(end.neighbours(before: false), oldestFirst: true, limit: 1)
    return next.first?.placeInSession == start.placeInSession
  }
}

extension Record {
  /// Where the record stands among all, sessions one after the other.
  fileprivate var placeInSession: PlaceInSession {
    PlaceInSession(session: session, time: time, sequence: Int64(bitPattern: sequence))
  }

  /// The records of the session that stand before this one, or after it.
  fileprivate func neighbours(before: Bool) -> Condition {
    let (side, inclusive): (Comparison, Comparison) =
      before ? (.less, .lessOrEqual) : (.greater, .greaterOrEqual)
    let sequence = Value.int(Int64(bitPattern: sequence))
    // The second part bounds the times that are searched.
    return .and([
      .field(.session, is: .uuid(session)), .field(.time, inclusive, .time(time)),
      .or([.field(.time, side, .time(time)), .field(.sequence, side, sequence)]),
    ])
  }
}

/// A record's place among all, sessions one after the other. Sequences order as the signed numbers that
/// queries see.
private struct PlaceInSession: Hashable, Comparable {
  let session: UniqueID
  let time: Int64
  let sequence: Int64

  static func < (left: PlaceInSession, right: PlaceInSession) -> Bool {
    (left.session, left.time, left.sequence) < (right.session, right.time, right.sequence)
  }
}
