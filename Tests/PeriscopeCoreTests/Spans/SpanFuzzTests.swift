import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// Spans that begin, end, supersede one another and expire in every order, under floors that flip, a hook that suppresses
/// and a sink that is too slow: what is logged are strict pairs everywhere, and nothing stays behind.
@Suite struct SpanFuzzTests {
  /// Follows the records of spans as they come.
  struct Pairs {
    var open: Set<UniqueID> = []
    var closed: Set<UniqueID> = []
    var problems: [String] = []
    var lastSequence: UInt64 = 0
    var count = 0

    mutating func take(_ record: Record) {
      guard record.event != "DroppedEvents" else { return }
      if record.sequence <= lastSequence { problems.append("\(record.sequence) came too late") }
      lastSequence = record.sequence
      guard let span = record.span, record.event.hasPrefix("Span") else { return }
      count += 1
      switch (record.event, record.exit) {
      case ("SpanBegan", nil):
        if !open.insert(span).inserted || closed.contains(span) {
          problems.append("\(span) began twice")
        }
      case ("SpanOverdue", nil):
        if !open.contains(span) { problems.append("\(span) was overdue after its end") }
      case ("SpanEnded", _?):
        if open.remove(span) == nil { problems.append("\(span) ended without a begin") }
        closed.insert(span)
      default: problems.append("\(record.event) with exit \(record.exit ?? "nil")")
      }
    }
  }

  /// Checks what it gets and keeps nothing.
  final class PairSink: LogSink {
    let pairs = Mutex(Pairs())

    func receive(_ records: [Record]) {
      pairs.withLock { pairs in for record in records { pairs.take(record) } }
    }
  }

  /// A store for a round, and what it leaves to the background.
  struct World {
    let background = BackgroundWork()
    let store: PeriscopeStore
    let sink = PairSink()
    let stream: AsyncStream<Record>

    init(
      _ clock: SpanClock,
      worker: @escaping @Sendable (@escaping @Sendable () -> Duration?) -> any BackgroundWorker
    ) throws {
      var environment = PeriscopeStoreTests.Machine(worker: worker).environment
      environment.background = background.add
      var limits = SinkQueue.Limits()
      limits.records = 16
      limits.protectedFactor = 1 << 20
      store = try PeriscopeStore.make(
        storage: .directory("/store"), session: .current(app: "Fuzz", environment: environment),
        redaction: Redaction { $0.externalID == "3" ? nil : $0 },
        configuration: .init(maximumByteCount: 64 << 20, segmentByteCount: 256 << 10),
        environment: environment, spanClock: clock, sinkLimits: limits)
      stream = store.liveRecords(limit: .max)
      store.add(sink: sink)
    }

    /// Checks what the sink has seen, the stream, and the store, of which a part is folded. Returns the number of records.
    func expectPairs(_ random: SeededRandom) async throws -> Int {
      let seen = sink.pairs.withLock { $0 }
      var (live, stored) = (Pairs(), Pairs())
      store.close()
      // What is left undone would keep the round's disk for ever.
      background.run()
      for await record in stream { live.take(record) }
      let result = try store.query(
        "event in (SpanBegan, SpanOverdue, SpanEnded) | sort sequence")
      for record in result.records { stored.take(record) }
      for pairs in [seen, live, stored] {
        #expect(pairs.problems == [], "\(random)")
        #expect(pairs.open.isEmpty, "\(random)")
        #expect(pairs.count == seen.count, "\(random)")
      }
      #expect(result.summary.isComplete && store.appendFailureCount == 0, "\(random)")
      return seen.count
    }
  }

  /// A span that should be open: whether it is logged does not matter for that.
  struct Expected {
    let id: UniqueID
    /// From when on the watchdog ends it as soon as it looks.
    let expiry: Int64?
  }

  @Test func oneThreadInEveryOrder() async throws {
    for (steps, random) in FuzzRounds(of: 2_000) {
      let tick = Mutex<Int64>(0)
      let workers = ManualWorkers()
      let world = try World(SpanClock { tick.withLock { $0 } }, worker: workers.make)
      var round = Round(random: random, world: world, workers: workers)
      for _ in 0..<steps { round.step(tick) }
      round.endAll()
      let count = try await world.expectPairs(random)
      #expect(count > steps / 10, "\(random)")
    }
  }

