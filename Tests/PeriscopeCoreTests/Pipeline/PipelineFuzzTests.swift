import PeriscopeCore
import TestSupport
import Testing

/// Every order in which records are pushed, delivered, flushed, and sinks come and go.
///
/// Each step does one thing at random, as if threads took turns; a model beside it knows what each sink must see. Nobody
/// works who was not woken, and now and then there is no thread to wake anybody.
@Suite struct PipelineFuzzTests {
  /// What a sink has seen, and what it must have seen.
  final class Witness {
    var expected: [UInt64] = []
    var seen: [UInt64] = []
    var protected: Set<UInt64> = []
    var dropped = 0
    var lastReported: UInt64 = 0
    var scopes: Set<String> = []
    var isAwake = false
    var underWay: SinkQueue.Work?
    /// Flushes that are asked for: what must have been delivered by then.
    var waiters: [Int: Int] = [:]
    var urgent = 0
    var flushedAt = 0
    var isClosing = false
    let minimumLevel: LogLevel

    init(minimumLevel: LogLevel) {
      self.minimumLevel = minimumLevel
    }
  }

  @Test func everyRecordOnceInOrderAndScopesFirst() {
    for (steps, random) in FuzzRounds(of: 10_000) {
      var run = Run(random: random)
      for _ in 0..<steps { run.step() }
      run.finish()
    }
  }

  /// One world.
  struct Run {
    var random: SeededRandom
    var state = PipelineState(
      limits: {
        var limits = SinkQueue.Limits()
        limits.records = 20
        limits.protectedFactor = 1_000
        return limits
      }())
    /// In the order of their numbers.
    var witnesses: [(number: Int, witness: Witness)] = []
    var sequence: UInt64 = 0
    var waiter = 0

    init(random: SeededRandom) {
      self.random = random
    }

    mutating func step() {
      let sink = witnesses.randomElement(using: &random)?.number
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<2 where witnesses.count < 5:
        let level = [LogLevel.debug, .error].randomElement(using: &random) ?? .debug
        if let number = state.add(minimumSeverity: level.severity) {
          witnesses.append((number, Witness(minimumLevel: level)))
        }
      case 2..<60: push()
      case 60..<92: if let sink { work(sink) }
      case 92..<97: if let sink { flush(sink) }
      case 97..<99: if let sink { close(sink) }
      default: for _ in 0..<Int.random(in: 0..<60, using: &random) { push() }
      }
    }

    subscript(number: Int) -> Witness? {
      witnesses.first { $0.number == number }?.witness
    }

    /// Wakes a sink, unless there is no thread for it now. It must have been asleep.
    mutating func wake(_ number: Int) {
      guard let witness = self[number] else { return }
      if witness.isAwake { Issue.record("woken twice; \(random)") }
      if Int.random(in: 0..<20, using: &random) == 0 {
        state.unschedule(number)
      } else {
        witness.isAwake = true
      }
    }

    mutating func push() {
      sequence += 1
      let isProtected = Int.random(in: 0..<5, using: &random) == 0
      var record = Record(
        id: UniqueID(bits: 1), time: 0, sequence: sequence, session: UniqueID(bits: 1),
        level: Int.random(in: 0..<20, using: &random) == 0 ? .error : .info, event: "e",
        message: "")
      record.scopes = ["A/\(Int.random(in: 0..<30, using: &random))/B"]
      for (_, witness) in witnesses
      where !witness.isClosing && record.level >= witness.minimumLevel {
        witness.expected.append(sequence)
        if isProtected { witness.protected.insert(sequence) }
        if record.level == .error { witness.urgent = witness.expected.count }
      }
      for number in state.push(record, isProtected: isProtected) { wake(number) }
    }

    mutating func flush(_ number: Int) {
      guard let witness = self[number] else { return }
      waiter += 1
      witness.waiters[waiter] = witness.expected.count
      guard let mustWake = state.requestFlush(number, for: waiter) else {
        Issue.record("a sink is gone; \(random)")
        return
      }
      if mustWake { wake(number) }
    }

    mutating func close(_ number: Int) {
      self[number]?.isClosing = true
      if state.close(number) { wake(number) }
    }

    /// Begins what a sink has to do, or ends it.
    mutating func work(_ number: Int) {
      guard let witness = self[number], witness.isAwake else { return }
      if witness.underWay != nil, Int.random(in: 0..<9, using: &random) == 0 {
        // Somebody else who would do it.
        if case .some = state.next(number) { Issue.record("two at once; \(random)") }
      }
      guard let work = witness.underWay else {
        witness.underWay = state.next(number)
        switch witness.underWay {
        case .flush: witness.flushedAt = witness.seen.count + witness.dropped
        case nil: witness.isAwake = false
        default: break
        }
        return
      }
      witness.underWay = nil
      switch work {
      case .deliver(let batch): take(batch, witness)
      case .flush: break
      case .detach:
        // Who asked when everything was done already.
        let rest = state.detach(number)
        witnesses.removeAll { $0.number == number }
        #expect(Set(rest) == Set(witness.waiters.keys), "nobody waits for ever; \(random)")
        expectComplete(witness)
        return
      }
      let served = state.finish(number)
      for waiter in served {
        let goal = witness.waiters.removeValue(forKey: waiter)
        #expect(goal.map { $0 <= witness.flushedAt } == true, "a flush came too early; \(random)")
      }
      if case .deliver = work { #expect(served.isEmpty, "\(random)") }
    }

    func take(_ batch: SinkQueue.Batch, _ witness: Witness) {
      witness.scopes.formUnion(batch.scopes.map(\.path))
      if let drops = batch.drops {
        witness.dropped += drops.count
        #expect(drops.count > 0 && drops.first <= drops.last, "\(random)")
        #expect(drops.first > witness.lastReported, "\(random)")
        witness.lastReported = drops.last
      }
      let known = batch.records.allSatisfy { $0.scopes.allSatisfy(witness.scopes.contains) }
      #expect(known && (batch.records.isEmpty || witness.scopes.contains("A")), "\(random)")
      witness.seen += batch.records.map(\.sequence)
    }

    func expectComplete(_ witness: Witness) {
      #expect(witness.seen == witness.seen.sorted(), "\(random)")
      #expect(witness.seen.count + witness.dropped == witness.expected.count, "\(random)")
      let seen = Set(witness.seen)
      #expect(seen.count == witness.seen.count, "\(random)")
      #expect(seen.isSubset(of: witness.expected), "\(random)")
      #expect(witness.protected.isSubset(of: seen), "protected records stay; \(random)")
      if witness.urgent > 0 { #expect(witness.flushedAt >= witness.urgent, "\(random)") }
    }

    /// Lets all sinks go; then nothing is left.
    mutating func finish() {
      for (_, witness) in witnesses { witness.isClosing = true }
      for number in state.close() { wake(number) }
      let late = state.add()
      #expect(late == nil)
      // Who still sleeps, for want of a thread, is woken by whoever waits for it.
      for _ in 0..<1_000 {
        for (number, witness) in witnesses {
          if witness.isAwake { work(number) } else { flush(number) }
        }
      }
      #expect(witnesses.isEmpty && state.sinks.isEmpty, "\(random)")
    }
  }
}
