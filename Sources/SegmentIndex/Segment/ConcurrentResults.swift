internal import JournalKit
internal import Synchronization

/// How many threads can do something at once.
package var usableProcessorCount: Int { processorCount }

/// What `body` makes of `0..<count`, in that order. The pieces are made on as many threads as there are processors.
package func concurrentResults<Result: Sendable>(
  _ count: Int, _ body: @Sendable (Int) -> Result
) -> [Result] {
  guard count > 1 else { return (0..<count).map(body) }
  let results = Mutex([Result?](repeating: nil, count: count))
  forEachConcurrently(count) { piece in
    let result = body(piece)
    results.withLock { $0[piece] = result }
  }
  return results.withLock { $0.compactMap(\.self) }
}
