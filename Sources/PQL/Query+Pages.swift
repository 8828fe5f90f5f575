public import SegmentIndex

extension Query {
  /// One page of the query's rows: the first ones after `cursor`, or the first of all. When there are more, the
  /// summary's `cursor` is where the next page begins.
  ///
  /// Pages joined are the rows of one run, whatever is logged or compacted between them. (What is removed in between
  /// is not on later pages, and of what is logged with an older time some may be.) When the record is gone that the
  /// last page ended with, the page begins with the next older one, and a note says so.
  ///
  /// - Parameters:
  ///   - limit: the most records that a page is made of, at least 1. When a filter follows `select`, a page can have
  ///     fewer rows, and yet not be the last.
  /// - Throws: `Diagnostics`, as `run` does; also when the query's rows are not records from new to old, and when the
  ///   cursor is another query's.
  public func page(
    after cursor: QueryCursor? = nil, limit: Int, on snapshot: Snapshot, _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    precondition(limit > 0, "a page has at least one row")
    var context = context
    if let cursor {
      guard cursor.isOf(self) else {
        throw Diagnostics([
          Diagnostic(.wrongCursor, "the cursor is of another query", at: 0..<0)
        ])
      }
      context.now = cursor.now
    }
    let bound = try bind(to: snapshot.segments, context)
    guard bound.listsNewestFirst else {
      throw Diagnostics([
        Diagnostic(
          .wrongCursor,
          "only records from new to old have pages; this query sorts, groups, or looks around",
          at: 0..<0)
      ])
    }
    return try bound.page(
      of: self, after: cursor, limit: min(limit, context.limits.rowCount), snapshot, context)
  }
}

extension BoundQuery {
  /// Whether the rows are records, or made of one each, from new to old.
  fileprivate var listsNewestFirst: Bool {
    recordStages.allSatisfy { stage in
      switch stage {
      case .filter, .limit, .dedup: true
      case .sort, .trace, .context: false
      }
    } && keepsRows
  }

  /// Whether the rows are the records, in their order, each by itself.
  var keepsRows: Bool {
    switch exit {
    case .records: true
    case .project:
      tableStages.allSatisfy { stage in
        switch stage {
        case .filter, .project, .extend: true
        case .sort, .limit, .group: false
        }
      }
    case .group, .timeline, .spans: false
    }
  }

  fileprivate func page(
    of query: Query, after cursor: QueryCursor?, limit: Int, _ snapshot: Snapshot,
    _ context: QueryContext
  ) throws(Diagnostics) -> QueryResult {
    let budget = RunBudget(context.limits, context.cancellation)
    var result = try records(after: cursor?.position, limit: limit)
      .run(on: snapshot, budget, context)
    let records = result.records
    if records.count == limit, let last = records.last {
      let next = try self.records(after: last.position, limit: 1)
        .run(on: snapshot, budget, context)
      if next.rowCount > 0 {
        result.summary.cursor = QueryCursor(query, now: context.now, after: last.position)
      }
    }
    if let cursor, try isGone(cursor.position, snapshot, budget, context) {
      result.summary.notes.append(
        "the record that the last page ended with is gone; this one begins with the next older")
    }
    result.rows = rows(of: records, snapshot, budget, context, &result.summary)
    if let diagnostics = budget.diagnostics { throw diagnostics }
    return result
  }

  /// The records that the rows are made of, from the first that is older than `position` on.
  private func records(after position: RowPosition?, limit: Int) -> BoundQuery {
    var search = self
    search.exit = .records
    search.tableStages = []
    if let position {
      let older = Condition.isOlder(than: position)
      // What a `limit` or a `dedup` lets pass depends on the records before, too.
      if recordStages.isEmpty {
        search.condition = .all([condition, older])
      } else {
        search.recordStages.append(.filter(older))
      }
    }
    search.recordStages.append(.limit(limit))
    return search
  }

  /// Whether no record stands there any more.
  private func isGone(
    _ position: RowPosition, _ snapshot: Snapshot, _ budget: RunBudget, _ context: QueryContext
  ) throws(Diagnostics) -> Bool {
    var search = BoundQuery(condition: .isAt(position))
    search.recordStages = [.limit(1)]
    return try search.run(on: Snapshot(segments: snapshot.segments), budget, context).records
      .isEmpty
  }

  /// The rows that the query makes of records, each by itself.
  func rows(
    of records: [Record], _ snapshot: Snapshot, _ budget: RunBudget, _ context: QueryContext,
    _ summary: inout QuerySummary
  ) -> QueryResult.Rows {
    let pipeline = RecordPipeline(
      query: self, sessions: SessionTable(snapshot.segments.flatMap(\.sessions)),
      limits: context.limits, budget: budget, searched: nil, source: records)
    var records = records
    return pipeline.run(&records, [], HeldMemory(budget), &summary)
  }
}

extension Condition {
  /// The record stands behind `position` in the order from new to old.
  fileprivate static func isOlder(than position: RowPosition) -> Condition {
    let session = Value.uuid(UniqueID(bits: position.session))
    return .and([
      // This one bounds the times that are searched.
      .field(.time, .lessOrEqual, .time(position.time)),
      .or([
        .field(.time, .less, .time(position.time)), .field(.session, .less, session),
        .and([.field(.session, is: session), .sequenceIsBelow(position.sequence)]),
      ]),
    ])
  }

  fileprivate static func isAt(_ position: RowPosition) -> Condition {
    .and([
      .field(.time, is: .time(position.time)),
      .field(.session, is: .uuid(UniqueID(bits: position.session))),
      .field(.sequence, is: .int(Int64(bitPattern: position.sequence))),
    ])
  }

  /// Sequences have no sign, and the values that queries see have one.
  private static func sequenceIsBelow(_ sequence: UInt64) -> Condition {
    let isBelow = Condition.field(.sequence, .less, .int(Int64(bitPattern: sequence)))
    let isSmall = Condition.field(.sequence, .greaterOrEqual, .int(0))
    return sequence <= Int64.max ? .and([isSmall, isBelow]) : .or([isSmall, isBelow])
  }
}
