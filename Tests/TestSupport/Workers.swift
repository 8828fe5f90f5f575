package import JournalKit
import Synchronization

/// Workers that work when a test wants it, on the test's own thread.
package final class ManualWorkers: Sendable {
  private final class Worker: BackgroundWorker {
    private let state = Mutex((isAwake: false, isStopped: false))
    private let work: @Sendable () -> Duration?
    private let threads: Threads

    init(_ threads: Threads, _ work: @escaping @Sendable () -> Duration?) {
      self.threads = threads
      self.work = work
    }

    @discardableResult
    func wake() -> Bool {
      guard threads.areThere.load(ordering: .relaxed) else { return false }
      state.withLock { $0.isAwake = true }
      return true
    }
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

  /// What workers know of their pool: one that had it would keep it, and what they work for, for ever.
  private final class Threads: Sendable {
    let areThere = Atomic(true)
  }

  private let workers = Mutex<[Worker]>([])
  /// Whether there are threads to be had.
  package var hasThreads: Bool {
    get { threads.areThere.load(ordering: .relaxed) }
    set { threads.areThere.store(newValue, ordering: .relaxed) }
  }
  private let threads = Threads()

  package init() {}

  /// What an environment's `worker` is set to.
  package func make(_ work: @escaping @Sendable () -> Duration?) -> any BackgroundWorker {
    let worker = Worker(threads, work)
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

  @discardableResult
  package func wake() -> Bool {
    _ = work()
    return true
  }
  package func stop() {}
}
