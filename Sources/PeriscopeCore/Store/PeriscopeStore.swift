package import JournalKit
public import PQL
public import SegmentIndex

/// A store that this program logs to and asks questions of.
///
/// ```swift
/// let store = try PeriscopeStore.make(
///   storage: .directory(path), session: .current(app: "Shop 3.2.1"))
/// let log = store.log("Shop")
/// log("Payments").tagged("user", 42).error("card declined")
/// let result = try store.query("under Shop level >= error last 1h")
/// ```
///
/// Any number of programs, and `PeriscopeStore` objects, may share a directory: each logs to a journal of its
/// own. What a program that died has left is recovered by the next one that opens the store.
public final class PeriscopeStore: Sendable {
  /// Where a store is kept.
  public enum Storage: Sendable {
    /// In this directory, which is created when missing.
    case directory(String)
  }

  /// The run of the program that logs here.
  public let session: SessionInfo
  /// What was recovered from earlier sessions when the store was opened.
  public let recovery: RecoverySummary
  /// Answers questions.
  public let reader: StoreReader
  /// How much the store keeps.
  public let retention: Retention
  let segments: SegmentStore
  let journal: LogJournal
  let clock: WallClock
  let periscope: Periscope

  /// Opens a store and begins a session in it.
  ///
  /// First the journals of sessions whose process has died are folded into the store; the time for that
  /// grows with what they hold. One that cannot be folded now stays as it is for the next time, its records
  /// are found by queries all the same, and `recovery` says why.
  ///
  /// A session that was closed can be continued by passing it again: its records are numbered on.
  ///
  /// - Parameters:
  ///   - retention: how much the store keeps; without limits by default. It is seen to as the store grows,
  ///     by whichever program makes it grow.
  ///   - redaction: what every record goes through before it is kept or shown anywhere. It cannot be changed later, so
  ///     that no record escapes it.
  /// - Throws: `StoreError` when the directory cannot be used, as on a full disk, `journalIsLive` while the session is
  ///   under way elsewhere. Nothing has begun then: trying again later is safe.
  public static func make(
    storage: Storage, session: SessionInfo, retention: Retention = .unlimited,
    redaction: Redaction? = nil
  ) throws(StoreError) -> PeriscopeStore {
    try make(
      storage: storage, session: session, retention: retention, redaction: redaction,
      environment: JournalEnvironment())
  }

  package static func make(
    storage: Storage, session: SessionInfo, retention: Retention = .unlimited,
    redaction: Redaction? = nil, configuration: Journal.Configuration = .init(),
    environment: JournalEnvironment, spanClock: SpanClock = .system,
    sinkLimits: SinkQueue.Limits = SinkQueue.Limits()
  ) throws(StoreError) -> PeriscopeStore {
    let directory =
      switch storage {
      case .directory(let path): path
      }
    let segments = try SegmentStore(directory: directory, fileSystem: environment.fileSystem)
    let recovery = try segments.foldAbandonedJournals(environment.clock)
    let store = try PeriscopeStore(
      segments, session, recovery, retention, redaction, configuration, environment, spanClock,
      sinkLimits)
    store.sweepSpans(of: recovery, isNew: true)
    if !recovery.journals.isEmpty {
      let clock = environment.clock
      environment.background { try? segments.tidy(retention, clock, isWanted: false) }
    }
    return store
  }

  private init(
    _ segments: SegmentStore, _ session: SessionInfo, _ recovery: RecoverySummary,
    _ retention: Retention, _ redaction: Redaction?, _ configuration: Journal.Configuration,
    _ environment: JournalEnvironment, _ spanClock: SpanClock, _ sinkLimits: SinkQueue.Limits
  ) throws(StoreError) {
    self.session = session
    self.retention = retention
    clock = environment.clock
    self.recovery = recovery
    self.segments = segments
    let directory = FilePath.join(segments.journalsDirectory, session.id.description)
    reader = StoreReader(segments, session: session.id, clock: environment.clock)
    do throws(JournalError) {
      journal = try LogJournal(
        directory: directory, session: session, configuration: configuration,
        environment: environment,
        segmentWasClosed: {
          // Reading back, sorting and syncing take a while, and nobody waits for them.
          // A failure is no loss either: the next time, or the next launch, does it.
          environment.background {
            _ = try? segments.fold(directory, onlyClosedSegments: true, environment.clock)
            try? segments.tidy(retention, environment.clock, isWanted: false)
          }
        })
    } catch {
      throw StoreError(error, journal: directory)
    }
    // Not before the journal is this object's: until then its owner may go on.
    journal.goOn(after: try reader.lastSequence(of: session.id))
    periscope = Periscope(
      journal: journal, environment: environment, redaction: redaction, spanClock: spanClock,
      sinkLimits: sinkLimits)
  }

  /// A log for messages at a root of the scope tree: `store.log("App")`.
  public func log(_ name: String) -> Log<Message> {
    Log(periscope, LogPlace(paths: [ScopeID(root: name).path]))
  }

  /// A log for events of type `Event` at a root of the scope tree, named `Event.scopeName`.
  public func log<Event: LogEvent>(_ type: Event.Type) -> Log<Event> {
    Log(periscope, LogPlace(paths: [ScopeID(root: Event.scopeName).path]))
  }

  /// How many records could not be written, because the disk was full, for example.
  public var appendFailureCount: Int { journal.appendFailureCount }

  /// How many segments of this session's journal made way for newer ones because it took more than its budget, with all
  /// that was logged in them: more was logged than could be folded meanwhile, or nothing could be folded. Queries tell of
  /// the gap.
  public var droppedSegmentCount: Int { journal.droppedSegmentCount }

  /// Answers a query in PQL from everything in the store, this session included; see `StoreReader.query`.
  public func query(
    _ text: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> QueryResult {
    try reader.query(text, parameters: parameters, zone: zone)
  }

  /// Folds what this session has logged so far, and what processes that died have left, into segments, merges
  /// small ones, and drops what is beyond `retention`.
  ///
  /// Happens by itself as journals grow and when a store is opened; what is being folded in the background at
  /// this moment is not in the summary.
  ///
  /// - Throws: `StoreError`; nothing is lost then.
  @discardableResult
  public func compact() throws(StoreError) -> RecoverySummary {
    do throws(JournalError) {
      try journal.rotate()
    } catch {
      throw StoreError(error, journal: journal.directory)
    }
    var summary = RecoverySummary()
    summary.add(try segments.fold(journal.directory, onlyClosedSegments: true, clock))
    let others = try segments.foldAbandonedJournals(clock)
    summary.journals += others.journals
    summary.problems += others.problems
    sweepSpans(of: others, isNew: false)
    try segments.tidy(retention, clock)
    return summary
  }

  /// Ends the session. What is logged afterwards counts as `appendFailureCount`. Sinks still get what was logged before, and
  /// are flushed and let go; `flush()` before this waits for them.
  public func close() {
    // In a forked child, whoever holds the locks of the first two does not exist.
    if !journal.isForked {
      periscope.ambient.close()
      periscope.pipeline.close()
    }
    journal.close()
  }
}
