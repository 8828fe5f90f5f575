import Foundation
import FuzzTargets
import PQL
import SegmentIndex
import Testing

/// The language reference says what the language does: its queries run, its tables are the tables.
@Suite struct LanguageReferenceTests {
  private static let text: String = {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "docs/pql.md")
    return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
  }()

  private static var lines: [String] { text.components(separatedBy: "\n") }

  /// The lines of the blocks that are queries.
  private static let examples: [String] = {
    var examples: [String] = []
    var isInside = false
    for line in lines {
      if line.hasPrefix("```") {
        isInside = line == "```pql"
      } else if isInside {
        examples.append(line)
      }
    }
    return examples
  }()

  @Test func thereAreExamples() {
    #expect(Self.examples.count > 25)
  }

  @Test(arguments: examples)
  func exampleRuns(_ text: String) throws {
    var generator = StoreGenerator(seed: 1)
    let records = generator.records(100)
    let segments = try generator.segments(records, count: 2)
    let query = try Query(text)
    #expect(try Query(query.description) == query)
    let result = try query.run(on: segments, DifferentialTests.context(generator))
    #expect(result.summary.gaps.isEmpty)
  }

  /// What the tables offer runs.
  @Test func everyStageRuns() throws {
    let arguments = [
      "where": "*", "select": "line", "extend": "x = 1", "stats": "count()", "top": "1 line",
      "sort": "line", "limit": "1", "dedup": "line", "context": "1",
    ]
    for stage in PQL.stages {
      let query = try Query("| \(stage.name) \(arguments[stage.name] ?? "")")
      _ = try query.run(on: [], QueryContext(now: 0))
    }
  }

  /// The table of tasks: its queries run, and are as long as it says.
  @Test func tasksRunAndAreCounted() throws {
    let rows = Self.lines.filter { $0.hasPrefix("| ") && $0.hasSuffix(" |") }.map { line in
      line.replacing("\\|", with: "\u{0}").split(separator: "|").map {
        $0.replacing("\u{0}", with: "|").trimmingCharacters(in: .whitespaces)
      }
    }
    let tasks = rows.filter { $0.count == 3 && Int($0[2]) != nil && $0[1].hasPrefix("`") }
    #expect(tasks.count == 15)
    for task in tasks {
      let text = String(task[1].dropFirst().dropLast())
      #expect(Int(task[2]) == text.count, "\(text)")
      try exampleRuns(text)
    }
  }

  @Test func tablesAreComplete() {
    for field in PQL.fields {
      let row = "| `\(field.name)` | \(field.usage) | \(field.summary) |"
      #expect(Self.lines.contains(row), "\(field.name)")
    }
    for function in PQL.functions {
      let row = "| `\(function.usage)` | \(function.summary) |"
      #expect(Self.lines.contains(row), "\(function.name)")
    }
    for stage in PQL.stages {
      #expect(Self.text.contains("`\(stage.name)"), "\(stage.name)")
    }
    for column in SpanStageTests.columns {
      #expect(Self.text.contains("`\(column)`"), "\(column)")
    }
    for word in PQL.reservedWords {
      #expect(Self.text.contains(word))
    }
  }
}
