import JournalKit

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Measures what one append costs its caller, or kills writers and looks for what they lost.
@main
struct AppendBenchmark {
  static func main() throws {
    guard let options = Options(CommandLine.arguments) else {
      print(Options.usage)
      exit(2)
    }
    switch options.mode {
    case .measure(let pace):
      print(try measure(options, pace: pace))
    case .kill(let rounds):
      let result = try KillTest(options).run(rounds: rounds)
      print(result.line)
      exit(result.isSound ? 0 : 1)
    case .child(let delay, let counters):
      try KillTest(options).die(after: delay, counters: counters)
    }
  }

  /// Runs all appends and returns the line to print.
  private static func measure(_ options: Options, pace: Int) throws -> String {
    try options.clearDirectory()
    let journal = try options.openJournal()
    let start = now()
    var latencies = runThreads(options.threads) { thread in
      appendAll(options, thread, pace: pace, to: journal)
    }.flatMap { $0 }
    let wall = now() - start
    journal.close()
    try options.clearDirectory()
    latencies.sort()
    func quantile(_ part: Double) -> String {
      fixed(Double(latencies[Int(Double(latencies.count - 1) * part)]) / 1000, digits: 2)
    }
    let rate = Double(latencies.count) * 1e9 / Double(wall)
    return [
      options.variant.rawValue, "\(options.threads)", "\(latencies.count)",
      fixed(rate, digits: 0), quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999),
      fixed(Double(latencies.last ?? 0) / 1000, digits: 1),
    ].joined(separator: "\t")
  }

  /// One thread's appends, and how many nanoseconds each took.
  private static func appendAll(
    _ options: Options, _ thread: Int, pace: Int, to journal: Journal
  ) -> [UInt64] {
    let count = options.appendsPerThread
    var latencies = [UInt64](repeating: 0, count: count)
    var payload = Payload()
    let step = pace > 0 ? 1_000_000_000 * UInt64(options.threads) / UInt64(pace) : 0
    let start = now()
    for number in 0..<count {
      payload.fill(thread: thread, number: number)
      // In bursts of 20, so that the processors have time for others in between.
      if step > 0 && number % 20 == 0 { sleep(until: start + step * UInt64(number)) }
      let before = now()
      append(payload, options, to: journal)
      latencies[number] = now() - before
    }
    return latencies
  }

  /// One append; a failure ends the program, since there is nothing to measure then.
  static func append(_ payload: borrowing Payload, _ options: Options, to journal: Journal) {
    do {
      try journal.append(payload.bytes, sync: options.variant.sync)
    } catch {
      fatalError("append failed: \(error)")
    }
  }
}
