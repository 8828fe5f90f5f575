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

/// Gives the calling thread, and those that it starts, a smaller share of processors that others want as well.
func letOthersGoFirst() {
  #if canImport(Darwin)
    pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0)
  #else
    // On Linux this is about the thread and not the process. It cannot be taken back without privileges.
    setpriority(Int32(PRIO_PROCESS.rawValue), 0, 10)
  #endif
}

/// What a thread does.
private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
