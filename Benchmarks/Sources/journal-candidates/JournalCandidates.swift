import AppendHarness

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Compares the ways to keep a log that a process may die of at any time: prints a table of what an append costs, and
/// one of what SIGKILL leaves.
@main
struct JournalCandidates {
  static let usage = """
    usage: journal-candidates DIR [ROUNDS]
           journal-candidates DIR VARIANT THREADS COUNT [PACE | kill ROUNDS]
    """

  static let candidates: [any Candidate.Type] = [
    FileCandidate.self, MappedCandidate.self, SQLiteCandidate.self, JournalCandidate.self,
  ]

  static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.count == 2 || arguments.count == 3, arguments[1].first != "-" {
      try compare(arguments[1], rounds: arguments.count == 3 ? Int(arguments[2]) ?? 20 : 20)
      return
    }
    for candidate in candidates {
      guard let options = Options(arguments, variants: candidate.names) else { continue }
      return try run(candidate, options)
    }
    print(usage)
    exit(2)
  }

  /// One measurement, or one kill test.
  private static func run<C: Candidate>(_ candidate: C.Type, _ options: Options) throws {
    switch options.mode {
    case .measure(let pace):
      let measurement = try Measurement(candidate, options, pace: pace)
      print(measurement.fields(options.variant).joined(separator: "\t"))
    case .kill(let rounds):
      var test = KillTest(candidate, options)
      try test.run(rounds: rounds)
      print(test.fields.joined(separator: "\t"))
      exit(test.isSound ? 0 : 1)
    case .child(let delay, let counters):
      try KillTest(candidate, options).die(after: delay, counters: counters)
    case .other:
      print(usage)
      exit(2)
    }
  }

  /// All of them, one at a time.
  private static func compare(_ directory: String, rounds: Int) throws {
    func all(_ body: (any Candidate.Type, String, Int) throws -> [String]) throws {
      for threads in [1, 4] {
        for candidate in candidates {
          for name in candidate.names {
            print("| " + (try body(candidate, name, threads)).joined(separator: " | ") + " |")
            fflush(nil)
          }
        }
      }
    }
    print("| candidate | threads | appends | appends/s | p50 us | p90 | p99 | p99.9 | max |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    try all { candidate, name, threads in
      let isSynced = name == "file+sync" || name == "sqlite FULL" || name == "journal, full"
      sync()
      return try measure(
        candidate,
        Options(
          directory: directory, variant: name, threads: threads, count: isSynced ? 5000 : 200_000,
          mode: .measure(pace: 0)))
    }
    print("\n| candidate | threads | rounds | returned | lost | unreturned | damaged or doubled |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    try all { candidate, name, threads in
      try kill(
        candidate,
        Options(
          directory: directory, variant: name, threads: threads, count: 4_000_000,
          mode: .kill(rounds: rounds)), rounds)
    }
  }

  private static func measure<C: Candidate>(
    _ candidate: C.Type, _ options: Options
  ) throws -> [String] {
    try Measurement(candidate, options, pace: 0).fields(options.variant)
  }

  private static func kill<C: Candidate>(
    _ candidate: C.Type, _ options: Options, _ rounds: Int
  ) throws -> [String] {
    var test = KillTest(candidate, options)
    try test.run(rounds: rounds)
    return test.fields
  }
}
