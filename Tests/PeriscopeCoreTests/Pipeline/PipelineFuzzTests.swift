import Foundation
import PeriscopeCore
import TestSupport
import Testing

/// Every order in which records are pushed, delivered, flushed, and sinks come and go.
///
/// Each step does one thing at random, as if threads took turns; a model beside it knows what each sink must see.
/// `PERISCOPE_FUZZ_STEPS` sets the number of steps, `PERISCOPE_SEED` replays them.
@Suite struct PipelineFuzzTests {
  /// What a sink has seen, and what it must have seen.
  struct Witness {
    var expected: [UInt64] = []
    var seen: [UInt64] = []
    var protected: Set<UInt64> = []
    var dropped = 0
    var lastReported: UInt64 = 0
    var scopes: Set<String> = []
    var underWay: SinkQueue.Work?
    /// Flushes that are asked for: what must have been delivered by then.
    var waiters: [Int: Int] = [:]
    var urgent = 0
    var flushedAt = 0
    var isClosing = false
  }

  @Test func everyRecordOnceInOrderAndScopesFirst() {
    let environment = ProcessInfo.processInfo.environment
    let steps = environment["PERISCOPE_FUZZ_STEPS"].flatMap(Int.init) ?? 10_000
    let seed = environment["PERISCOPE_SEED"].flatMap(UInt64.init) ?? 20_261_130
    var run = Run(random: SeededRandom(seed: seed))
    for _ in 0..<steps { run.step() }
    run.finish()
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
    var witnesses: [Int: Witness] = [:]
    var sequence: UInt64 = 0
    var waiter = 0

    mutating func step() {
      let sink = witnesses.keys.sorted().randomElement(using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<2 where witnesses.count < 5:
        if let number = state.add() { witnesses[number] = Witness() }
      case 2..<60: push()
      case 60..<92: if let sink { work(sink) }
      case 92..<97: if let sink { flush(sink) }
      case 97..<99: if let sink { close(sink) }
      default: for _ in 0..<Int.random(in: 0..<60, using: &random) { push() }
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
      let woken = state.push(record, isProtected: isProtected)
      for number in witnesses.keys where witnesses[number]?.isClosing == false {
        witnesses[number]?.expected.append(sequence)
        if isProtected { witnesses[number]?.protected.insert(sequence) }
        let count = witnesses[number]?.expected.count ?? 0
        if record.level == .error { witnesses[number]?.urgent = count }
      }
      #expect(Set(woken).count == woken.count, "\(random)")
    }

    mutating func flush(_ number: Int) {
      waiter += 1
      guard let count = witnesses[number]?.expected.count else { return }
      witnesses[number]?.waiters[waiter] = count
      let isThere = state.requestFlush(number, for: waiter) != nil
      #expect(isThere, "\(random)")
    }

    mutating func close(_ number: Int) {
      witnesses[number]?.isClosing = true
      _ = state.close(number)
    }

    /// Begins what a sink has to do, or ends it.
    mutating func work(_ number: Int) {
      guard var witness = witnesses[number] else { return }
      defer { if witnesses[number] != nil { witnesses[number] = witness } }
      guard let work = witness.underWay else {
        witness.underWay = state.next(number)
        if case .flush? = witness.underWay {
          witness.flushedAt = witness.seen.count + witness.dropped
        }
        return
      }
      witness.underWay = nil
      switch work {
      case .deliver(let batch): take(batch, &witness)
      case .flush: break
      case .detach:
        // Who asked when everything was done already.
        let rest = state.detach(number)
        witnesses[number] = nil
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

    func take(_ batch: SinkQueue.Batch, _ witness: inout Witness) {
      witness.scopes.formUnion(batch.scopes.map(\.path))
      if let drops = batch.drops {
        witness.dropped += drops.count
        #expect(drops.count > 0 && drops.first <= drops.last, "\(random)")
        #expect(drops.first > witness.lastReported, "\(random)")
        witness.lastReported = drops.last
      }
      for record in batch.records {
        #expect(record.scopes.allSatisfy(witness.scopes.contains), "scopes come first; \(random)")
        #expect(witness.scopes.contains("A"), "\(random)")
        witness.seen.append(record.sequence)
      }
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
      _ = state.close()
      for number in witnesses.keys { witnesses[number]?.isClosing = true }
      var turns = 0
      while let number = witnesses.keys.min(), turns < 1_000 {
        work(number)
        turns += 1
      }
      #expect(witnesses.isEmpty && state.sinks.isEmpty, "\(random)")
      let late = state.add()
      #expect(late == nil)
    }
  }
}
