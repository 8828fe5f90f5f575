import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Nanoseconds on a clock that nobody sets.
package func now() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Waits until the clock of `now()` shows `time`.
package func sleep(until time: UInt64) {
  var current = now()
  while current < time {
    let rest = time - current
    var interval = timespec(
      tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
    nanosleep(&interval, nil)
    current = now()
  }
}

/// Runs `body` on `count` threads, with the numbers from 0, and returns their results in that order.
package func runThreads<Result: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) -> Result
) -> [Result] {
  let results = Mutex<[Int: Result]>([:])
  let arrived = Atomic(0)
  let threads = (0..<count).map { number in
    startThread {
      // All begin together, once the last one is there.
      arrived.add(1, ordering: .acquiringAndReleasing)
      while arrived.load(ordering: .acquiring) < count { sched_yield() }
      let result = body(number)
      results.withLock { $0[number] = result }
    }
  }
  for thread in threads { pthread_join(thread, nil) }
  return results.withLock { results in (0..<count).compactMap { results[$0] } }
}

private func startThread(_ body: @escaping () -> Void) -> pthread_t {
  final class Start {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
  }
  let start = Unmanaged.passRetained(Start(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
  #else
    var thread = pthread_t()
  #endif
  let code = pthread_create(
    &thread, nil,
    { argument in
      guard let argument = argument as UnsafeMutableRawPointer? else { return nil }
      Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, start)
  guard code == 0 else { fatalError("no thread to be had") }
  #if canImport(Darwin)
    guard let thread else { fatalError("no thread to be had") }
  #endif
  return thread
}

/// `value` with a fixed number of digits after the point.
package func fixed(_ value: Double, digits: Int) -> String {
  let scale = (0..<digits).reduce(1) { power, _ in power * 10 }
  let scaled = Int((value * Double(scale)).rounded())
  guard digits > 0 else { return "\(scaled)" }
  let fraction = "\(scaled % scale)"
  return "\(scaled / scale)." + String(repeating: "0", count: digits - fraction.count) + fraction
}
