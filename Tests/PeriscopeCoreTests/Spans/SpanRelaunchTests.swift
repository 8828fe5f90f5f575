import JournalKit
import PeriscopeCore
import TestSupport
import Testing

/// Spans whose process dies before they end.
@Suite struct SpanRelaunchTests {
  let world = SpanTests.World()

  /// Runs a process that logs and dies: nobody closes its store.
  private func die(_ body: (PeriscopeStore) throws -> Void) throws {
    try body(world.open())
  }

  @Test func aSpanThatEndsWithItsProcessIsOrphaned() throws {
    var span: UniqueID?
    try die { store in
      let log = store.log("App").tagged("user", 42)
      log.begin("ended", for: 1)
      log.end("ended", for: 1)
      span = log.begin("upload", for: 7)
    }
    let store = try world.open()
    let ended = try #require(try store.query("exit = orphaned").records.first)
    #expect(ended.span == span && ended.session == store.session.id)
    #expect(ended.duration == nil && ended.level == .warning && ended.message.hasPrefix("upload"))
    #expect(ended.scopes == ["App"] && ended.tags == [LogTag("user", .int(42))])
    #expect(ended.externalID == "7")
    #expect(store.openSpans().isEmpty)
    // Once, however often the store is opened.
    for _ in 1...3 { try die { #expect($0.openSpans().isEmpty) } }
    #expect(try world.open().query("exit = orphaned").rowCount == 1)
    #expect(try world.open().query("| spans | where open = true").rowCount == 0)
  }

  @Test func aSpanThatWasMeasuredIsOrphanedToo() throws {
    let first = try world.open()
    let log = first.log("App")
    try log.measure("outer") {
      try log.measure("inner") {
        // The process dies here: its journal is all that there is.
        first.close()
        let store = try world.open()
        let ended = try store.query("exit = orphaned").records
        #expect(
          Set(ended.map(\.message)) == [
            "outer: orphaned, the process ended first", "inner: orphaned, the process ended first",
          ])
        #expect(ended.allSatisfy { $0.span != nil })
      }
    }
  }

  @Test func aSpanThatSurvivesIsEndedByTheNextProcess() throws {
    var span: UniqueID?
    var start: Int64 = 0
    try die { store in
      let log = store.log("App")("Sync")
      span = log.begin("upload", for: "f", relaunch: .survivesRelaunch)
      start = store.openSpans()[0].start
    }
    // Through several processes.
    for _ in 1...6 {
      try die { store in
        let open = store.openSpans()
        #expect(open.map(\.id) == [span] && open.map(\.name) == ["upload"])
        #expect(open[0].start == start)
      }
    }
    let store = try world.open()
    #expect(store.log("App")("Sync").end("upload", for: "f"))
    let ended = try #require(try store.query("event = SpanEnded").records.first)
    #expect(ended.span == span && ended.exit == "success")
    #expect(ended.duration == ended.time - start)
    #expect(store.openSpans().isEmpty)
    try die { #expect($0.openSpans().isEmpty) }
    let rows = try store.query("| spans | select open, exit").table?.rows
    #expect(rows == [[.bool(false), .string("success")]])
  }

  @Test func aBoundGoesOnWhileThereIsNoProcess() throws {
    try die { store in
      let log = store.log("App")
      // The wall clock of this machine moves a millisecond at each look.
      log.begin("short", for: 1, lifetime: .bounded(.milliseconds(2)), relaunch: .survivesRelaunch)
      log.begin("long", for: 1, lifetime: .bounded(.seconds(60)), relaunch: .survivesRelaunch)
    }
    let store = try world.open()
    world.pass(seconds: 0)
    #expect(store.openSpans().map(\.name) == ["long"])
    world.pass(seconds: 60)
    #expect(store.openSpans().isEmpty)
    #expect(try store.query("exit = expired").rowCount == 2)
  }

  @Test func aLivingProcessKeepsItsSpans() throws {
    let first = try world.open()
    first.log("App").begin("here", for: 1)
    try die { store in
      store.log("App").begin("there", for: 1)
      #expect(store.openSpans().map(\.name) == ["there"])
    }
    let third = try world.open()
    #expect(try third.query("exit = orphaned").records.map(\.externalID) == ["1"])
    #expect(first.openSpans().map(\.name) == ["here"])
    #expect(first.log("App").end("here", for: 1))
  }

  /// A tool that folds journals and logs nothing leaves the spans to the next process.
  @Test func whatAToolFoldedIsSweptToo() throws {
    try die { $0.log("App").begin("upload", for: 7) }
    let segments = try SegmentStore(directory: "/store", fileSystem: world.machine.disk)
    #expect(try segments.foldAbandonedJournals().recordCount == 1)
    #expect(try world.open().query("exit = orphaned").rowCount == 1)
  }

  @Test func compactingSweepsWhatOthersLeft() throws {
    let store = try world.open()
    try die { $0.log("App").begin("upload", for: 7) }
    try store.compact()
    #expect(try store.query("exit = orphaned").records.map(\.session) == [store.session.id])
  }

  @Test func whatWasRedactedIsClosedAsWell() throws {
    let closed = Redaction { _ in nil }
    do {
      let store = try world.open(redaction: closed)
      store.log("App").begin("upload", for: 7, relaunch: .survivesRelaunch)
    }
    let store = try world.open(redaction: closed)
    #expect(try store.query("| sort time").records.map(\.exit) == [nil, "orphaned"])
  }

  /// A session that was closed, or died, and goes on, has its spans as well.
  @Test func aSessionThatGoesOnKeepsItsSpans() throws {
    let session = SessionInfo.current(app: "Test", environment: world.machine.environment)
    func open() throws -> PeriscopeStore {
      try PeriscopeStore.make(
        storage: .directory("/store"), session: session, environment: world.machine.environment,
        spanClock: .system)
    }
    var first: PeriscopeStore? = try open()
    let span = first?.log("App").begin("upload", for: 7, relaunch: .survivesRelaunch)
    first?.log("App").begin("lease", for: 1)
    first = nil
    let store = try open()
    #expect(store.openSpans().map(\.id) == [span])
    #expect(try store.query("exit = orphaned").records.map(\.externalID) == ["1"])
    try store.compact()
    #expect(store.openSpans().map(\.id) == [span])
    #expect(store.log("App").end("upload", for: 7))
    #expect(try store.query("| spans | where open = true").rowCount == 0)
  }

  /// What was imported may be open on another machine.
  @Test func importedSpansAreLeftAlone() throws {
    let other = UniqueID(bits: 0x1234)
    var began = Record(
      id: UniqueID(bits: 1), time: 1, sequence: 1, session: other, level: .info,
      event: "SpanBegan", message: "upload")
    began.span = UniqueID(bits: 2)
    began.scopes = ["App"]
    began.payload = Array(#"{"name":"upload","entity":"7","survives":true}"#.utf8)
    let segments = try SegmentStore(directory: "/store", fileSystem: world.machine.disk)
    do {
      let transaction = try StoreTransaction(segments)
      transaction.add(SessionInfo(id: other, start: 0))
      try transaction.append(began)
      try transaction.commit()
    }
    let store = try world.open()
    #expect(store.openSpans().isEmpty)
    #expect(!store.log("App").end("upload", for: 7))
    try store.compact()
    #expect(try store.query("| spans | where open = true").rowCount == 1)
  }

  /// Times that no clock shows, in a journal that somebody made.
  @Test func absurdTimesAreNoReasonToTrap() throws {
    try die { store in
      store.log("App").begin("upload", for: 7, relaunch: .survivesRelaunch)
    }
    let redaction = Redaction { record in
      var record = record
      if record.event == "SpanResumed" {
        record.payload = Array(
          #"{"name":"upload","entity":"7","survives":true,"began":-9223372036854775808}"#.utf8)
      }
      return record
    }
    do { _ = try world.open(redaction: redaction) }
    let store = try world.open()
    #expect(store.openSpans().map(\.entity) == ["7"])
    #expect(store.log("App").end("upload", for: 7))
  }

  /// While another process sees to the spans, nobody else does.
  @Test func spansAreSweptByOneProcessAtATime() throws {
    try die { $0.log("App").begin("upload", for: 7) }
    let segments = try SegmentStore(directory: "/store", fileSystem: world.machine.disk)
    #expect(try segments.foldAbandonedJournals().recordCount == 1)
    let disk = world.machine.disk
    let lock = try #require(try disk.lock(at: "/store/sweep.lock"))
    #expect(try world.open().query("exit = orphaned").rowCount == 0)
    try disk.close(lock)
    #expect(try world.open().query("exit = orphaned").rowCount == 1)
    #expect(try world.open().query("exit = orphaned").rowCount == 1)
  }

  /// However many spans came and went since. `PERISCOPE_FUZZ_STEPS` sets how many, to see more than a query lists.
  @Test func aSpanIsCarriedOnAmongVeryManyOthers() throws {
    var spans: [UniqueID?] = []
    try die { store in
      let log = store.log("App")
      spans = [
        log.begin("upload", for: 1, relaunch: .survivesRelaunch), log.begin("lease", for: 1),
      ]
      for (steps, _) in FuzzRounds(of: 600) { for _ in 0..<steps { log.measure("request") {} } }
    }
    let store = try world.open()
    #expect(store.openSpans().map(\.id) == [spans[0]])
    let orphaned = try store.query("exit = orphaned").records
    #expect(orphaned.map(\.span) == [spans[1]])
    #expect(store.log("App").end("upload", for: 1))
    try die { #expect($0.openSpans().isEmpty) }
  }

  /// A span that was carried on in the session in which it began, and ended there, is not open.
  @Test func aSpanThatWasCarriedOnAndEndedStaysEnded() throws {
    let session = SessionInfo.current(app: "Test", environment: world.machine.environment)
    func run(_ body: (PeriscopeStore) -> Void) throws {
      body(
        try PeriscopeStore.make(
          storage: .directory("/store"), session: session, environment: world.machine.environment))
    }
    try run { _ = $0.log("App").begin("upload", for: 7, relaunch: .survivesRelaunch) }
    try run { #expect($0.log("App").end("upload", for: 7)) }
    try run { #expect($0.openSpans().isEmpty) }
    let store = try world.open()
    #expect(store.openSpans().isEmpty)
    #expect(try store.query("exit = orphaned").rowCount == 0)
  }

  /// What the hook suppresses of a span that is carried on, and of one that is overdue, leaves the bare record.
  @Test func whatIsSuppressedLeavesItsPlace() throws {
    let secret = "Ann"
    let hook = Redaction { record in
      record.payload.firstRange(of: Array(secret.utf8)) == nil ? record : nil
    }
    do {
      let store = try world.open()
      store.log("App").begin("upload", for: secret, relaunch: .survivesRelaunch)
    }
    let store = try world.open(redaction: hook)
    store.log("App").measure(LogSpanName(rawValue: secret), budget: .seconds(1)) {
      world.pass(seconds: 2)
    }
    let records = try store.query("session = current | sort sequence").records
    #expect(
      records.map(\.event) == ["SpanResumed", "SpanBegan", "SpanOverdue", "SpanEnded"])
    #expect(records.allSatisfy { $0.message == "<redacted>" && $0.span != nil })
    #expect(records.allSatisfy { $0.payload.isEmpty && $0.externalID == nil })
  }
}
