package import JournalKit
import Synchronization

/// Workers that work when a test wants it, on the test's own thread.
package final class ManualWorkers: Sendable {
  private final class Worker: BackgroundWorker {
    private let state = Mutex((isAwake: false, isStopped: false))
    private let work: @Sendable () -> Duration?

    init(_ work: @escaping @Sendable () -> Duration?) {
      self.work = work
    }

    func wake() { state.withLock { $0.isAwake = true } }
    func stop() { state.withLock { $0.isStopped = true } }

    /// Works if somebody woke it.
    func run() -> Bool {
      let isDue = state.withLock { state in
        defer { state.isAwake = false }
        return state.isAwake && !state.isStopped
      }
      if isDue { _ = work() }
      return isDue
    }
  }

  private let workers = Mutex<[Worker]>([])

  package init() {}

  /// What an environment's `worker` is set to.
  package func make(_ work: @escaping @Sendable () -> Duration?) -> any BackgroundWorker {
    let worker = Worker(work)
    workers.withLock { $0.append(worker) }
    return worker
  }

  /// Wakes all, as if they had slept long enough.
  package func wakeAll() {
    for worker in workers.withLock({ $0 }) { worker.wake() }
  }

  /// Lets all of them work until none is awake.
  package func run() {
    while workers.withLock({ $0 }).map({ $0.run() }).contains(true) {}
  }
}

/// A worker that works at once, on the thread that wakes it.
package struct InlineWorker: BackgroundWorker {
  private let work: @Sendable () -> Duration?

  package init(_ work: @escaping @Sendable () -> Duration?) {
    self.work = work
  }

  package func wake() { _ = work() }
  package func stop() {}
}
