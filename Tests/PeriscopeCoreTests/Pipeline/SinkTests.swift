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
}
