#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread that repeats one piece of work, and sleeps in between.
///
/// A task will not do for work that blocks: there are only as many threads for those as processors, and they may
/// all be waiting for it. The thread begins with the first `wake` and ends with `stop`.
///
/// `@unchecked` because of the pointers and variables: those below `lock` are only reached with it held.
@safe
package final class BackgroundThread: BackgroundWorker, @unchecked Sendable {
  private let work: @Sendable () -> Duration?
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var isRunning = false
  private var isAwake = false
  private var isStopped = false
  /// Whether the thread ends when the work was done once; set before there is a thread.
  private var isOnlyOnce = false

  /// `work` returns how long it wants to sleep at most; nil is until somebody wakes it.
  package init(_ work: @escaping @Sendable () -> Duration?) {
    self.work = work
    unsafe lock = .allocate(capacity: 1)
    unsafe condition = .allocate(capacity: 1)
    unsafe pthread_mutex_init(lock, nil)
    #if canImport(Darwin)
      unsafe pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      unsafe pthread_condattr_init(&attributes)
      unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      unsafe pthread_cond_init(condition, &attributes)
      unsafe pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe pthread_mutex_destroy(lock)
    unsafe condition.deallocate()
    unsafe lock.deallocate()
  }

  /// Runs `body` once, on a thread of its own; not at all when there is none to be had.
  ///
  /// It is work that nobody waits for: where processors are scarce, most of their time goes to others.
  package static func run(_ body: @escaping @Sendable () -> Void) {
    let thread = BackgroundThread {
      letOthersGoFirst()
      body()
      return nil
    }
    thread.isOnlyOnce = true
    thread.wake()
  }

  @discardableResult
  package func wake() -> Bool {
    locked {
      isAwake = true
      // When there is no thread to be had, the work is not done now: it is never work that must be done.
      if !isRunning && !isStopped { isRunning = start() }
      unsafe _ = pthread_cond_signal(condition)
      return isRunning || isStopped
    }
  }

  package func stop() {
    locked {
      isStopped = true
      unsafe _ = pthread_cond_signal(condition)
    }
  }

  private func start() -> Bool {
    guard let thread = startThread({ self.run() }) else { return false }
    pthread_detach(thread)
    return true
  }

  /// The thread's life.
  private func run() {
    var pause: Duration? = .zero
    while sleep(pause) {
      pause = work()
      if isOnlyOnce { return }
    }
  }

  /// Sleeps until somebody wakes the thread, but no longer than `pause`; false once it is to end.
  private func sleep(_ pause: Duration?) -> Bool {
    locked {
      if let pause {
        var time = Self.now(plus: pause)
        while !isAwake && !isStopped {
          guard wait(until: &time) else { break }
        }
      } else {
        while !isAwake && !isStopped { unsafe _ = pthread_cond_wait(condition, lock) }
      }
      isAwake = false
      return !isStopped
    }
  }

  /// False once the time has come.
  private func wait(until time: inout timespec) -> Bool {
    unsafe pthread_cond_timedwait(condition, lock, &time) != ETIMEDOUT
  }

  /// A time on the clock that the condition goes by.
  private static func now(plus pause: Duration) -> timespec {
    var time = timespec()
    #if canImport(Darwin)
      unsafe clock_gettime(CLOCK_REALTIME, &time)
    #else
      unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    #endif
    let (seconds, attoseconds) = pause.components
    let nanoseconds = Int(attoseconds / 1_000_000_000) + time.tv_nsec
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return time
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    unsafe pthread_mutex_lock(lock)
    defer { unsafe _ = pthread_mutex_unlock(lock) }
    return body()
  }
}

/// How many processors this process can use, at least 1. Asked for once: the system reads a file for it.
package let processorCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
