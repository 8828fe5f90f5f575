import PeriscopeCore
import Testing
import pql_repl

@Suite struct TableLayoutTests {
  static let table = TableLayout([
    TableLayout.Column("event"), TableLayout.Column("count", isRight: true),
  ])

  @Test func alignsColumns() {
    let lines = Self.table.lines([["a.b", "12"], ["日本", "3"]], width: 80, style: .plain)
    #expect(
      lines == [
        "event  count",
        "─────  ─────",
        "a.b       12",
        "日本       3",
      ])
  }

  @Test func theWidestColumnGivesWay() {
    let rows = [["a long name of an event", "1234567890123"]]
    let lines = Self.table.lines(rows, width: 24, style: .plain)
    #expect(lines[2] == "a long nam…  1234567890…")
    for line in lines { #expect(line.displayWidth <= 24, "\(line)") }
    // Not below the minimum, even where that is too wide.
    let narrow = Self.table.lines(rows, width: 3, style: .plain)
    #expect(narrow[2] == "a lon…  12345…")
  }

  @Test func numbersAndTimesAreNeverCut() {
    let table = TableLayout([
      TableLayout.Column("time", isCuttable: false), TableLayout.Column("message"),
    ])
    let rows = [["2026-01-01 00:00:00.000", "a message of some length"]]
    #expect(
      table.lines(rows, width: 36, style: .plain)[2] == "2026-01-01 00:00:00.000  a message …")
    #expect(table.lines(rows, width: 10, style: .plain)[2] == "2026-01-01 00:00:00.000  a mes…")
  }

  @Test func coloursOnlyTheHead() {
    let style = Style(.always, isTerminal: false, environment: { _ in nil })
    let lines = Self.table.lines([["a", "1"]], width: 80, style: style)
    #expect(lines[0] == "\u{1b}[1mevent  count\u{1b}[0m")
    #expect(lines[2] == "a          1")
  }
}

@Suite struct StyleTests {
  static func isColored(
    _ choice: Options.Color, _ isTerminal: Bool, _ environment: [String: String] = [:]
  ) -> Bool {
    Style(choice, isTerminal: isTerminal, environment: { environment[$0] }).isColored
  }

  @Test func theOptionWinsThenTheEnvironment() {
    #expect(Self.isColored(.auto, true))
    #expect(!Self.isColored(.auto, false))
    #expect(!Self.isColored(.auto, true, ["NO_COLOR": "1"]))
    #expect(Self.isColored(.auto, true, ["NO_COLOR": ""]))
    #expect(!Self.isColored(.auto, true, ["TERM": "dumb"]))
    #expect(Self.isColored(.always, false, ["NO_COLOR": "1"]))
    #expect(!Self.isColored(.never, true))
  }

  @Test func levelsHaveColoursBySeverity() {
    #expect(Style.paint(for: .fault) == .brightRed)
    #expect(Style.paint(for: LogLevel("mine", severity: 450)) == .yellow)
    #expect(Style.paint(for: .info) == nil)
    #expect(Style.paint(for: .debug) == .dim)
  }
}

@Suite struct CSVTests {
  @Test func quotesWhatNeedsIt() {
    #expect(csvRow(["a", "", "b c"]) == "a,,b c\n")
    #expect(
      csvRow(["a,b", "say \"x\"", "two\nlines", "\r"])
        == "\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\"\r\"\n")
    #expect(csvRow(["\r\n"]) == "\"\r\n\"\n")
  }
}
