import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct PeriscopeStoreTests {
  struct Imported: LogEvent {
    static let eventName = "photo.imported"
    var album: String
    var ratio: Double
    var message: String { "imported into \(album)" }
  }

  /// A simulated machine: a disk, and a clock that moves a millisecond each time that it is read.
  final class Machine: Sendable {
    let disk = SimulatedDisk()
    let environment: JournalEnvironment

    init(
      worker: @escaping @Sendable (@escaping @Sendable () -> Duration?) -> any BackgroundWorker = {
        _ in IdleWorker()
      },
      background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void =
        BackgroundThread.run
    ) {
      let ticks = Ticks()
      var environment = JournalEnvironment(
        simulated: disk, clock: WallClock { ticks.next() }, background: background)
      environment.worker = worker
      self.environment = environment
    }

    func open(
      app: String = "Test 1.0", retention: Retention = .unlimited, redaction: Redaction? = nil,
      configuration: Journal.Configuration = .init(),
      sinkLimits: SinkQueue.Limits = SinkQueue.Limits()
    ) throws -> PeriscopeStore {
      try PeriscopeStore.make(
        storage: .directory("/store"),
        session: .current(app: app, environment: environment), retention: retention,
        redaction: redaction, configuration: configuration, environment: environment,
        sinkLimits: sinkLimits)
    }
  }

  @Test func whatWasLoggedIsFoundAtOnce() throws {
    let store = try Machine().open()
    let log = store.log("App")
    log.info("started")
    log("Photos").tagged("user", 42).warning("no space")
    let result = try store.query("under App/Photos level >= warning tag.user = 42")
    #expect(result.records.map(\.message) == ["no space"])
    #expect(try store.query("session = current | count").rowCount == 1)
    // A second question reads only what came since.
    log.info("again")
    #expect(try store.query("").records.map(\.message) == ["again", "no space", "started"])
  }

  @Test func aStoreThatFoldsOftenStaysSmall() throws {
    let machine = Machine()
    let store = try machine.open(retention: Retention(maximumRecordCount: 200))
    for number in 1...100 {
      store.log("App").info("\(number)")
      if number.isMultiple(of: 2) { try store.compact() }
    }
    #expect(try store.query("").rowCount == 100)
    #expect(try machine.disk.list("/store/segments").count < 16)
    for number in 101...400 {
      store.log("App").info("\(number)")
      if number.isMultiple(of: 2) { try store.compact() }
    }
    let kept = try store.query("| sort sequence").records.compactMap { Int($0.message) }
    let first = try #require(kept.first)
    #expect(kept == Array(first...400) && kept.count <= 200 && kept.count > 100)
    #expect(try store.query("").summary.isComplete)
  }

  @Test func whatShouldNotHaveBeenLoggedIsRemoved() throws {
    let machine = Machine()
    let store = try machine.open()
    for number in 1...20 {
      store.log("App").tagged("user", number % 4).info("card number \(number)")
      if number.isMultiple(of: 6) { try store.compact() }
    }
    #expect(try store.remove(matching: "tag.user = 3 card") == 5)
    #expect(try store.query("tag.user = 3").rowCount == 0)
    #expect(try store.query("").rowCount == 15)
    #expect(try store.remove(matching: "tag.user = 3") == 0)
    for path in machine.disk.paths {
      let bytes = machine.disk.content(of: path) ?? []
      #expect(bytes.firstRange(of: Array("card number 7".utf8)) == nil, "\(path)")
    }
    #expect(throws: Diagnostics.self) { try store.remove(matching: "tag.user = = 1") }
    #expect(throws: PeriscopeStore.RemovalError.notRecords) {
      try store.remove(matching: "tag.user = 1 | count")
    }
    #expect(try store.query("").rowCount == 15)
  }

  /// A copy that no manifest lists any more, of records that the store itself does not have.
  @Test func whatOnlyTheQuarantineHasIsRemovedToo() throws {
    let other = Machine()
    let old = try other.open()
    old.log("App").tagged("user", 3).info("card number")
    try old.compact()
    let name = try #require(try other.disk.list("/store/segments").first)
    let machine = Machine()
    let store = try machine.open()
    store.log("App").info("card of another")
    let path = "/store/quarantine/0000000000000001-segments-\(name)"
    machine.disk.setContent(
      of: path, to: try #require(other.disk.content(of: "/store/segments/\(name)")))
    // What a stage chooses, it chooses from the store.
    #expect(try store.remove(matching: "tag.user = 3 | limit 1") == 0)
    #expect(try store.remove(matching: "tag.user = 4") == 0)
    #expect(machine.disk.content(of: path) != nil)
    #expect(try store.remove(matching: "tag.user = 3") == 0)
    #expect(machine.disk.content(of: path) == nil)
    #expect(try store.query("").rowCount == 1)
  }

  @Test func aTypedEventKeepsItsFieldsAndItsPlace() throws {
    let store = try Machine().open()
    let photos = store.log("App")(Imported.self)
    photos(for: "album-7") { Imported(album: "Lisbon", ratio: 0.5) }
    let record = try #require(try store.query("payload.album = Lisbon").records.first)
    #expect(record.event == "photo.imported")
    #expect(record.message == "imported into Lisbon")
    #expect(record.scopes == ["App/Imported/album-7"])
    #expect(record.payload == Array(#"{"album":"Lisbon","ratio":0.5}"#.utf8))
    #expect(record.file == "PeriscopeCoreTests/PeriscopeStoreTests.swift")
    #expect(record.function == "aTypedEventKeepsItsFieldsAndItsPlace()")
    #expect(record.line == Int64(#line - 8))
    #expect(record.id == UniqueID(session: store.session.id, sequence: 1))
  }

  @Test func fieldsThatCannotBeEncodedCostOnlyThemselves() throws {
    struct Broken: LogEvent {
      struct Failure: Error {}
      static let eventName = "broken"
      var message: String { "still here" }
      init() {}
      init(from decoder: any Decoder) throws { throw Failure() }
      func encode(to encoder: any Encoder) throws { throw Failure() }
    }
    let store = try Machine().open()
    store.log("App")(Broken.self)(Broken())
    let records = try store.query("has tag.\"periscope.payload_error\"").records
    #expect(records.map(\.message) == ["still here"])
  }

  /// Fields that nest deeper than a reader follows would be lost with the whole record.
  @Test func fieldsThatNestTooDeeplyCostOnlyThemselves() throws {
    indirect enum Tree: Codable, Sendable {
      case leaf
      case node(Tree)

      init(depth: Int) {
        self = (0..<depth).reduce(.leaf) { tree, _ in .node(tree) }
      }
    }
    struct Nested: LogEvent {
      static let eventName = "nested"
      var tree: Tree
      var message: String { "nested" }
    }
    let store = try Machine().open()
    let log = store.log(Nested.self)
    // Every node is two objects; the event and the leaf are three more.
    for depth in [30, 31, 47, 60] { log(Nested(tree: Tree(depth: depth))) }
    let result = try store.query("nested | sort sequence")
    #expect(result.summary.isComplete)
    #expect(result.records.map(\.payload.isEmpty) == [false, true, true, true])
    #expect(
      result.records.map { $0.tags.map(\.key) }
        == [
          [], ["periscope.payload_error"], ["periscope.payload_error"], ["periscope.payload_error"],
        ])
  }

  @Test func linkedLogsCarryBothPlacesAndBothSetsOfTags() throws {
    let store = try Machine().open()
    let model = store.log("Model").tagged("a", 1).tagged("b", 1)
    let ui = store.log("UI").tagged("b", 2)
    (model + ui).info("linked")
    let record = try #require(try store.query("scope = UI").records.first)
    #expect(record.scopes == ["Model", "UI"])
    #expect(record.tags == [LogTag("a", .int(1)), LogTag("b", .int(2))])
    (model + model).info("self")
    #expect(try store.query("self").records.first?.scopes == ["Model"])
  }

  @Test func belowTheFloorNothingIsEvenMade() throws {
    let store = try Machine().open()
    store.minimumLevel = .warning
    let log = store.log("App")
    func text() -> LogMessage {
      Issue.record("the text was made")
      return ""
    }
    log.info(text())
    log.warning("heard")
    #expect(try store.query("").records.map(\.message) == ["heard"])
    store.minimumLevel = nil
    log.debug("heard too")
    #expect(try store.query("| count").table?.rows == [[.int(2)]])
  }

  @Test func aLaterSessionRecoversAnEarlierOne() throws {
    let machine = Machine()
    do {
      let first = try machine.open(app: "Test 1.0")
      for number in 1...10 { first.log("App").tagged("n", number).info("number \(number)") }
      // Nobody closes it: the object's end does. Real deaths are in `CrashTests`.
    }
    let second = try machine.open(app: "Test 2.0")
    #expect(second.recovery.recordCount == 10)
    #expect(second.recovery.problems == [])
    #expect(try second.query("| count").table?.rows == [[.int(10)]])
    #expect(try second.query("session.app = \"Test 1.0\" | count").table?.rows == [[.int(10)]])
    second.log("App").info("one more")
    #expect(try second.query("session = previous | count").table?.rows == [[.int(10)]])
    #expect(try second.reader.sessions().map(\.app) == ["Test 1.0", "Test 2.0"])
  }

  @Test func aJournalWhoseOwnerLivesIsLeftAlone() throws {
    let machine = Machine()
    let first = try machine.open()
    first.log("A").info("one")
    let second = try machine.open()
    #expect(second.recovery.journals.isEmpty)
    first.log("A").info("two")
    second.log("B").info("three")
    for store in [first, second] {
      #expect(try store.query("").records.map(\.message) == ["three", "two", "one"])
    }
  }

  /// Queries go on while segments are folded: at every step each record is there once.
  @Test func compactionChangesNoAnswer() throws {
    let store = try Machine().open()
    let log = store.log("App")
    for round in 1...5 {
      for number in 1...20 { log.info("round \(round) number \(number)") }
      let before = try store.query("").records
      #expect(before.count == 20 * round)
      _ = try store.compact()
      #expect(try store.query("").records == before)
    }
    #expect(try store.query("| count by level").table?.rows == [[.level(.info), .int(100)]])
  }

  @Test func aFullDiskCostsTheRecordAndNothingElse() throws {
    let machine = Machine()
    let store = try machine.open()
    let log = store.log("App")
    log.info("before")
    machine.disk.capacity = 0
    log.info("lost")
    #expect(store.appendFailureCount == 1)
    machine.disk.capacity = nil
    log.info("after")
    log.info("and after")
    // The loss is told once.
    #expect(
      try store.query("| sort sequence").records.map(\.message)
        == ["before", "after", "1 records could not be written before this one", "and after"])
    let marker = try #require(try store.query("event = StoreWriteFailed").records.first)
    #expect(marker.level == .warning && marker.payload == Array(#"{"count":1}"#.utf8))
  }

  @Test func afterClosingNothingIsLogged() throws {
    let store = try Machine().open()
    store.log("App").info("in time")
    store.close()
    store.close()
    store.log("App").info("too late")
    #expect(store.appendFailureCount == 1)
    #expect(try store.query("").records.map(\.message) == ["in time"])
  }

  @Test func aReaderNeedsAStore() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: StoreError.notAStore(directory.path)) {
      try StoreReader(directory: directory.path)
    }
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "Test"))
    store.log("App").info("seen by a reader")
    let reader = try StoreReader(directory: directory.path)
    #expect(try reader.query("reader").rowCount == 1)
    #expect(throws: Diagnostics.self) { try reader.query("level >= loud") }
  }
}

/// A clock for tests: every look at it takes a millisecond.
private final class Ticks: Sendable {
  private let time = Mutex<Int64>(1_767_225_600_000_000_000)

  func next() -> Int64 {
    time.withLock {
      $0 += 1_000_000
      return $0
    }
  }
}
