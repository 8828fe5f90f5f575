#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import Synchronization

/// Does the pieces of work `0..<count`, on as many threads as there are processors, and returns when all are done.
///
/// Pieces are taken in order, each by whichever thread is free. The caller's thread is one of them: where no other is
/// to be had it does all. Starting a thread takes some twenty microseconds, so the work should be well above that.
package func forEachConcurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
  let helperCount = count > 1 ? min(count, processorCount) - 1 : 0
  guard helperCount > 0 else {
    for piece in 0..<count { body(piece) }
    return
  }
  withoutActuallyEscaping(body) { body in
    let work = SharedWork(count: count, body)
    let helpers = (0..<helperCount).compactMap { _ in startThread { work.run() } }
    work.run()
    for helper in helpers { pthread_join(helper, nil) }
  }
}

/// Pieces of work that several threads take from.
private final class SharedWork: Sendable {
  private let count: Int
  private let body: @Sendable (Int) -> Void
  private let next = Atomic(0)

  init(count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    self.count = count
    self.body = body
  }

  /// Does pieces until none is left.
  func run() {
    while true {
      let piece = next.wrappingAdd(1, ordering: .relaxed).oldValue
      guard piece < count else { return }
      body(piece)
    }
  }
}
