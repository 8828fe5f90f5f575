import Foundation
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

  /// What the tables offer runs, and what they mark as missing is refused as such.
  @Test func tablesSayWhatIsAvailable() {
    func refusal(_ text: String) -> String {
      do {
        _ = try Query(text).run(on: [], QueryContext(now: 0))
        return ""
      } catch {
        return "\(error)"
      }
    }
    let arguments = [
      "where": "*", "select": "line", "extend": "x = 1", "stats": "count()", "top": "1 line",
      "sort": "line", "limit": "1", "dedup": "line", "context": "1",
    ]
    for stage in PQL.stages {
      let problem = refusal("| \(stage.name) \(arguments[stage.name] ?? "")")
      #expect(problem.contains("B212") != stage.isAvailable, "\(stage.name)")
      #expect(problem.isEmpty == stage.isAvailable, "\(stage.name)")
      #expect(stage.summary.hasSuffix("(not in this version)") != stage.isAvailable)
    }
    #expect(PQL.stages.filter { !$0.isAvailable }.map(\.name) == ["spans", "trace", "context"])
    for function in PQL.functions where !function.isAvailable {
      #expect(refusal("| stats \(function.name)()").contains("B212"), "\(function.name)")
    }
    #expect(PQL.functions.filter { !$0.isAvailable }.map(\.name) == ["rate"])
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
    for word in PQL.reservedWords {
      #expect(Self.text.contains(word))
    }
  }
}
