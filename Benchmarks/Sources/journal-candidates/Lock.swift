#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Guards a value with the C library's lock, as a C program would. `Mutex` is fair on Linux, which several threads
/// that take it all the time pay for dearly: no candidate is to lose by that.
///
/// `@unchecked` because of the pointer and the value, which is only reached with the lock held.
final class Lock<Value>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(lock, nil)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body(&value)
  }
}
