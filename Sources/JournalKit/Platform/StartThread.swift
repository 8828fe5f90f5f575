#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Starts a thread that runs `body`, to be joined or detached; nil when there is none to be had.
func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
  let argument = unsafe Unmanaged.passRetained(ThreadBody(body))
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let code = unsafe pthread_create(
    &thread, nil,
    { argument in
      guard let argument = unsafe argument as UnsafeMutableRawPointer? else { return nil }
      unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
      return nil
    }, unsafe argument.toOpaque())
  guard code == 0 else {
    unsafe argument.release()
    return nil
  }
  return thread
}

/// What a thread does.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
