import JournalKit
public import PQL
public import SegmentIndex

/// Asks questions of a store's directory: live, abandoned, copied from somewhere else, or damaged.
///
/// A reader never changes anything. It sees what was logged up to each question, by any process.
public final class StoreReader: Sendable {
  private let segments: SegmentStore
  private let tail: JournalTail
  private let clock: WallClock
  /// What `session = current` means; nil for a tool that only looks.
  private let session: UniqueID?

  /// Opens the store in `directory`.
  ///
  /// - Throws: `StoreError` when there is no store or it cannot be read. Damage inside is not thrown but
  ///   reported as gaps with every answer.
  public convenience init(directory: String) throws(StoreError) {
    try self.init(directory: StoreDirectory(directory), environment: JournalEnvironment())
  }

  package init(
    directory: StoreDirectory, session: UniqueID? = nil, environment: JournalEnvironment
  ) throws(StoreError) {
    segments = try SegmentStore(directory: directory.path, fileSystem: environment.fileSystem)
    tail = JournalTail(directory: directory, fileSystem: environment.fileSystem)
    clock = environment.clock
    self.session = session
  }

  /// Answers a query in PQL.
  ///
  /// - Throws: `Diagnostics` for a query that is wrong, `StoreError` for a store that cannot be read.
  public func query(
    _ text: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> QueryResult {
    try run(Query(text), parameters: parameters, zone: zone)
  }

  /// Answers a parsed query; otherwise as `query`.
  public func run(
    _ query: Query, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> QueryResult {
    let context = QueryContext(
      now: clock.now(), zone: zone, currentSession: session, parameters: parameters)
    return try query.run(on: snapshot(), context)
  }

  /// The sessions that the store knows, oldest first.
  public func sessions() throws(StoreError) -> [SessionInfo] {
    var seen: Set<UniqueID> = []
    return try snapshot().segments.flatMap(\.sessions).filter { seen.insert($0.id).inserted }
      .sorted { ($0.start, $0.id) < ($1.start, $1.id) }
  }

  /// Everything that is in the store now: the segment files, and the tail of every journal.
  ///
  /// The journals are read first. Whatever is folded meanwhile moves from a journal to a segment file, and
  /// shows in the manifest's generation: then both are read again, so that nothing is missed or seen twice.
  package func snapshot() throws(StoreError) -> Snapshot {
    for _ in 0..<16 {
      let before = try segments.snapshot()
      let tail = try tail.read(beyond: before)
      if try segments.snapshot().generation == before.generation {
        return before.adding(tail.segments, gaps: tail.gaps)
      }
    }
    throw StoreError.busy
  }
}