  struct Round {
    var random: SeededRandom
    let world: World
    let workers: ManualWorkers
    let logs: [Log<Message>]
    var model: [String: Expected] = [:]

    init(random: SeededRandom, world: World, workers: ManualWorkers) {
      (self.random, self.world, self.workers) = (random, world, workers)
      let log = world.store.log("A")
      logs = [log, log("B"), log + world.store.log("C")]
    }

    mutating func step(_ tick: borrowing Mutex<Int64>) {
      let place = Int.random(in: 0..<logs.count, using: &random)
      let (log, entity) = (logs[place], Int.random(in: 0..<5, using: &random))
      // The third is at the first one's primary scope.
      let key = "\(place % 2) \(entity)"
      let now = tick.withLock { $0 }
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<8:
        let isBounded = Bool.random(using: &random)
        let id = log.begin(
          "work", for: entity, lifetime: isBounded ? .bounded(.seconds(50)) : .indefinite,
          level: Bool.random(using: &random) ? .debug : .notice)
        #expect(id != nil, "\(random)")
        model[key] = id.map { Expected(id: $0, expiry: isBounded ? now + 50_000_000_000 : nil) }
      case 8..<14:
        let wasOpen = log.end("work", for: entity, exit: .failure("x"))
        let expected = model.removeValue(forKey: key)
        // The watchdog may have been there first.
        let isCertain = expected.map { ($0.expiry ?? .max) > now } ?? true
        if isCertain { #expect(wasOpen == (expected != nil), "\(random)") }
      case 14, 15: log.measure("step", budget: .seconds(1)) { tick.withLock { $0 += 500_000_000 } }
      case 16, 17:
        world.store.minimumLevel = [nil, .info, .error].randomElement(using: &random) ?? nil
      case 18, 19:
        tick.withLock { $0 += Int64.random(in: 0..<20_000_000_000, using: &random) }
        workers.wakeAll()
        workers.run()
        let now = tick.withLock { $0 }
        model = model.filter { ($0.value.expiry ?? .max) > now }
      case 20, 21: for number in 0..<20 { log.error("noise \(number)") }
      case 22: world.background.run()
      default: workers.run()
      }
      expectModel(tick.withLock { $0 })
    }

    /// What is open is what should be, apart from spans that have expired and may have been ended.
    mutating func expectModel(_ now: Int64) {
      let open = Set(world.store.openSpans().map(\.id))
      model = model.filter { open.contains($0.value.id) || ($0.value.expiry ?? .max) > now }
      #expect(open == Set(model.values.map(\.id)), "\(random)")
    }

    func endAll() {
      world.store.minimumLevel = nil
      for log in logs { for entity in 0..<5 { log.end("work", for: entity) } }
      workers.run()
      #expect(world.store.openSpans().isEmpty, "\(random)")
    }
  }

  /// The same with threads that begin and end one another's spans.
  @Test func manyThreadsAtOnce() async throws {
    for (steps, random) in FuzzRounds(of: 2_000) {
      let world = try World(.system, worker: BackgroundThread.init)
      let (store, background) = (world.store, world.background)
      let log = store.log("A")
      runThreads(4) { thread in
        var random = SeededRandom(seed: random.seed &* 4 &+ UInt64(thread))
        for _ in 0..<steps / 4 {
          let entity = Int.random(in: 0..<4, using: &random)
          switch Int.random(in: 0..<16, using: &random) {
          case 0..<6:
            log.begin(
              "work", for: entity, lifetime: .bounded(.milliseconds(entity == 0 ? 1 : 60_000)))
          case 6..<12: log.end("work", for: entity)
          case 12, 13: log.measure("step") { log.info("inside") }
          case 14: background.run()
          default:
            store.setMinimumLevel(Bool.random(using: &random) ? .error : nil, under: log.scopes[0])
          }
        }
      }
      store.setMinimumLevel(nil, under: log.scopes[0])
      for entity in 0..<4 { log.end("work", for: entity) }
      #expect(store.openSpans().isEmpty, "\(random)")
      await store.flush()
      // A span that the watchdog ends is closed, and the sink told, before that is in the journal.
      let told = world.sink.pairs.withLock { $0.count }
      while try store.query("event in (SpanBegan, SpanOverdue, SpanEnded)").rowCount < told {}
      let count = try await world.expectPairs(random)
      #expect(count > steps / 20, "\(random)")
    }
  }
}
