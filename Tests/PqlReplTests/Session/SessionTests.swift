import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct SessionTests {
  /// What a session with these lines writes, and how it ends.
  static func run(
    _ lines: [String], isInteractive: Bool = false, sessions: [SessionInfo] = []
  ) throws -> (status: ExitCode, output: String, errors: String) {
    let bench = try Bench(["--mode", "csv"], sessions: sessions) { query in
      QueryResult(
        rows: .table(columns: ["q"], rows: [[.string(query.description)]]),
        summary: QuerySummary())
    }
    var rest = lines[...]
    var session = Session(bench.runner, isInteractive: isInteractive) { rest.popFirst() }
    let status = session.run()
    return (status, bench.output.text, bench.errors.text)
  }

  @Test func queriesAreLines() throws {
    let result = try Self.run(["a", "", "  ", "b | count"])
    #expect(result.output.split(separator: "\n").count == 4)
    #expect(result.output.contains("| stats"))
    #expect(result.status == .done)
    #expect(result.errors.isEmpty)
  }

  @Test func aLineThatEndsInABarGoesOn() throws {
    let result = try Self.run(["a | ", "| count"])
    #expect(result.status == .usage)
    let good = try Self.run(["a |", "count |", "limit 3"])
    #expect(good.status == .done)
    #expect(good.output.contains("limit 3"))
  }

  @Test func aScriptStopsAtItsFirstError() throws {
    let result = try Self.run(["level >", "a"])
    #expect(result.status == .usage)
    #expect(result.output.isEmpty)
  }

  @Test func aPersonGoesOnAfterAnError() throws {
    let result = try Self.run(["level >", "a"], isInteractive: true)
    #expect(result.status == .done)
    #expect(!result.output.isEmpty)
    #expect(result.errors.contains("pql> "))
  }

  @Test func commandsChangeTheSession() throws {
    let result = try Self.run([
      ".mode ndjson", ".mode", ".limit 5", ".limit", "a", ".limit 0", ".limit",
      ".limit \(Int.max)", "a",
    ])
    #expect(
      result.output == #"""
        ndjson
        5
        {"q":"\"a\" | limit 6"}
        0
        {"q":"\"a\""}

        """#)
  }

  @Test func quitLeaves() throws {
    let result = try Self.run([".quit", "a"])
    #expect(result.output.isEmpty && result.status == .done)
  }

  @Test func tellsAboutTheStore() throws {
    let info = SessionInfo(
      id: UniqueID(bits: 1), start: 0, app: "Shop 1.0\u{1b}", os: "Linux", device: "box")
    let result = try Self.run([".info", ".sessions"], sessions: [info])
    #expect(result.output.hasPrefix("a store\n"))
    #expect(result.output.contains(#"1970-01-01 00:00:00.000  Shop 1.0\u{1b}  Linux"#))
  }

  @Test func fieldsAreFoundByPrefix() throws {
    let result = try Self.run([".fields session."])
    #expect(result.output.contains("session.app"))
    #expect(!result.output.contains("message"))
    let tags = try Self.run([".fields tag"])
    #expect(tags.output.contains("tag.NAME"))
  }

  @Test func helpListsCommandsAndStages() throws {
    let help = try Self.run([".help"]).output
    for word in [".mode", ".quit", "| timeline", "under App/Photos"] {
      #expect(help.contains(word), "\(word)")
    }
  }

  @Test(arguments: [
    (".nothing", "there is no .nothing; .help lists what there is\n"),
    (".mode x", ".mode: one of log, table, ndjson, csv\n"),
    (".limit -1", ".limit: a number\n"),
    (".timer", ".timer: on or off\n"),
  ])
  func wrongCommandsAreExplained(line: String, message: String) throws {
    let result = try Self.run([line])
    #expect(result.status == .usage)
    #expect(result.errors == message)
  }

  @Test func commandsAboutQueriesEndAsTheirQueriesDo() throws {
    let wrong = try Self.run([".explain level >", "a"])
    #expect(wrong.status == .usage && wrong.output.isEmpty)
    #expect(wrong.errors.contains("  | level >\n"))
    #expect(try Self.run([".follow  a  | cuont"]).errors.contains("  | a  | cuont\n"))
    #expect(try Self.run([".more"]).errors == "there are no more rows\n")
    #expect(try Self.run([".gaps"]).output == "none\n")
  }

  /// An interrupt that came while nothing ran does not end the next query.
  @Test func everyLineIsPreparedFor() throws {
    var prepared = 0
    let bench = try Bench(rows: .records([]))
    var rest = ["a", ".more", ""][...]
    var session = Session(bench.runner, isInteractive: false, prepare: { prepared += 1 }) {
      rest.popFirst()
    }
    _ = session.run()
    #expect(prepared == 3)
  }
}
