internal import Synchronization

/// Work whose result is wanted later: a helper thread does it meanwhile, or else whoever wants the result.
///
/// So nothing ever depends on there being a helper, nor on when it comes to it.
package final class Deferred<Result: Sendable>: Sendable {
  private enum State: Sendable {
    case waiting(@Sendable () -> Result)
    case done(Result)
  }

  // Held while the work is done: who wants the result then waits for it here.
  private let state: Mutex<State>

  fileprivate init(_ work: @escaping @Sendable () -> Result) {
    state = Mutex(.waiting(work))
  }

  /// The result, after having done the work unless somebody does it already or has done it.
  package func result() -> Result {
    state.withLock { Self.perform(&$0) }
  }

  /// The result, after having done the work unless somebody has done it; nil while somebody is at it.
  package func resultUnlessBusy() -> Result? {
    state.withLockIfAvailable { Self.perform(&$0) }
  }

  /// Does the work; false if somebody has done it or is at it.
  @discardableResult
  package func perform() -> Bool {
    let isDone = state.withLockIfAvailable { state in
      if case .done = state { return false }
      _ = Self.perform(&state)
      return true
    }
    return isDone ?? false
  }

  private static func perform(_ state: inout State) -> Result {
    switch state {
    case .done(let result): return result
    case .waiting(let work):
      let result = work()
      state = .done(result)
      return result
    }
  }
}

/// Threads that do deferred work while there is any.
package final class HelperThreads: Sendable {
  private final class Queue: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    func append(_ piece: @escaping @Sendable () -> Void, isUrgent: Bool) {
      work.withLock { $0.insert(piece, at: isUrgent ? 0 : $0.count) }
    }

    func next() -> (@Sendable () -> Void)? {
      work.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func removeAll() {
      work.withLock { $0.removeAll() }
    }
  }

  /// How many there are.
  package var count: Int { threads.count }

  private let queue = Queue()
  private let threads: [BackgroundThread]

  /// So many threads; by default one for each processor but the caller's.
  package init(count: Int = processorCount - 1) {
    threads = (0..<count).map { [queue] _ in
      BackgroundThread {
        while let work = queue.next() { work() }
        return nil
      }
    }
  }

  deinit {
    queue.removeAll()
    for thread in threads { thread.stop() }
  }

  /// Defers `work`; urgent work is done before all other, and what nobody can ask for any more perhaps never.
  package func `defer`<Result: Sendable>(
    urgently isUrgent: Bool = false, _ work: @escaping @Sendable () -> Result
  ) -> Deferred<Result> {
    let deferred = Deferred(work)
    guard !threads.isEmpty else { return deferred }
    // Helpers may be held up for long, by the disk: what others have done and used meanwhile must not wait for them, too.
    queue.append({ [weak deferred] in deferred?.perform() }, isUrgent: isUrgent)
    for thread in threads { thread.wake() }
    return deferred
  }
}
