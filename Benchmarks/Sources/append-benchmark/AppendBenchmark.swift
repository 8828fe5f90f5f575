import AppendHarness

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Measures what one append costs its caller, or kills writers and looks for what they lost.
@main
struct AppendBenchmark {
  static let usage = """
    usage: append-benchmark DIR VARIANT THREADS COUNT [PACE | kill ROUNDS | allocations]
    variants: \(JournalCandidate.names.joined(separator: " "))
    """

  static func main() throws {
    guard let options = Options(CommandLine.arguments, variants: JournalCandidate.names) else {
      print(usage)
      exit(2)
    }
    switch options.mode {
    case .measure(let pace):
      let measurement = try Measurement(JournalCandidate.self, options, pace: pace)
      print(measurement.fields(options.variant).joined(separator: "\t"))
    case .kill(let rounds):
      var test = KillTest(JournalCandidate.self, options)
      try test.run(rounds: rounds)
      print(test.fields.joined(separator: "\t"))
      exit(test.isSound ? 0 : 1)
    case .child(let delay, let counters):
      try KillTest(JournalCandidate.self, options).die(after: delay, counters: counters)
    case .other("allocations"):
      let fields = try AllocationTrace(options: options).run()
      if !fields.isEmpty { print(fields.joined(separator: "\t")) }
    case .other:
      print(usage)
      exit(2)
    }
  }
}
