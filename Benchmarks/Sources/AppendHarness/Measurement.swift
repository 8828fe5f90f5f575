/// What appends cost their callers.
package struct Measurement {
  package let threads: Int
  package let count: Int
  /// Appends a second over all threads.
  package let rate: Double
  /// Nanoseconds, sorted.
  private let latencies: [UInt64]

  /// Appends as `options` say to a new log of `C`.
  package init<C: Candidate>(_ candidate: C.Type, _ options: Options, pace: Int) throws {
    options.clear()
    let log = try C.open(options.variant, directory: options.logDirectory)
    let start = now()
    var latencies = runThreads(options.threads) { thread in
      Self.appendAll(options, thread, pace: pace, to: log)
    }.flatMap { $0 }
    let wall = now() - start
    log.close()
    options.remove()
    latencies.sort()
    threads = options.threads
    count = latencies.count
    rate = Double(latencies.count) * 1e9 / Double(wall)
    self.latencies = latencies
  }

  /// Microseconds that the part `quantile` of the appends needed at most.
  package func microseconds(_ quantile: Double) -> Double {
    Double(latencies[Int(Double(latencies.count - 1) * quantile)]) / 1000
  }

  /// Variant, threads, appends, appends a second, then microseconds: median, 90 %, 99 %, 99.9 %, maximum.
  package func fields(_ variant: String) -> [String] {
    [variant, "\(threads)", "\(count)", fixed(rate, digits: 0)]
      + [0.5, 0.9, 0.99, 0.999].map { fixed(microseconds($0), digits: 2) }
      + [fixed(microseconds(1), digits: 1)]
  }

  /// One thread's appends, and how many nanoseconds each took.
  private static func appendAll(
    _ options: Options, _ thread: Int, pace: Int, to log: any Appender
  ) -> [UInt64] {
    let count = options.appendsPerThread
    var latencies = [UInt64](repeating: 1, count: count)
    var payload = Payload()
    let step = pace > 0 ? 1_000_000_000 * UInt64(options.threads) / UInt64(pace) : 0
    let start = now()
    for number in 0..<count {
      payload.fill(thread: thread, number: number)
      // In bursts of 20, so that the processors have time for others in between.
      if step > 0 && number % 20 == 0 { sleep(until: start + step * UInt64(number)) }
      let before = now()
      log.append(payload.bytes)
      latencies[number] = now() - before
    }
    return latencies
  }
}
