#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The stream that people read while a program runs; 2 is its number everywhere.
package enum StandardError {
  /// Writes `bytes`, waiting for whoever reads them. Returns false when nobody does, or the stream is closed: the rest
  /// is gone then.
  ///
  /// A pipe that nobody reads any more kills, by default, the process that writes to it. Here it does not.
  package static func write(_ bytes: [UInt8], to file: Int32 = 2) -> Bool {
    var broken = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&broken)
    unsafe sigaddset(&broken, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &broken, &before)
    defer { unsafe _ = pthread_sigmask(SIG_SETMASK, &before, nil) }
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe libcWrite(
          file, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
      }
      if count > 0 {
        written += count
      } else if errno != EINTR {
        if errno == EPIPE { takeSignal(&broken) }
        return false
      }
    }
    return true
  }

  /// Takes the signal that a broken pipe sent to this thread, which must not arrive when the mask is lifted.
  private static func takeSignal(_ signals: inout sigset_t) {
    var pending = sigset_t()
    var signal: Int32 = 0
    unsafe sigpending(&pending)
    if unsafe sigismember(&pending, SIGPIPE) == 1 { unsafe _ = sigwait(&signals, &signal) }
  }
}

private func libcWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(file, bytes, count)
}
