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

  private final class Counter: Sendable {
    let value = Atomic<Int>(0)
  }
}
