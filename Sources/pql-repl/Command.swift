/// A command of the program. The table drives dispatch and help.
package struct Command: Sendable {
  package enum Name: String, CaseIterable {
    case query, `import`, verify, compact, demo
  }

  let name: Name
  let usage: String
  let summary: String

  static let all: [Command] = [
    Command(
      name: .query, usage: "STORE [QUERY...]",
      summary: "answers a query, or reads queries at a prompt"),
    Command(
      name: .import, usage: "import FILE... --into STORE",
      summary: "adds NDJSON logs of any common logger; - is the input"),
    Command(
      name: .verify, usage: "verify STORE",
      summary: "checks every byte, and says what was checked"),
    Command(
      name: .compact, usage: "compact STORE",
      summary: "folds what dead processes left, drops beyond --keep-..."),
    Command(
      name: .demo, usage: "demo [QUERY]",
      summary: "an app logs, is killed in mid-flight, and its store answers"),
  ]
}

/// What `--help` prints.
package func helpText() -> String {
  var lines = ["Usage:"]
  let commands = Command.all.map { ("pql-repl \($0.usage)", $0.summary) }
  let options = CommandOption.all.map { ($0.usage, $0.summary) }
  lines += aligned(commands)
  lines += ["", "Options:"]
  lines += aligned(options)
  lines += [
    "", "Rows go to the standard output, everything else to the standard error.",
    "Exit codes: 0 done, 1 no row (--exit-match), 2 wrong usage or query, 3 data incomplete,",
    "4 store or file unavailable, or output not written, 5 limit or timeout.",
    "An interrupt ends the program by its signal, which shells show as 130.",
  ]
  return lines.joined(separator: "\n") + "\n"
}

/// Pairs in two columns.
func aligned(_ rows: [(String, String)]) -> [String] {
  let width = rows.map(\.0.count).max() ?? 0
  return rows.map { left, right in
    "  " + left + String(repeating: " ", count: width - left.count + 2) + right
  }
}
