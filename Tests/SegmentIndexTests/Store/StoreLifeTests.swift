import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Several lives of a program on one store: it folds what the lives before left, logs, folds its own journal, and
/// ends by itself, by a kill at any call, or by a loss of power.
@Suite struct StoreLifeTests {
  /// What one store has been told and has promised.
  private struct Ledger {
    var last = 0
    /// Records that must be there in the end.
    var promised: Set<Int> = []
    /// Records that were synced: not even a loss of power may take them.
    var synced: Set<Int> = []
  }

  @Test func everyPromiseIsKeptOnce() throws {
    for seed in 1...60 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      let fixture = StoreFixture()
      var ledger = Ledger()
      for life in 0..<4 {
        if life > 0 { fixture.disk.stop(after: Int.random(in: 0..<200, using: &random)) }
        // A life that ends by `stop` ends with an error.
        try? live(fixture, "j\(life)", &ledger, &random)
        if Bool.random(using: &random) {
          fixture.disk.crash(keeping: .random(seed: random.next()))
          ledger.promised = ledger.synced
        } else {
          fixture.disk.restart()
        }
      }
      let store = try fixture.open()
      try foldAll(fixture, store)
      let numbers = try fixture.numbers(store.snapshot())
      let lost = ledger.promised.subtracting(numbers).sorted()
      #expect(lost == [], "\(random)")
      #expect(Set(numbers).count == numbers.count, "\(random)")
      #expect(numbers.allSatisfy { (1...ledger.last).contains($0) }, "\(random)")
      // When the power took the only manifest, the segments count, and the next change writes them down.
      try StoreTransaction(store).commit()
      #expect(try StoreVerifier.verify(store).problems == [], "\(random)")
    }
  }

  private func live(
    _ fixture: StoreFixture, _ name: String, _ ledger: inout Ledger,
    _ random: inout SeededRandom
  ) throws {
    let store = try fixture.open()
    try foldAll(fixture, store)
    let journal = try fixture.journal(name)
    for _ in 0..<Int.random(in: 1...60, using: &random) {
      ledger.last += 1
      let sync: Sync = Int.random(in: 0..<5, using: &random) == 0 ? .full : .processDeath
      if (try? journal.append(StoreFixture.entry(ledger.last), sync: sync)) != nil {
        ledger.promised.insert(ledger.last)
        if sync == .full { ledger.synced.insert(ledger.last) }
      }
      if Int.random(in: 0..<20, using: &random) == 0 {
        try journal.rotate()
        _ = try fixture.fold(store, name, onlyClosedSegments: true)
      }
    }
    if Bool.random(using: &random) { journal.close() }
  }

  private func foldAll(_ fixture: StoreFixture, _ store: SegmentStore) throws {
    for name in fixture.files("journals") { _ = try fixture.fold(store, name) }
  }
}
