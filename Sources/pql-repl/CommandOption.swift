import PQL
import PeriscopeCore

/// An option of the command line. The table drives parsing, help and suggestions.
struct CommandOption: Sendable {
  enum Action: Sendable {
    case flag(@Sendable (inout Options) -> Void)
    /// The value's name in the help, and what to do with a value.
    case value(String, @Sendable (inout Options, String) throws(UsageError) -> Void)
  }

  let names: [String]
  let summary: String
  let action: Action

  /// The names and the value, for the help.
  var usage: String {
    let names = names.joined(separator: ", ")
    guard case .value(let placeholder, _) = action else { return names }
    return "\(names) \(placeholder)"
  }

  static let all: [CommandOption] = [
    CommandOption("-c", "run this query; repeatable", "QUERY") { $0.queries.append($1) },
    CommandOption("-f", "run the queries in FILE, one a line", "FILE") { $0.queryFile = $1 },
    CommandOption(
      "--mode", "how rows are written: log, table, ndjson or csv", "MODE"
    ) { options, text throws(UsageError) in
      options.mode = try choice("--mode", text)
    },
    CommandOption(
      "-n", "print at most N rows; 0 for all", "N"
    ) { options, text throws(UsageError) in
      guard let count = Int(text), count >= 0
      else { throw UsageError("-n needs a number, not \(quoted(text))") }
      options.rowLimit = count
    },
    CommandOption(
      "--cursor-file", "print the N rows after those of the last run with this FILE", "FILE"
    ) { $0.cursorFile = $1 },
    CommandOption(
      "-p", "bind $NAME; the type is told by the value, or -p NAME:string=VALUE", "NAME=VALUE"
    ) { options, text throws(UsageError) in
      options.parameters.append(try Options.Parameter(text))
    },
    CommandOption("--utc", "times are in UTC") { $0.zone = .fixed(0) },
    CommandOption(
      "--tz", "times are in this zone: local, utc, Europe/Berlin, +02:00", "ZONE"
    ) { options, text throws(UsageError) in
      guard let zone = Options.Zone(text)
      else {
        throw UsageError(
          "--tz is local, utc, a zone such as Europe/Berlin, or an offset such as +02:00")
      }
      options.zone = zone
    },
    CommandOption(
      "--color", "auto, always or never", "WHEN"
    ) { options, text throws(UsageError) in
      options.color = try choice("--color", text)
    },
    CommandOption(
      "--timeout", "give a query, or an import, up after this long, such as 30s", "DURATION"
    ) { options, text throws(UsageError) in
      guard let timeout = Options.duration(text), timeout > 0
      else { throw UsageError("--timeout is a duration such as 30s") }
      options.timeout = timeout
    },
    CommandOption(
      ["-F", "--follow"], "show what is new to the query, until interrupted",
      .flag { $0.follows = true }),
    CommandOption("--explain", "tell how the query is answered") { $0.explains = true },
    CommandOption("--strict", "exit with 3 when data is missing or damaged") { $0.isStrict = true },
    CommandOption("--exit-match", "exit with 1 when there is no row") { $0.exitsByMatch = true },
    CommandOption("--into", "the store that an import adds to", "STORE") { $0.target = $1 },
    CommandOption(
      "--keep-age", "compact drops what is older, such as 30d", "DURATION"
    ) { options, text throws(UsageError) in
      guard let age = Options.duration(text), age > 0
      else { throw UsageError("--keep-age is a duration such as 30d") }
      options.retention.maximumAge = .nanoseconds(age)
    },
    CommandOption(
      "--keep-bytes", "compact drops the oldest beyond this size, such as 500MB", "SIZE"
    ) { options, text throws(UsageError) in
      guard let bytes = Options.size(text), bytes > 0
      else { throw UsageError("--keep-bytes is a size such as 500MB") }
      options.retention.maximumByteCount = UInt64(bytes)
    },
    CommandOption(
      "--keep-records", "compact drops the oldest beyond this many", "N"
    ) { options, text throws(UsageError) in
      guard let count = UInt64(text), count > 0
      else { throw UsageError("--keep-records needs a number, not \(quoted(text))") }
      options.retention.maximumRecordCount = count
    },
    CommandOption("--keep", "where a demonstration keeps its store", "DIR") { $0.keep = $1 },
    CommandOption(["-h", "--help"], "print this help", .flag { $0.wantsHelp = true }),
    CommandOption("--version", "print the version") { $0.wantsVersion = true },
  ]

  private init(_ names: [String], _ summary: String, _ action: Action) {
    self.names = names
    self.summary = summary
    self.action = action
  }

  private init(
    _ name: String, _ summary: String, _ set: @escaping @Sendable (inout Options) -> Void
  ) {
    self.init([name], summary, .flag(set))
  }

  private init(
    _ name: String, _ summary: String, _ placeholder: String,
    _ set: @escaping @Sendable (inout Options, String) throws(UsageError) -> Void
  ) {
    self.init([name], summary, .value(placeholder, set))
  }

  /// A question after the message about an unknown option; empty when nothing is like it.
  static func suggestion(for name: String) -> String {
    guard let nearest = nearestNames(to: name, in: all.flatMap(\.names)).first else { return "" }
    return "; did you mean \(nearest)?"
  }
}

/// The case whose name `text` is.
private func choice<Choice: RawRepresentable<String> & CaseIterable>(
  _ option: String, _ text: String
) throws(UsageError) -> Choice {
  guard let choice = Choice(rawValue: text) else {
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError("\(option) is one of \(names), not \(quoted(text))")
  }
  return choice
}
