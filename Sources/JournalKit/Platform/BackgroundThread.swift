#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A thread for one piece of work. A task will not do for work that blocks: there are only as many threads for
/// those as processors, and they may all be waiting for it.
package enum BackgroundThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a new thread. When there is none to be had, does nothing: background work is never
  /// work that must be done.
  package static func run(_ body: @escaping @Sendable () -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument as UnsafeMutableRawPointer? else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, unsafe work.toOpaque())
    guard code == 0 else {
      unsafe work.release()
      return
    }
    #if canImport(Darwin)
      guard let thread else { return }
    #endif
    pthread_detach(thread)
  }
}
