import JournalKit
import Synchronization
import Testing

@Suite struct ConcurrentWorkTests {
  @Test(arguments: [0, 1, 2, 3, 100, 5_000])
  func everyPieceIsDoneOnce(_ count: Int) {
    let done = Mutex([Int](repeating: 0, count: count))
    forEachConcurrently(count) { piece in done.withLock { $0[piece] += 1 } }
    #expect(done.withLock { $0.allSatisfy { $0 == 1 } })
  }

  @Test func aPieceMayHavePieces() {
    let sum = Mutex(0)
    forEachConcurrently(4) { outer in
      forEachConcurrently(4) { inner in sum.withLock { $0 += outer * 4 + inner } }
    }
    #expect(sum.withLock { $0 } == 120)
  }
}
