public import PQL
public import SegmentIndex

/// A question in fields, for programs that have no use for a language: records that satisfy everything that is set.
///
/// ```swift
/// var query = LogQuery()
/// query.minimumLevel = .warning
/// query.scope = .under("App/Payments")
/// let records = try store.reader.records(matching: query)
/// ```
/// It is answered as the query in PQL that `query` is.
public struct LogQuery: Sendable {
  /// Which scopes a record may have.
  public enum ScopeMatch: Sendable, Hashable {
    /// One of them is this path.
    case exactly(String)
    /// One of them is this path or below it.
    case under(String)
  }

  /// From this time on, in nanoseconds since 1970.
  public var since: Int64?
  /// Before this time, in nanoseconds since 1970.
  public var until: Int64?
  /// This level or a more severe one.
  public var minimumLevel: LogLevel?
  /// The event's name.
  public var event: String?
  /// The session that logged.
  public var session: UniqueID?
  /// The span that the record begins, ends or belongs to.
  public var span: UniqueID?
  /// Where the record belongs.
  public var scope: ScopeMatch?
  /// Tags, all of which the record has with these values. A tag of JSON is equal to nothing.
  public var tags: [LogTag] = []
  /// How the record's span ended, such as `failure`.
  public var exit: String?
  /// What the message contains, in any case.
  public var text: String?
  /// The program's own identity for the event.
  public var externalID: String?
  /// Records that come later in their session than this number; sensible together with `session`.
  public var afterSequence: UInt64?
  /// The most records; nil for as many as the reader's limits allow.
  public var limit: Int?
  /// How many of the newest records are left out. Records that are logged meanwhile move what is left out; the pages
  /// of `StoreReader.page` stand still.
  public var offset = 0

  /// Every record.
  public init() {}

  /// The question in PQL; `offset` is no part of it, but `limit` leaves room for what is left out.
  public var query: Query {
    Query {
      for filter in filters { filter }
    } stages: {
      if let limit {
        let (sum, overflow) = max(limit, 0).addingReportingOverflow(max(offset, 0))
        QueryStage.limit(overflow ? .max : sum)
      }
    }
  }

  private var filters: [Filter] {
    var filters: [Filter] = []
    if let since { filters.append(.since(.nanoseconds(since))) }
    if let until { filters.append(.until(.nanoseconds(until))) }
    if let minimumLevel { filters.append(QueryField.level >= minimumLevel) }
    if let event { filters.append(QueryField.event == event) }
    if let session { filters.append(QueryField.session == session) }
    if let span { filters.append(QueryField.span == span) }
    switch scope {
    case .exactly(let path)?: filters.append(QueryField.scope == path)
    case .under(let path)?: filters.append(.under(path))
    case nil: break
    }
    filters += tags.map(Self.filter)
    if let exit { filters.append(QueryField.exit == exit) }
    if let text { filters.append(.text(text)) }
    if let externalID { filters.append(QueryField.externalID == externalID) }
    if let afterSequence {
      // No record has a number past what a query can compare with.
      filters.append(QueryField.sequence > Int64(clamping: afterSequence))
    }
    return filters
  }

  private static func filter(_ tag: LogTag) -> Filter {
    let field = QueryField.tag(tag.key)
    switch tag.value {
    case .string(let text): return field == text
    case .int(let number): return field == number
    // No number equals these, and the language has no words for them.
    case .double(let number) where !number.isFinite: return .any([])
    case .double(let number): return field == number
    case .bool(let flag): return field == flag
    case .json: return .any([])
    }
  }
}

extension StoreReader {
  /// The records that satisfy the query, newest first.
  ///
  /// - Throws: `Diagnostics` when the answer takes more time or memory than `limits` allow, `StoreError` for a store
  ///   that cannot be read.
  public func records(
    matching query: LogQuery, limits: QueryLimits = QueryLimits()
  ) throws -> [Record] {
    let result = try run(query.query, limits: limits)
    return Array(result.records.dropFirst(max(query.offset, 0)))
  }
}
