package import PQL
package import SegmentIndex

/// A store of random records, and random questions to it.
package struct OracleStore: Sendable {
  package let records: [Record]
  package let sessions: [SessionInfo]
  package let context: QueryContext
  var stores: StoreGenerator
  var queries: QueryGenerator
  /// The records in one segment, in a few, and in many.
  let layouts: [[Segment]]

  /// A store of at most `recordLimit` records.
  package init(_ choices: Choices, recordLimit: Int = 60) throws {
    stores = StoreGenerator(choices)
    records = stores.records(stores.random.number(0...recordLimit))
    sessions = stores.sessions
    var layouts: [[Segment]] = []
    for count in [1, stores.random.number(2...4), 7] {
      layouts.append(try stores.segments(records, count: count))
    }
    self.layouts = layouts
    queries = QueryGenerator(stores.random)
    var context = QueryContext(now: StoreGenerator.start + 300 * StoreGenerator.minute)
    context.currentSession = sessions[1].id
    self.context = context
  }

  /// The records in one of the layouts.
  mutating func segments() -> [Segment] { queries.random.pick(layouts) }

  /// The query with its names settled, as all of the records have them.
  package func bound(_ text: String, _ segments: [Segment]) throws -> BoundQuery {
    var catalog = Catalog()
    catalog.levels.append(LogLevel("trace", severity: 50))
    catalog.sessions = sessions
    catalog.add(segments)
    do throws(Diagnostics) {
      return try Binder.bind(try Query(text).tree, context, catalog)
    } catch {
      throw FuzzFailure(
        "a query that was made to be right is refused: \(error.rendered(query: text))")
    }
  }

  package func answer(_ query: BoundQuery, _ segments: [Segment]) -> QueryResult {
    Executor.run(query, on: segments, sessions: sessions)
  }

  /// What the answer must be when only these of the records are there.
  package func expected(_ query: BoundQuery, of records: [Record]? = nil) -> QueryResult {
    ReferenceEvaluator(records: records ?? self.records, sessions: sessions).run(query)
  }
}

extension QueryResult.Rows {
  /// Whether both are the same to the byte. (A record with a NaN does not even equal itself.)
  package func isSame(as other: QueryResult.Rows) -> Bool {
    switch (self, other) {
    case (.records(let left), .records(let right)):
      left.map(SegmentBuilder.digest) == right.map(SegmentBuilder.digest)
    default: self == other
    }
  }

  /// The first rows.
  package func prefix(_ count: Int) -> QueryResult.Rows {
    switch self {
    case .records(let records): .records(Array(records.prefix(count)))
    case .table(let columns, let rows): .table(columns: columns, rows: rows.prefix(count))
    }
  }

  /// These rows and then others.
  package func joined(with other: QueryResult.Rows) -> QueryResult.Rows {
    switch (self, other) {
    case (.records(let left), .records(let right)): .records(left + right)
    case (.table(let columns, let left), .table(_, let right)):
      .table(columns: columns, rows: TableRows(Array(left) + Array(right)))
    default: self
    }
  }

  /// For messages.
  package var count: Int {
    switch self {
    case .records(let records): records.count
    case .table(_, let rows): rows.count
    }
  }
}
