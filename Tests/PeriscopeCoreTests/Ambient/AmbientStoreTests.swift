import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct AmbientStoreTests {
  typealias Machine = PeriscopeStoreTests.Machine

  struct Weather: AmbientEvent {
    static let eventName = "weather"
    static let ambientKind = "weather"
    var state: String?
    var level: LogLevel = .info
    var secret = "none"
    var message: String { "it is \(state ?? "changing")" }
    var ambientState: String? { state }

    enum CodingKeys: String, CodingKey {
      case state, secret
    }

    init(_ state: String?, level: LogLevel = .info, secret: String = "none") {
      (self.state, self.level, self.secret) = (state, level, secret)
    }
  }

  struct Mood: AmbientEvent {
    static let eventName = "mood"
    static let ambientKind = "mood"
    var message: String { "good" }
    var ambientState: String? { "good" }
  }

  /// Reports what a test says.
  final class Source: AmbientEventSource {
    private let report = Mutex<(@Sendable (any AmbientEvent) -> Void)?>(nil)
    let stopCount = Atomic<Int>(0)
    let first: (any AmbientEvent)?

    init(first: (any AmbientEvent)? = nil) {
      self.first = first
    }

    func start(_ report: @escaping @Sendable (any AmbientEvent) -> Void) throws {
      try self.report.withLock {
        guard $0 == nil else { throw AmbientError.alreadyStarted }
        $0 = report
      }
      if let first { report(first) }
    }

    /// The report stays, as that of a source that is late.
    func stop() { stopCount.add(1, ordering: .relaxed) }

    func tell(_ event: some AmbientEvent) {
      report.withLock { $0 }?(event)
    }
  }

  private func records(_ store: PeriscopeStore, _ query: String = "") throws -> [Record] {
    try store.query(query + " | sort sequence | limit 1000").records
  }

  @Test func statesAreOnEveryRecordAndCanBeAskedFor() throws {
    let store = try Machine().open()
    let log = store.log("App")
    log.info("before")
    let source = Source(first: Weather("sunny"))
    try store.start(source)
    log.info("bright")
    log.tagged("user", 7).info("tagged")
    source.tell(Weather("rainy"))
    log.error("wet")
    #expect(
      try records(store, "tag.ambient.weather = sunny").map(\.message)
        == ["it is sunny", "bright", "tagged"])
    #expect(
      try records(store, "tag.ambient.weather = rainy level >= error").map(\.message) == ["wet"])
    #expect(
      try records(store, "tag.user = 7").first?.tags
        == [LogTag("user", .int(7)), LogTag("ambient.weather", .string("sunny"))])
    #expect(try records(store, "not has tag.ambient.weather").map(\.message) == ["before"])
    #expect(store.ambient["weather"] == "rainy")
  }

  @Test func eventsAreLoggedLikeOthers() throws {
    let store = try Machine().open()
    try store.start(Source(first: Weather("sunny", level: .warning)))
    let record = try #require(try records(store).first)
    #expect(record.event == "weather")
    #expect(record.level == .warning)
    #expect(record.scopes == ["Ambient"])
    #expect(try store.query("payload.state = sunny").rowCount == 1)
  }

  @Test func spansHaveThemToo() throws {
    let store = try Machine().open()
    try store.start(Source(first: Weather("sunny")))
    store.log("App").measure("work") {}
    #expect(try records(store, "has span tag.ambient.weather = sunny").count == 2)
  }

  @Test func sinksGetThemToo() async throws {
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: SessionInfo(id: UniqueID(), start: 0),
      environment: JournalEnvironment(simulated: SimulatedDisk()).withInlineWorkers())
    let sink = MemorySink()
    store.add(sink: sink)
    try store.start(Source(first: Weather("sunny")))
    store.log("App").info("bright")
    await store.flush()
    #expect(sink.records.map(\.message) == ["it is sunny", "bright"])
    #expect(
      sink.records.allSatisfy { $0.tags == [LogTag("ambient.weather", .string("sunny"))] })
  }

  @Test func whatIsBelowTheFloorCountsAllTheSame() throws {
    let store = try Machine().open()
    store.minimumLevel = .error
    try store.start(Source(first: Weather("sunny")))
    store.log("App").error("bright")
    #expect(try records(store).map(\.message) == ["bright"])
    #expect(store.ambient["weather"] == "sunny")
    #expect(try records(store, "tag.ambient.weather = sunny").count == 1)
  }

  @Test func whatMerelyHappenedIsOnlyLogged() throws {
    let store = try Machine().open()
    try store.start(Source(first: Weather(nil)))
    store.log("App").info("next")
    #expect(try records(store).map(\.tags) == [[], []])
  }

  @Test func aTagOfTheProgramsOwnStays() throws {
    let store = try Machine().open()
    try store.start(Source(first: Weather("sunny")))
    store.log("App").tagged("ambient.weather", "mine").info("mine")
    #expect(
      try records(store, "mine").first?.tags == [LogTag("ambient.weather", .string("mine"))])
  }

  // MARK: Redaction

  private func store(_ floor: LogLevel?, _ redaction: Redaction) throws -> PeriscopeStore {
    let environment = JournalEnvironment(simulated: SimulatedDisk())
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      redaction: redaction, environment: environment)
    store.minimumLevel = floor
    return store
  }

  @Test(arguments: [nil, LogLevel.error]) func whatIsSuppressedIsForgotten(floor: LogLevel?) throws
  {
    let store = try store(floor, Redaction { $0.message.contains("rainy") ? nil : $0 })
    let source = Source(first: Weather("sunny"))
    try store.start(source)
    try store.start(Source(first: Mood()))
    source.tell(Weather("rainy"))
    // Not even the state before: it does not hold any more.
    #expect(store.ambient["weather"] == nil)
    #expect(store.ambient["mood"] == "good")
    store.log("App").error("next")
    #expect(
      try records(store, "next").first?.tags == [LogTag("ambient.mood", .string("good"))])
    #expect(try store.query("rainy").rowCount == 0)
    source.tell(Weather("sunny"))
    #expect(store.ambient["weather"] == "sunny")
  }

  @Test func whatIsChangedIsForgotten() throws {
    let store = try store(
      nil,
      Redaction { record in
        var record = record
        if record.event == "weather" {
          record.message = "<weather>"
          record.payload = []
        }
        return record
      })
    try store.start(Source(first: Weather("secret")))
    store.log("App").info("next")
    #expect(try records(store).map(\.message) == ["<weather>", "next"])
    #expect(try records(store).map(\.tags) == [[], []])
  }

  @Test func theRedactionSeesTheStatesOfOthers() throws {
    let store = try store(
      nil,
      Redaction { record in
        var record = record
        if record.message == "next" { record.tags = [] }
        return record
      })
    try store.start(Source(first: Weather("sunny")))
    store.log("App").info("next")
    #expect(try records(store, "next").map(\.tags) == [[]])
  }

  // MARK: Start and stop

  @Test func aSourceThatIsStoppedIsForgotten() throws {
    let store = try Machine().open()
    let source = Source(first: Weather("sunny"))
    let token = try store.start(source)
    try store.start(Source(first: Mood()))
    store.stop(token)
    store.stop(token)
    #expect(source.stopCount.load(ordering: .relaxed) == 1)
    source.tell(Weather("rainy"))
    #expect(store.ambient.tags == [LogTag("ambient.mood", .string("good"))])
    #expect(try store.query("rainy").rowCount == 0)
  }

  @Test func aKindOfTwoSourcesStaysWithTheOther() throws {
    let store = try Machine().open()
    let token = try store.start(Source(first: Weather("sunny")))
    try store.start(Source(first: Weather("rainy")))
    store.stop(token)
    #expect(store.ambient["weather"] == "rainy")
  }

  @Test func aSourceCannotBeStartedTwice() throws {
    let store = try Machine().open()
    let source = Source(first: Weather("sunny"))
    try store.start(source)
    #expect(throws: AmbientError.alreadyStarted) { try store.start(source) }
    #expect(store.ambient["weather"] == "sunny")
  }

  @Test func closingStopsAll() throws {
    let store = try Machine().open()
    let sources = [Source(), Source()]
    for source in sources { try store.start(source) }
    store.close()
    #expect(sources.map { $0.stopCount.load(ordering: .relaxed) } == [1, 1])
  }

  @Test func theEndOfTheStoreStopsAll() throws {
    let source = Source()
    do { try Machine().open().start(source) }
    #expect(source.stopCount.load(ordering: .relaxed) == 1)
    source.tell(Weather("late"))
  }

  @Test func aPollerLogsWhatItsProbesFind() throws {
    let surroundings = Surroundings()
    let environment = surroundings.environment
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      environment: environment)
    try surroundings.write("proc/meminfo", "MemTotal: 1000 kB\nMemAvailable: 10 kB\n")
    try store.start(
      AmbientPoller([.memoryPressure(surroundings.files)], environment: environment))
    surroundings.tick()
    store.log("App").error("failed")
    #expect(
      try records(store, "tag.ambient.memory = critical level >= error").map(\.event)
        == ["ambient.memory", "message"])
  }

  @Test func aClosedStoreStartsNothing() throws {
    let store = try Machine().open()
    store.close()
    let source = Source(first: Weather("sunny"))
    #expect(throws: AmbientError.closed) { try store.start(source) }
    #expect(store.ambient["weather"] == nil && store.appendFailureCount == 0)
  }

  /// A span that is carried on has the states of the process that carries it on.
  @Test func aSpanThatIsCarriedOnHasTheStatesOfNow() throws {
    let machine = Machine()
    do {
      let store = try machine.open()
      try store.start(Source(first: Weather("stormy")))
      let log = store.log("App").tagged("user", 42)
      log.begin("upload", for: 1, relaunch: .survivesRelaunch)
      log.begin("lease", for: 1)
    }
    let store = try machine.open()
    try store.start(Source(first: Weather("sunny")))
    #expect(store.log("App").end("upload", for: 1))
    let user = LogTag("user", .int(42))
    let weather = LogTag("ambient.weather", .string("sunny"))
    let carried = try records(store, "session = current event in (SpanResumed, SpanEnded)")
    #expect(Set(carried.map(\.message)).count == 3)
    for record in carried {
      // Before there was a source, nobody knew.
      let isLast = record.message == "upload: success"
      #expect(record.tags == (isLast ? [user, weather] : [user]), "\(record.message)")
    }
  }
}

extension JournalEnvironment {
  /// This world, in which every worker works at once on the thread that wakes it.
  func withInlineWorkers() -> JournalEnvironment {
    var environment = self
    environment.worker = { InlineWorker($0) }
    return environment
  }
}
