package import JournalKit
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

/// Never works: nothing happens but what a test does.
package struct IdleWorker: BackgroundWorker {
  package init() {}
  @discardableResult
  package func wake() -> Bool { true }
  package func stop() {}
}

extension JournalEnvironment {
  /// A world that consists of `disk` and `clock`, in which journals get no upkeep.
  package init(
    simulated disk: SimulatedDisk, clock: WallClock = .system,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    background: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void =
      BackgroundThread.run
  ) {
    self.init(
      fileSystem: disk, clock: clock, random: random, background: background,
      worker: { _ in IdleWorker() })
  }
}
