import Foundation
import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// Spans that begin, end, supersede one another and expire in every order, under floors that flip, a hook that suppresses
/// and a sink that is too slow: what is logged are strict pairs everywhere, and nothing stays behind.
///
/// `PERISCOPE_FUZZ_STEPS` sets the number of steps, `PERISCOPE_SEED` replays those of the first test.
@Suite struct SpanFuzzTests {
  static let steps = ProcessInfo.processInfo.environment["PERISCOPE_FUZZ_STEPS"].flatMap(Int.init)
  static let seed = ProcessInfo.processInfo.environment["PERISCOPE_SEED"].flatMap(UInt64.init)

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

  private static func open(
    _ machine: PeriscopeStoreTests.Machine, _ clock: SpanClock
  ) throws -> PeriscopeStore {
    var limits = SinkQueue.Limits()
    limits.records = 16
    limits.protectedFactor = 1 << 20
    return try PeriscopeStore.make(
      storage: .directory("/store"),
      session: .current(app: "Fuzz", environment: machine.environment),
      redaction: Redaction { $0.externalID == "3" ? nil : $0 },
      configuration: .init(maximumByteCount: 1 << 20), environment: machine.environment,
      spanClock: clock, sinkLimits: limits)
  }

  @Test func oneThreadInEveryOrder() throws {
    var random = SeededRandom(seed: Self.seed ?? 20_261_130)
    let workers = ManualWorkers()
    let machine = PeriscopeStoreTests.Machine(worker: workers.make)
    let tick = Mutex<Int64>(0)
    let store = try Self.open(machine, SpanClock { tick.withLock { $0 } })
    let sink = PairSink()
    store.add(sink: sink)
    let logs = [store.log("A"), store.log("A")("B"), store.log("A") + store.log("C")]
    /// What should be open: the level does not matter for that.
    var model: Set<String> = []
    for _ in 0..<(Self.steps ?? 2_000) {
      let place = Int.random(in: 0..<logs.count, using: &random)
      let (log, entity) = (logs[place], Int.random(in: 0..<5, using: &random))
      // The third is at the first one's primary scope.
      let key = "\(place % 2) \(entity)"
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<4:
        let isBounded = Bool.random(using: &random)
        log.begin(
          "work", for: entity, lifetime: isBounded ? .bounded(.seconds(50)) : .indefinite,
          level: Bool.random(using: &random) ? .debug : .notice)
        model.insert(key)
      case 4..<7:
        let wasOpen = log.end("work", for: entity, exit: .failure("x"))
        let isOpen = store.openSpans().contains {
          $0.scopes[0] == log.scopes[0] && $0.entity == "\(entity)"
        }
        #expect(!isOpen, "\(random)")
        if wasOpen { #expect(model.contains(key), "\(random)") }
        model.remove(key)
      case 7: log.measure("step", budget: .seconds(1)) { tick.withLock { $0 += 500_000_000 } }
      case 8: store.minimumLevel = [nil, .info, .error].randomElement(using: &random) ?? nil
      case 9:
        tick.withLock { $0 += Int64.random(in: 0..<20_000_000_000, using: &random) }
        workers.wakeAll()
        workers.run()
      case 10: for number in 0..<30 { log.fault("noise \(number)") }
      default: workers.run()
      }
      #expect(Set(store.openSpans().map(\.id)).count <= model.count, "\(random)")
    }
    store.minimumLevel = nil
    for log in logs { for entity in 0..<5 { log.end("work", for: entity) } }
    workers.run()
    #expect(store.openSpans().isEmpty, "\(random)")
    sink.pairs.withLock { pairs in
      #expect(pairs.problems == [], "\(random)")
      #expect(pairs.open.isEmpty, "\(random)")
      #expect(pairs.count > 100)
    }
  }

  /// The same with threads that begin and end one another's spans.
  @Test func manyThreadsAtOnce() async throws {
    let machine = PeriscopeStoreTests.Machine(worker: BackgroundThread.init)
    let store = try Self.open(machine, .system)
    let sink = PairSink()
    store.add(sink: sink)
    let log = store.log("A")
    let steps = (Self.steps ?? 2_000) / 4
    runThreads(4) { thread in
      var random = SeededRandom(seed: UInt64(thread))
      for _ in 0..<steps {
        let entity = Int.random(in: 0..<4, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3:
          log.begin(
            "work", for: entity, lifetime: .bounded(.milliseconds(entity == 0 ? 1 : 60_000)))
        case 3..<6: log.end("work", for: entity)
        case 6: log.measure("step") { log.info("inside") }
        default:
          store.setMinimumLevel(Bool.random(using: &random) ? .error : nil, under: log.scopes[0])
        }
      }
    }
    store.setMinimumLevel(nil, under: log.scopes[0])
    for entity in 0..<4 { log.end("work", for: entity) }
    #expect(store.openSpans().isEmpty)
    await store.flush()
    sink.pairs.withLock { pairs in
      #expect(pairs.problems == [])
      #expect(pairs.open.isEmpty)
    }
    store.close()
  }
}
