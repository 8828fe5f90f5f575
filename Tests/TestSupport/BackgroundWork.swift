import Synchronization

/// Work that a program leaves to the background, kept until a test lets it happen.
package final class BackgroundWork: Sendable {
  private let waiting = Mutex<[@Sendable () -> Void]>([])

  package init() {}

  /// Takes work over; this is what an environment's `background` is set to.
  package func add(_ body: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(body) }
  }

  /// Does what was left so far, oldest first; returns how much that was.
  @discardableResult
  package func run() -> Int {
    let work = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for body in work { body() }
    return work.count
  }
}
