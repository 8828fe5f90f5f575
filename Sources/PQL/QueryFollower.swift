public import SegmentIndex

/// Follows a query: says, snapshot after snapshot, what is new.
///
/// - A query whose rows are records, filtered and each shown by itself, has news: the records that have appeared, from
///   old to new. Each record is tested once, when it appears.
/// - The rows of any other query are shown anew when they have changed.
///
/// Two kinds of query cannot be followed: a `trace`, and a `sort` that no `limit` bounds.
public struct QueryFollower: Sendable {
  /// What there is to show.
  public enum Change: Sendable {
    /// Further rows: the oldest ones, when there are more than the limits of rows and memory allow at once. The
    /// rest comes with the next refreshes.
    case new(QueryResult)
    /// All rows, in place of those before.
    case replaced(QueryResult)

    /// The rows, and what the run did.
    public var result: QueryResult {
      switch self {
      case .new(let result), .replaced(let result): result
      }
    }
  }

  /// What is followed.
  public let query: Query
  /// The records that were tested, by session.
  private var tested: [UniqueID: SequenceSet] = [:]
  /// Segments all of whose records were tested.
  private var finished: Set<UniqueID> = []
  /// The rows that were shown last.
  private var shown: QueryResult.Rows?

  /// Follows the query from `snapshot` on: its records are no news.
  ///
  /// - Throws: `Diagnostics` when the query is wrong, or cannot be followed.
  public init(
    _ query: Query, from snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) {
    self.query = query
    let bound = try query.bind(to: snapshot.segments, context)
    if let reason = bound.reasonNotToFollow {
      throw Diagnostics([Diagnostic(.notFollowed, reason, at: 0..<0)])
    }
    if bound.hasNews { test(snapshot.segments) }
  }

  /// What is new in `snapshot`, which is later than those before; nil when that is nothing.
  ///
  /// - Parameter context: its `now` is the time of the refresh.
  /// - Throws: `Diagnostics`, as a run does. The next refresh tells what this one would have.
  public mutating func refresh(
    _ snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) -> Change? {
    let bound = try query.bind(to: snapshot.segments, context)
    let budget = RunBudget(context.limits, context.cancellation)
    guard bound.hasNews else {
      let result = try bound.run(on: snapshot, budget, context)
      guard shown?.isSame(as: result.rows) != true else { return nil }
      shown = result.rows
      return .replaced(result)
    }
    let fresh = snapshot.segments.filter { !isFinished($0) }
    guard !fresh.isEmpty else { return nil }
    var search = bound
    search.exit = .records
    search.tableStages = []
    var news = OldestRecords(context.limits)
    var limits = context.limits
    limits.rowCount = .max
    let summary = Executor.stream(search, on: fresh, limits, budget: budget) { records in
      for record in records where tested[record.session]?.contains(record.sequence) != true {
        news.append(record)
      }
    }
    if let diagnostics = budget.diagnostics { throw diagnostics }
    guard var summary else { preconditionFailure("what has news lists records") }
    let records = Array(news.finish().reversed())
    let rows = bound.rows(of: records, snapshot, budget, context, &summary)
    if let diagnostics = budget.diagnostics { throw diagnostics }
    if news.isCut {
      for record in records {
        tested[record.session, default: SequenceSet()].insert(record.sequence)
      }
    } else {
      test(fresh)
    }
    finished.formIntersection(snapshot.segments.map(\.id))
    return records.isEmpty && summary.isComplete
      ? nil : .new(QueryResult(rows: rows, summary: summary))
  }

  /// Whether all records of the segment were tested, in it or in those that it stands for.
  private func isFinished(_ segment: Segment) -> Bool {
    finished.contains(segment.id)
      || !segment.parents.isEmpty && finished.isSuperset(of: segment.parents)
  }

  /// Remembers that all records of the segments were tested. What cannot be read now is not read later.
  private mutating func test(_ segments: [Segment]) {
    for segment in segments {
      finished.insert(segment.id)
      try? segment.forEachRecord { session, sequence in
        tested[session, default: SequenceSet()].insert(sequence)
      }
    }
  }
}

/// The last ones of a stream of records: as many as one change may show.
private struct OldestRecords {
  /// From new to old, as they came.
  private var records: [Record] = []
  /// Whether there were more.
  private(set) var isCut = false
  private var byteCount = 0
  private let countLimit: Int
  private let byteLimit: Int

  init(_ limits: QueryLimits) {
    countLimit = max(limits.rowCount, 1)
    // As much again is for the rows that are made of them.
    byteLimit = limits.byteCount / 2
  }

  mutating func append(_ record: Record) {
    records.append(record)
    byteCount += record.byteCount
    // Now and then a good part at once, because what goes is in front.
    if records.count / 2 >= countLimit || byteCount > byteLimit { cut() }
  }

  /// Those that one change shows.
  mutating func finish() -> [Record] {
    if records.count > countLimit { cut() }
    return records
  }

  /// Drops the newest ones: leaves at most the count, and at most half of the memory but always one record.
  private mutating func cut() {
    var start = records.count
    byteCount = 0
    while start > 0, records.count - start < countLimit {
      let size = records[start - 1].byteCount
      guard byteCount + size <= byteLimit / 2 || start == records.count else { break }
      byteCount += size
      start -= 1
    }
    guard start > 0 else { return }
    records.removeFirst(start)
    isCut = true
  }
}

extension BoundQuery {
  /// Whether a new record makes a new row and changes no other.
  fileprivate var hasNews: Bool { recordStages.isEmpty && keepsRows }

  /// Why the query cannot be followed; nil when it can.
  fileprivate var reasonNotToFollow: String? {
    for (index, stage) in recordStages.enumerated() {
      switch stage {
      case .trace: return "`trace` looks back from records that are there, and cannot be followed"
      case .sort where !recordStages[index...].contains(where: { $0.isLimit }):
        return "a `sort` can be followed only with a `limit` behind it"
      case .filter, .sort, .limit, .dedup, .context: break
      }
    }
    return nil
  }
}

extension BoundQuery.RecordStage {
  fileprivate var isLimit: Bool {
    if case .limit = self { true } else { false }
  }
}

extension Segment {
  /// Calls `body` with what names each record; skips granules that cannot be read.
  fileprivate func forEachRecord(
    _ body: (_ session: UniqueID, _ sequence: UInt64) -> Void
  ) throws(SegmentError) {
    var reader = GranuleReader(self, SessionTable([]))
    let session = try reader.slot(of: .field(.session))
    let sequence = try reader.slot(of: .field(.sequence))
    try reader.loadTerms(session)
    for granule in 0..<granuleCount {
      reader.move(to: granule)
      let all = RowBits(count: rows(ofGranule: granule).count, all: true)
      guard (try? reader.load(session, all)) != nil, (try? reader.load(sequence, all)) != nil
      else { continue }
      for row in all {
        reader.row = row
        guard case .uuid(let id)? = reader.column(session) else { continue }
        body(id, UInt64(bitPattern: reader.slots[sequence].integers[row]))
      }
    }
  }
}

extension QueryResult.Rows {
  /// Whether both show the same. Records never change, so that it is enough that they are the same ones; one that
  /// holds a NaN does not even equal itself.
  fileprivate func isSame(as other: QueryResult.Rows) -> Bool {
    guard case .records(let left) = self, case .records(let right) = other
    else { return self == other }
    return left.elementsEqual(right) { $0.position == $1.position && $0.id == $1.id }
  }
}
