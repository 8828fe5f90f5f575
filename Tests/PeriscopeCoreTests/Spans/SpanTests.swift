import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct SpanTests {
  struct Failure: Error, CustomStringConvertible {
    var description: String { "no disk" }
  }

  /// A machine with a clock for spans that stands still until a test moves it, and a watchdog that looks when a test
  /// wants it.
  final class World: Sendable {
    let workers: ManualWorkers
    let machine: PeriscopeStoreTests.Machine
    let tick = Mutex<Int64>(0)

    init() {
      let workers = ManualWorkers()
      self.workers = workers
      // A process that died does not go on tidying up in the background.
      machine = PeriscopeStoreTests.Machine(worker: workers.make, background: { _ in })
    }

    func open(redaction: Redaction? = nil) throws -> PeriscopeStore {
      try PeriscopeStore.make(
        storage: .directory("/store"),
        session: .current(app: "Test", environment: machine.environment), redaction: redaction,
        environment: machine.environment, spanClock: SpanClock { self.tick.withLock { $0 } })
    }

    /// Lets time pass, and the watchdog look.
    func pass(seconds: Int64) {
      tick.withLock { $0 += seconds * 1_000_000_000 }
      workers.wakeAll()
      workers.run()
    }
  }

  let world = World()

  /// Event, exit and reason of every record, in order.
  private func story(_ store: PeriscopeStore) throws -> [String] {
    try store.query("| sort time").records.map { record in
      [record.event, record.exit, record.exitReason].compactMap { $0 }.joined(separator: " ")
    }
  }

  @Test func whatIsMeasuredHasABeginAndAnEnd() throws {
    let store = try world.open()
    let log = store.log("App").tagged("user", 42)
    let tick = { (seconds: Int64) in world.tick.withLock { $0 += seconds * 1_000_000_000 } }
    let result = log.measure("import") {
      tick(2)
      log.info("inside")
      return 7
    }
    #expect(result == 7)
    let records = try store.query("| sort sequence").records
    #expect(records.map(\.event) == ["SpanBegan", "message", "SpanEnded"])
    #expect(records.map(\.message) == ["import", "inside", "import: success"])
    let span = try #require(records[0].span)
    #expect(records.map(\.span) == [span, span, span])
    #expect(records.map(\.exit) == [nil, nil, "success"])
    #expect(records.map(\.duration) == [nil, nil, 2_000_000_000])
    #expect(records.allSatisfy { $0.tags == log.tags && $0.scopes == ["App"] })
    #expect(records[0].payload == Array(#"{"name":"import"}"#.utf8))
    #expect(records[0].line == Int64(#line - 15))
    let rows = try #require(try store.query("| spans | select message, exit, duration, open").table)
    #expect(
      rows.rows == [
        [.string("import"), .string("success"), .duration(2_000_000_000), .bool(false)]
      ])
    #expect(store.openSpans().isEmpty)
    log.info("outside")
    #expect(try store.query("outside").records.map(\.span) == [nil])
  }

  @Test func everyWayToEnd() throws {
    let store = try world.open()
    let log = store.log("App")
    #expect(throws: Failure.self) { try log.measure("a") { () throws(Failure) in throw Failure() } }
    #expect(throws: CancellationError.self) { try log.measure("b") { throw CancellationError() } }
    log.begin("c", for: 1)
    log.end("c", for: 1, exit: .failure("given up"))
    log.begin("d", for: 1)
    log.begin("d", for: 1)
    log.begin("d", for: 2)
    #expect(log.end("d", for: 1) && log.end("d", for: 2, exit: .cancelled))
    #expect(!log.end("d", for: 1) && !log.end("never", for: 1))
    let ended = try store.query("event = SpanEnded | sort sequence").records
    #expect(
      ended.map { "\($0.exit ?? "") \($0.exitReason ?? "")" } == [
        "failure no disk", "cancelled ", "failure given up", "superseded ", "success ",
        "cancelled ",
      ])
    #expect(
      ended.map(\.level) == [.warning, .info, .warning, .warning, .info, .info])
    #expect(ended[3].externalID == "1" && ended[5].externalID == "2")
    // The one that took its place began when it ended, by the wall as well.
    let began = try store.query("event = SpanBegan extid = \"1\" | sort sequence").records
    #expect(began.last?.time == ended[3].time)
    try expectStrictPairs(store)
  }

  @Test func measuringKeepsTheCallersIsolation() async throws {
    let store = try world.open()
    let log = store.log("App")
    @MainActor func run() async throws -> Int {
      var count = 0
      let result = try await log.measure("outer") {
        count += 1
        MainActor.assertIsolated()
        return try await log.measure("inner") { () async throws -> Int in
          await Task.yield()
          count += 1
          log.info("inside")
          return count
        }
      }
      return result + count
    }
    #expect(try await run() == 4)
    let records = try store.query("| sort sequence").records
    #expect(
      records.map(\.event) == ["SpanBegan", "SpanBegan", "message", "SpanEnded", "SpanEnded"])
    #expect(records[2].span == records[1].span && records[3].span == records[1].span)
    let parent = "\"parent\":\"\(try #require(records[0].span))\""
    #expect(String(decoding: records[1].payload, as: UTF8.self).contains(parent))
    await #expect(throws: Failure.self) {
      try await log.measure("failing") { () async throws(Failure) -> Void in throw Failure() }
    }
    try expectStrictPairs(store)
  }

  @Test func tasksInheritTheSpanUnlessTheyAreDetached() async throws {
    let store = try world.open()
    let log = store.log("App")
    await log.measure("work") {
      async let child: Void = { log.info("child") }()
      await child
      await Task { log.info("task") }.value
      await Task.detached { log.info("detached") }.value
      await withTaskGroup(of: Void.self) { $0.addTask { log.info("group") } }
    }
    let records = try store.query("event = message").records
    let inside = Dictionary(uniqueKeysWithValues: records.map { ($0.message, $0.span != nil) })
    #expect(inside == ["child": true, "task": true, "detached": false, "group": true])
  }

  @Test func otherStoresSpansAreNotMixedIn() throws {
    let (store, other) = (try world.open(), try World().open())
    store.log("A").measure("a") {
      other.log("B").measure("b") { other.log("B").info("b") }
      other.log("B").info("not a")
    }
    #expect(try other.query("\"not a\"").records.map(\.span) == [nil])
    let begin = try #require(try other.query("event = SpanBegan").records.first)
    #expect(begin.payload == Array(#"{"name":"b"}"#.utf8))
  }

  @Test func namesOfATypesOwn() throws {
    struct Upload: LogEvent {
      enum SpanName: String, Sendable { case transfer, checksum }
      static let eventName = "upload"
      var message: String { "" }
    }
    let store = try world.open()
    let log = store.log("App")(Upload.self)
    log.measure(.checksum) {}
    log.begin(.transfer, for: "file")
    #expect(store.openSpans().map(\.name) == ["transfer"])
    log.end(.transfer, for: "file")
    #expect(
      try store.query("event = SpanBegan | sort sequence").records.map(\.message) == [
        "checksum", "transfer",
      ])
  }

  // MARK: Deadlines

  @Test func aBudgetIsToldWhileTheBodyRuns() throws {
    let store = try world.open()
    let log = store.log("App")
    log.measure("slow", budget: .seconds(2)) {
      world.pass(seconds: 1)
      #expect(store.openSpans().map(\.elapsed) == [.seconds(1)])
      world.pass(seconds: 1)
      log.info("still inside")
      world.pass(seconds: 100)
    }
    world.pass(seconds: 100)
    log.measure("quick", budget: .seconds(2)) { world.pass(seconds: 1) }
    world.pass(seconds: 100)
    let records = try store.query("| sort sequence").records
    #expect(
      records.map(\.message) == [
        "slow", "slow takes longer than 2.0 seconds", "still inside", "slow: success", "quick",
        "quick: success",
      ])
    #expect(records[1].level == .warning && records[1].event == "SpanOverdue")
    #expect(records[1].exit == nil && records[1].span == records[0].span)
  }

  @Test func aBoundedSpanExpires() throws {
    let store = try world.open()
    let log = store.log("App")
    log.begin("lease", for: 1, lifetime: .bounded(.seconds(10)))
    log.begin("lease", for: 2, lifetime: .bounded(.seconds(20)))
    log.begin("lease", for: 3)
    world.pass(seconds: 9)
    #expect(store.openSpans().map(\.entity) == ["1", "2", "3"])
    world.pass(seconds: 1)
    #expect(store.openSpans().map(\.entity) == ["2", "3"])
    log.end("lease", for: 2)
    world.pass(seconds: 1_000_000)
    #expect(store.openSpans().map(\.entity) == ["3"])
    #expect(!log.end("lease", for: 1))
    let ended = try store.query("event = SpanEnded | sort sequence").records
    #expect(ended.map(\.exit) == ["expired", "success"])
    #expect(ended.map(\.exitReason) == ["after 10.0 seconds", nil])
    #expect(ended[0].level == .warning && ended[0].duration == 10_000_000_000)
    try expectStrictPairs(store, open: 1)
  }

  @Test func spansThatNobodyEndsTakeNoMemoryForEver() {
    var registry = SpanRegistry(limit: 100)
    for number in 0..<10_000 {
      var entry = SpanRegistry.Entry(
        id: UniqueID(bits: UInt128(number)), name: "n", paths: ["A"], start: 0, startTick: 0)
      entry.entity = "\(number)"
      if let oldest = registry.oldestIfFull {
        #expect(oldest.entity == "\(number - 100)")
        _ = registry.end(oldest.id)
      }
      let begun = registry.begin(entry, replacing: nil)
      #expect(begun)
    }
    #expect(registry.count == 100)
  }

  // MARK: Pairs

  @Test func theFloorAtTheBeginDecidesAboutThePair() throws {
    let store = try world.open()
    let log = store.log("App")
    log.begin("heard", for: 1)
    store.minimumLevel = .error
    log.begin("unheard", for: 1)
    log.measure("unheard") { store.minimumLevel = nil }
    store.minimumLevel = .fault
    log.end("heard", for: 1)
    store.minimumLevel = nil
    log.end("unheard", for: 1, exit: .failure("x"))
    #expect(
      try store.query("| sort sequence").records.map(\.message) == ["heard", "heard: success"])
    #expect(store.openSpans().isEmpty)
  }

  @Test func redactionCannotTearAPairApart() throws {
    let secret = "Ann"
    let store = try world.open(
      redaction: Redaction { record in
        if record.message.contains("odd") || record.exitReason?.contains(secret) == true {
          return nil
        }
        var record = record
        record.externalID = record.externalID.map { _ in "someone" }
        record.span = nil
        record.exit = nil
        return record
      })
    let log = store.log("App")
    log.begin("odd", for: secret)
    log.end("odd", for: secret)
    log.begin("even", for: 1)
    log.end("even", for: 1, exit: .failure("\(secret) left"))
    let records = try store.query("| sort sequence").records
    #expect(records.map(\.message) == ["<redacted>", "<redacted>", "even", "<redacted>"])
    #expect(records.map(\.exit) == [nil, "success", nil, "failure"])
    #expect(records.map(\.externalID) == [nil, nil, "someone", nil])
    try expectStrictPairs(store)
    for path in world.machine.disk.paths {
      let bytes = world.machine.disk.content(of: path) ?? []
      #expect(bytes.firstRange(of: Array(secret.utf8)) == nil, "\(path)")
    }
  }

  /// A sink that is much too slow loses other records, and no half of a pair.
  @Test func pairsAreNotDropped() throws {
    let store = try world.open()
    let sink = MemorySink(limit: 100_000)
    store.add(sink: sink)
    let log = store.log("App")
    for number in 0..<100 {
      log.begin("work", for: number)
      for _ in 0..<100 { log.info("noise") }
      log.end("work", for: number)
    }
    world.workers.run()
    #expect(sink.records.first?.event == "DroppedEvents")
    #expect(sink.records.count(where: { $0.event == "SpanBegan" }) == 100)
    #expect(sink.records.count(where: { $0.event == "SpanEnded" }) == 100)
    let dropped = 10_000 - sink.records.count(where: { $0.message == "noise" })
    #expect(sink.records.first?.message.hasPrefix("\(dropped) records") == true)
  }

  private func expectStrictPairs(_ store: PeriscopeStore, open: Int = 0) throws {
    let records = try store.query("(event = SpanBegan or event = SpanEnded) | sort sequence")
      .records
    var begun: Set<UniqueID> = []
    for record in records {
      let span = try #require(record.span)
      if record.exit == nil {
        #expect(begun.insert(span).inserted)
      } else {
        #expect(begun.remove(span) != nil)
      }
    }
    #expect(begun.count == open)
  }

  // MARK: Looking at them

  @Test func openSpansAreLongestFirst() throws {
    do {
      let store = try world.open()
      store.log("App").begin("old", for: 0, relaunch: .survivesRelaunch)
    }
    let store = try world.open()
    let log = store.log("App")
    for number in 1...3 {
      log.begin("new", for: number)
      world.pass(seconds: 10)
    }
    log.begin("new", for: 4)
    log.begin("new", for: 5)
    // By the wall, whose clock moves a millisecond at each look, the old one has not lasted long.
    let spans = store.openSpans()
    #expect(spans.map(\.entity) == ["1", "2", "3", "0", "4", "5"])
    #expect(spans.map(\.elapsed.components.seconds) == [30, 20, 10, 0, 0, 0])
    #expect(spans[3].elapsed > .zero && spans[4].elapsed == .zero)
  }

  /// Neither an open span nor the watchdog keeps a store that the program has let go.
  @Test func theStoreMayGoWhileSpansAreOpen() throws {
    weak var gone: PeriscopeStore?
    do {
      let store = try world.open()
      gone = store
      store.log("App").begin("lease", for: 1, lifetime: .bounded(.seconds(10)))
      world.workers.run()
    }
    #expect(gone == nil)
    world.pass(seconds: 100)
    let store = try world.open()
    #expect(
      try store.query("| sort time").records.map(\.exit) == [nil, "orphaned"])
  }

  /// What could not be watched for want of a thread is watched with the next one.
  @Test func aWatchdogWithoutAThreadIsTriedAgain() throws {
    let store = try world.open()
    let log = store.log("App")
    world.workers.hasThreads = false
    log.begin("lease", for: 1, lifetime: .bounded(.seconds(10)))
    world.workers.hasThreads = true
    log.begin("lease", for: 2, lifetime: .bounded(.seconds(20)))
    world.tick.withLock { $0 += 15_000_000_000 }
    world.workers.run()
    #expect(store.openSpans().map(\.entity) == ["2"])
  }

  @Test func everyExitCanBeGiven() throws {
    let exits: [(SpanExit, String, String?, LogLevel)] = [
      (.success, "success", nil, .info), (.success("cached"), "success", "cached", .info),
      (.failure("no disk"), "failure", "no disk", .warning),
      (.failure(Failure()), "failure", "no disk", .warning),
      (.cancelled, "cancelled", nil, .info), (.cancelled("by Ann"), "cancelled", "by Ann", .info),
      (.superseded, "superseded", nil, .warning), (.expired("late"), "expired", "late", .warning),
      (.orphaned("lost"), "orphaned", "lost", .warning),
    ]
    let store = try world.open()
    let log = store.log("App")
    for (index, exit) in exits.enumerated() {
      log.begin("work", for: index)
      #expect(log.end("work", for: index, exit: exit.0))
    }
    let ended = try store.query("event = SpanEnded | sort sequence").records
    #expect(ended.map(\.exit) == exits.map(\.1))
    #expect(ended.map(\.exitReason) == exits.map(\.2))
    #expect(ended.map(\.level) == exits.map(\.3))
    // Nobody knows how long one lasted that nobody saw end.
    #expect(ended.map { $0.duration != nil } == exits.map { $0.1 != "orphaned" })
  }

  /// A level of the program's own keeps its name where it is serious enough.
  @Test func anAbnormalEndIsAtLeastAWarning() throws {
    let store = try world.open()
    let log = store.log("App")
    for (number, level) in [LogLevel("audit", severity: 400), .error, .debug].enumerated() {
      log.begin("work", for: number, level: level)
      log.end("work", for: number, exit: .failure("x"))
    }
    let ended = try store.query("event = SpanEnded | sort sequence").records
    #expect(ended.map(\.level.name) == ["audit", "error", "warning"])
  }

  @Test func everyRecordKnowsWhereItCameFrom() async throws {
    let store = try world.open()
    let log = store.log("App")
    let line = Int64(#line)
    log.begin("work", for: 1)
    log.end("work", for: 1)
    await log.measure("step") { await Task.yield() }
    log.withContext { Log.current?.info("inside") }
    log.info("with", attachments: [.text("x")])
    log(for: 7).retyped(to: PeriscopeStoreTests.Imported.self)(.init(album: "a", ratio: 1))
    let records = try store.query("| sort sequence").records
    #expect(records.map { ($0.line ?? 0) - line } == [1, 2, 3, 3, 4, 5, 6])
    #expect(Set(records.map(\.file)) == [#fileID])
    #expect(Set(records.map(\.function)) == [#function])
  }
}
