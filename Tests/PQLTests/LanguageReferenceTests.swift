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
