import JournalKit
import Synchronization
import Testing

@Suite struct DeferredTests {
  @Test(arguments: [0, 1, 4]) func givesEveryResultOnce(helperCount: Int) {
    let helpers = HelperThreads(count: helperCount)
    let counts = (0..<200).map { _ in Counter() }
    let deferred = counts.indices.map { index in
      helpers.defer(urgently: index % 3 == 0) {
        counts[index].value.add(1, ordering: .relaxed)
        return index * 2
      }
    }
    #expect(deferred.map { $0.result() } == counts.indices.map { $0 * 2 })
    #expect(deferred.map { $0.result() } == counts.indices.map { $0 * 2 })
    #expect(counts.allSatisfy { $0.value.load(ordering: .relaxed) == 1 })
  }

  @Test func whoWantsTheResultDoesTheWork() {
    let helpers = HelperThreads(count: 0)
    let first = helpers.defer { 1 }
    let second = helpers.defer { first.result() + 1 }
    #expect(second.result() == 2)
  }

  @Test func whatIsBusyIsNotWaitedFor() {
    let helpers = HelperThreads(count: 1)
    let (gate, begun) = (Gate(), Counter())
    gate.lock.withLock { _ in
      let heldUp = helpers.defer {
        begun.value.store(1, ordering: .relaxed)
        return gate.lock.withLock { $0 }
      }
      while begun.value.load(ordering: .relaxed) == 0 {}
      #expect(heldUp.resultUnlessBusy() == nil && !heldUp.perform())
      let other = helpers.defer { 7 }
      #expect(other.perform() && !other.perform())
      #expect(other.resultUnlessBusy() == 7)
    }
  }

  /// A helper that the disk holds up does not keep what has been done and used meanwhile.
  @Test func aResultThatWasUsedIsNotKept() {
    let helpers = HelperThreads(count: 1)
    let gate = Gate()
    gate.lock.withLock { _ in
      let heldUp = helpers.defer { gate.lock.withLock { $0 } }
      weak let used = helpers.defer { Counter() }.result()
      #expect(used == nil)
      withExtendedLifetime(heldUp) {}
    }
  }

  private final class Gate: Sendable {
    let lock = Mutex(0)
  }

  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }
}
