import Dispatch
import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct SinkTests {
  typealias Machine = PeriscopeStoreTests.Machine

  @Test func aSinkGetsWhatIsLoggedAfterItWasAdded() throws {
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let log = store.log("App")
    log.info("before")
    let sink = MemorySink()
    store.add(sink: sink)
    log.info("one")
    log("Photos")(for: 7).info("two")
    // Whoever logs does not wait for a sink.
    #expect(sink.records.isEmpty)
    workers.run()
    #expect(sink.records.map(\.message) == ["one", "two"])
    #expect(sink.scopes.map(\.path) == ["App", "App/Photos", "App/Photos/7"])
    let stored = try store.query("| sort sequence").records
    #expect(Array(stored.dropFirst()) == sink.records)
  }

  @Test func aTypedEventReachesSinksWithItsFields() throws {
    let store = try Machine(worker: InlineWorker.init).open()
    let sink = MemorySink()
    store.add(sink: sink)
    store.log("App").retyped(to: PeriscopeStoreTests.Imported.self)(
      PeriscopeStoreTests.Imported(album: "Rome", ratio: 2))
    #expect(sink.records.map(\.payload) == [Array(#"{"album":"Rome","ratio":2}"#.utf8)])
    #expect(try store.query("").records == sink.records)
  }

  @Test func aLateSinkIsToldScopesToo() throws {
    let store = try Machine(worker: InlineWorker.init).open()
    let early = MemorySink()
    store.add(sink: early)
    let log = store.log("App")("Photos")
    log.info("one")
    let late = MemorySink()
    store.add(sink: late)
    log.info("two")
    #expect(early.records.map(\.message) == ["one", "two"])
    #expect(early.scopes.map(\.path) == ["App", "App/Photos"])
    #expect(late.records.map(\.message) == ["two"])
    #expect(late.scopes.map(\.path) == ["App", "App/Photos"])
  }

  @Test func aRemovedSinkGetsWhatWasLoggedBefore() async throws {
    let store = try Machine(worker: BackgroundThread.init).open()
    let log = store.log("App")
    let (sink, other) = (MemorySink(), MemorySink())
    let token = store.add(sink: sink)
    store.add(sink: other)
    for number in 1...100 { log.info("\(number)") }
    await store.remove(token)
    #expect(sink.records.map(\.message) == (1...100).map(String.init))
    #expect(sink.flushCount == 1)
    log.info("more")
    await store.remove(token)
    await store.flush()
    #expect(sink.records.count == 100 && sink.flushCount == 1)
    #expect(other.records.count == 101 && other.flushCount >= 1)
  }

  @Test func closingLetsSinksHaveTheRest() throws {
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let sink = MemorySink()
    store.add(sink: sink)
    store.log("App").info("last")
    store.close()
    workers.run()
    #expect(sink.records.map(\.message) == ["last"])
    #expect(sink.flushCount == 1)
    store.log("App").info("too late")
    let late = MemorySink()
    store.add(sink: late)
    workers.run()
    #expect(sink.records.count == 1 && late.records.isEmpty)
  }

  /// One flush for all errors that wait, and one more for those that came meanwhile.
  @Test func errorsAreFlushedTogether() throws {
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let log = store.log("App")
    let sink = MemorySink()
    store.add(sink: sink)
    log.warning("not urgent")
    workers.run()
    #expect(sink.flushCount == 0)
    for number in 1...50 { log.error("\(number)") }
    workers.run()
    #expect(sink.records.count == 51 && sink.flushCount == 1)
    log.fault("last")
    workers.run()
    #expect(sink.flushCount == 2)
  }

  @Test func whatASinkLogsIsStoredAndComesBackToNone() throws {
    /// Logs for each record that it gets.
    final class Echo: LogSink {
      let log: Log<Message>
      init(_ log: Log<Message>) { self.log = log }
      func receive(_ records: [Record]) {
        for record in records { log.error("got \(record.message)") }
      }
      func flush() { log.info("flushed") }
    }
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let log = store.log("App")
    let memory = MemorySink()
    store.add(sink: Echo(log))
    store.add(sink: Echo(log))
    store.add(sink: memory)
    log.error("one")
    workers.run()
    #expect(memory.records.map(\.message) == ["one"])
    #expect(
      try store.query("| sort sequence").records.map(\.message)
        == ["one", "got one", "flushed", "got one", "flushed"])
  }

  @Test func whatASinkLogsComesToLiveStreams() async throws {
    final class Echo: LogSink {
      let log: Log<Message>
      init(_ log: Log<Message>) { self.log = log }
      func receive(_ records: [Record]) { log.notice("got \(records.count)") }
    }
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let stream = store.liveRecords()
    store.add(sink: Echo(store.log("Echo")))
    store.log("App").info("one")
    workers.run()
    store.close()
    workers.run()
    var messages: [String] = []
    for await record in stream { messages.append(record.message) }
    #expect(messages == ["one", "got 1"])
  }

  /// A sink whose thread could not be started gets everything when there is one, and whoever waits for it is no worse off.
  @Test func aSinkWithoutAThreadIsTriedAgain() async throws {
    let workers = ManualWorkers()
    let store = try Machine(worker: workers.make).open()
    let log = store.log("App")
    let sink = MemorySink()
    store.add(sink: sink)
    workers.hasThreads = false
    log.info("one")
    workers.run()
    #expect(sink.records.isEmpty)
    workers.hasThreads = true
    log.info("two")
    workers.run()
    #expect(sink.records.map(\.message) == ["one", "two"])
    workers.hasThreads = false
    log.info("three")
    await store.flush()
    #expect(sink.records.count == 3 && sink.flushCount == 1)
  }

  @Test func eachReportOfDropsHasAnIdentityOfItsOwn() throws {
    let workers = ManualWorkers()
    var limits = SinkQueue.Limits()
    limits.records = 2
    let store = try PeriscopeStoreTests.Machine(worker: workers.make).open(sinkLimits: limits)
    let sink = MemorySink()
    store.add(sink: sink)
    for _ in 1...2 {
      for number in 1...5 { store.log("App").info("\(number)") }
      workers.run()
    }
    let reports = sink.records.filter { $0.event == DroppedEvents.eventName }
    #expect(reports.count == 2 && Set(reports.map(\.id)).count == 2)
    #expect(reports.allSatisfy { $0.id.bits != 0 })
  }

  /// The store writes a record that nobody else gets without making it one first; it is the same.
  @Test func aRecordIsTheSameWhetherOthersGetItOrNot() throws {
    struct Odd: LogEvent {
      static let eventName = "odd \"event\""
      static let eventVersion = 3
      var level: LogLevel { LogLevel("trace", severity: 50) }
      var message: String { "a\nb" }
      var externalID: String? { "x\\y" }
      var value = 0.125
    }
    func log(to store: PeriscopeStore) throws -> [Record] {
      let app = store.log("App")("Ph/otos")
      app.info("plain")
      app.tagged("n", 1).tagged("d", -0.5).tagged("t", "q\"").tagged("b", true)
        .error("to \(1) and \(2.5) and \("é\t")")
      app.log(LogLevel("audit", severity: 350), "custom")
      (app + store.log("UI")).retyped(to: Odd.self)(Odd())
      app.measure("span") { app.notice("inside") }
      return try store.query("| sort sequence").records.map { record in
        var record = record
        (record.id, record.session) = (UniqueID(bits: 0), UniqueID(bits: 0))
        (record.time, record.duration) = (0, record.duration.map { _ in 0 })
        record.span = record.span.map { _ in UniqueID(bits: 1) }
        return record
      }
    }
    let alone = try log(to: Machine().open())
    let store = try Machine(worker: InlineWorker.init).open()
    store.add(sink: MemorySink())
    #expect(try log(to: store) == alone)
    #expect(alone.count == 7 && alone[3].version == 3 && alone[3].externalID == "x\\y")
  }

  @Test func aLiveStreamHasEveryRecordInOrder() async throws {
    let store = try Machine().open()
    let log = store.log("App")
    let stream = store.liveRecords()
    runThreads(4) { thread in
      for number in 0..<100 { log.tagged("thread", thread).info("\(number)") }
    }
    store.close()
    var records: [Record] = []
    for await record in stream { records.append(record) }
    #expect(records.map(\.sequence) == (1...400).map { $0 })
    for thread in 0..<4 {
      let own = records.filter { $0.tags[0].value == .int(Int64(thread)) }
      #expect(own.map(\.message) == (0..<100).map(String.init))
    }
  }

  @Test func aLiveStreamOfAClosedStoreEnds() async throws {
    let store = try Machine().open()
    store.close()
    for await record in store.liveRecords() { Issue.record("\(record)") }
  }

  @Test func aLiveStreamThatNobodyReadsStaysSmall() async throws {
    let store = try Machine().open()
    let stream = store.liveRecords(limit: 3)
    for number in 1...10 { store.log("App").info("\(number)") }
    store.close()
    var messages: [String] = []
    for await record in stream { messages.append(record.message) }
    #expect(messages == ["8", "9", "10"])
  }

  @Test func recentRecordsAreTheNewestOfThisSession() throws {
    let store = try Machine().open()
    for number in 1...10 { store.log("App").info("\(number)") }
    #expect(try store.recentRecords(limit: 3).map(\.message) == ["8", "9", "10"])
    #expect(try store.recentRecords().count == 10)
    #expect(try store.recentRecords(limit: 0).isEmpty)
  }

  @Test func linesForPeople() throws {
    let written = Mutex<[UInt8]>([])
    let store = try Machine(worker: InlineWorker.init).open()
    store.add(
      sink: StandardErrorSink { bytes in written.withLock { $0 += bytes } })
    store.log("Shop")("Till").tagged("user", 42).tagged("name", "a\u{1B}[31m")
      .error("card\ndeclined", file: "Shop/Till.swift", line: 88)
    #expect(
      String(decoding: written.withLock { $0 }, as: UTF8.self)
        == "2026-01-01T00:00:00.002Z error   Shop/Till  card\\ndeclined"
        + "  user=42  name=a\\u{1B}[31m  (Shop/Till.swift:88)\n")
  }

  struct Receipt: LogEvent {
    static let eventName = "receipt"
    static let isProtectedFromDropping = true
    var number: Int
    var message: String { "receipt \(number)" }
  }

  @Test func protectedEventsStayWhenOthersAreDropped() throws {
    let workers = ManualWorkers()
    var limits = SinkQueue.Limits()
    limits.records = 2
    let store = try Machine(worker: workers.make).open(sinkLimits: limits)
    let sink = MemorySink()
    store.add(sink: sink)
    let log = store.log("App")
    for number in 1...5 {
      log.info("\(number)")
      log(Receipt.self)(Receipt(number: number))
    }
    workers.run()
    #expect(
      sink.records.map(\.message) == [
        "3 records were dropped because a sink was too slow", "receipt 1", "receipt 2",
        "receipt 3", "4", "receipt 4", "5", "receipt 5",
      ])
  }

  @Test func aSinkMayWantSeriousRecordsOnly() throws {
    let store = try Machine(worker: InlineWorker.init).open()
    let (all, some) = (MemorySink(), MemorySink())
    store.add(sink: all)
    store.add(sink: some, minimumLevel: .warning)
    let log = store.log("App")
    for level in LogLevel.standard { log.log(level, "\(level.name)") }
    #expect(all.records.count == 6)
    #expect(some.records.map(\.message) == ["warning", "error", "fault"])
  }

  /// A sink that never returns from a call holds up neither those who log nor other sinks.
  @Test func aSinkThatIsStuckHoldsUpNobody() async throws {
    final class Stuck: LogSink {
      let begin = DispatchSemaphore(value: 0)
      let end = DispatchSemaphore(value: 0)
      let count = Atomic(0)
      func receive(_ records: [Record]) {
        count.add(records.count, ordering: .relaxed)
        begin.signal()
        end.wait()
      }
    }
    let store = try Machine(worker: BackgroundThread.init).open()
    let (stuck, sink) = (Stuck(), MemorySink())
    store.add(sink: stuck)
    let token = store.add(sink: sink)
    let log = store.log("App")
    log.error("1")
    await withCheckedContinuation { continuation in
      BackgroundThread.run {
        stuck.begin.wait()
        continuation.resume()
      }
    }
    for number in 2...100 { log.error("\(number)") }
    #expect(try store.query("").rowCount == 100)
    await store.remove(token)
    #expect(sink.records.map(\.message) == (1...100).map(String.init))
    #expect(stuck.count.load(ordering: .relaxed) == 1)
    for _ in 1...3 { stuck.end.signal() }
    await store.flush()
    #expect(stuck.count.load(ordering: .relaxed) == 100)
    store.close()
  }
}
