package import JournalKit
public import PQL
public import SegmentIndex

/// Asks questions of a store's directory: live, abandoned, copied from another machine, or damaged.
///
/// A reader changes nothing. Each question is answered from what had been logged, by any process, when it
/// was asked.
public final class StoreReader: Sendable {
  private let store: SegmentStore
  private let tail: JournalTail
  private let clock: WallClock
  /// What `session = current` means; nil for a tool that only looks.
  private let session: UniqueID?

  /// Opens the store in `directory`.
  ///
  /// - Throws: `StoreError` when there is no store, or it cannot be read. Damage inside is not thrown: it is
  ///   reported with every answer that it may concern.
  public convenience init(directory: String) throws(StoreError) {
    let environment = JournalEnvironment()
    let store = try SegmentStore(directory: directory, fileSystem: environment.fileSystem)
    guard try store.exists() else { throw .notAStore(directory) }
    self.init(store, session: nil, clock: environment.clock)
  }

  /// Where records of this store have what is too large for them.
  var attachmentFiles: AttachmentFiles { AttachmentFiles(store) }

  package init(_ store: SegmentStore, session: UniqueID?, clock: WallClock) {
    self.store = store
    tail = JournalTail(of: store)
    self.clock = clock
    self.session = session
  }

  /// Answers a query in PQL.
  ///
  /// - Parameters:
  ///   - parameters: the values of `$name` in the query.
  ///   - zone: the time zone of times without an offset, and of days.
  /// - Throws: `Diagnostics` for a query that is wrong, `StoreError` for a store that cannot be read.
  public func query(
    _ text: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> QueryResult {
    try run(Query(text), parameters: parameters, zone: zone)
  }

  /// Answers a parsed query within `limits`; otherwise as `query`.
  ///
  /// - Parameter cancellation: by what another thread can end it.
  public func run(
    _ query: Query, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc,
    limits: QueryLimits = QueryLimits(), cancellation: QueryCancellation? = nil
  ) throws -> QueryResult {
    try query.run(on: snapshot(), context(parameters, zone, limits, cancellation))
  }

  /// Hands the records that a query lists to `body`, in the query's order and some at a time, so that an answer of any
  /// length takes little memory. Nil, and nothing is handed over, when the query does more than to filter records:
  /// then use `run`. Otherwise as `run`; the summary does not remark on the records themselves.
  public func stream(
    _ query: Query, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc,
    limits: QueryLimits = QueryLimits(), cancellation: QueryCancellation? = nil,
    _ body: ([Record]) -> Void
  ) throws -> QuerySummary? {
    try query.stream(on: snapshot(), context(parameters, zone, limits, cancellation), body)
  }

  /// What a query means now.
  func context(
    _ parameters: [String: Value], _ zone: TimeZoneRules, _ limits: QueryLimits,
    _ cancellation: QueryCancellation? = nil
  ) -> QueryContext {
    QueryContext(
      now: clock.now(), zone: zone, session: session, parameters: parameters, limits: limits,
      cancellation: cancellation)
  }

  /// The sessions that the store knows, oldest first.
  public func sessions() throws(StoreError) -> [SessionInfo] {
    SessionDescriptions(try snapshot().segments.flatMap(\.sessions)).all
      .sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  /// A number that no record of `session` in the store exceeds; 0 for a session that the store does not know. Numbers
  /// beyond `Int64.max`, which only an import can have, do not count: a session cannot get there.
  func lastSequence(of session: UniqueID) throws(StoreError) -> UInt64 {
    let segments = try snapshot().segments.filter { $0.sessions.contains { $0.id == session } }
    return segments.map { segment in
      // A damaged column costs its numbers, and must not keep the program from logging.
      guard case .integers(let sequences)? = try? segment.column(.sequence) else { return 0 }
      let last = (0..<segment.granuleCount).compactMap { sequences.bounds(granule: $0)?.upperBound }
      return UInt64(max(last.max() ?? 0, 0))
    }.max() ?? 0
  }

  /// What is wrong with the store's files, as far as opening it showed.
  public var problems: [StoreProblem] { store.problems }

  /// Everything that is in the store now: its segment files, and the tail of every journal.
  ///
  /// The journals are read first and the manifest after them. What has been folded since it was last read moved from
  /// a journal into a segment file, and the manifest says so: then both are read again. So nothing is missed
  /// and nothing is seen twice, without waiting for anybody.
  package func snapshot() throws(StoreError) -> Snapshot {
    var before = store.lastSnapshot
    // Each round means that a fold, which takes far longer, was committed in between.
    for _ in 0..<16 {
      let parts = try tail.read(beyond: before)
      let after = try store.snapshot()
      if parts.allSatisfy({ after.compactedUpTo(journal: $0.journal) == $0.folded }) {
        return Snapshot(
          segments: after.segments + parts.flatMap(\.segments),
          gaps: after.gaps + parts.flatMap(\.gaps))
      }
      before = after
    }
    throw .busy
  }
}
