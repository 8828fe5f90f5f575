#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Tells the time of day; injected, so that tests decide what time it is.
package struct WallClock: Sendable {
  private let read: @Sendable () -> Int64

  package init(_ now: @escaping @Sendable () -> Int64) {
    read = now
  }

  /// Nanoseconds since 1970-01-01T00:00:00Z.
  package func now() -> Int64 { read() }

  /// The operating system's clock.
  package static let system = WallClock {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
