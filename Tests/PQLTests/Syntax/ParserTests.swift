import FuzzTargets
import PQL
import TestSupport
import Testing

@Suite struct ParserTests {
  @Test(arguments: QueryExamples.accepted)
  func acceptsAndPrintsBack(_ text: String) throws {
    let query = try Query(text)
    let canonical = query.description
    #expect(try Query(canonical) == query)
    #expect(try Query(canonical).description == canonical)
  }

  @Test(arguments: QueryExamples.rejected)
  func rejects(_ text: String) {
    #expect(throws: Diagnostics.self) { try Query(text) }
  }

  @Test(arguments: [
    ("timeout", #""timeout""#),
    ("killed -9", #""killed" and not "9""#),
    ("a or b or c", #""a" or "b" or "c""#),
    ("(a b) c", #""a" and "b" and "c""#),
    ("(a or b) c", #"("a" or "b") and "c""#),
    ("not not a", #""a""#),
    ("-(a b)", #"not ("a" and "b")"#),
    ("level == error", #"level = "error""#),
    ("x !~ 'a\\d'", #"x !~ "a\\d""#),
    ("not x = 1", "x != 1"),
    ("not x != 1", "x = 1"),
    ("not x < 1", "not x < 1"),
    ("x in (1, two, t*)", #"x in (1, "two", t*)"#),
    ("x not in $set", "x not in $set"),
    ("tag.\"a b\".c[3].\"d.e\" = 1_000", #"tag."a b".c[3]."d.e" = 1000"#),
    ("last 90m", "last 1h30m"),
    ("duration > 1.5s", "duration > 1s500ms"),
    ("size >= 1.5KiB", "size >= 1536B"),
    ("size >= 10_0 or size < 2048B", "size >= 100 or size < 2KiB"),
    (
      "since 2026-09-01T00:00 until 2026-09-01T10:00:00.500+02:00",
      "since 2026-09-01 and until 2026-09-01T10:00:00.5+02:00"
    ),
    ("since today - 7d time < -2h", #"since "today" - 7d and time < -2h"#),
    ("n > (total)", "n > (total)"),
    ("n > (tag.x)", "n > tag.x"),
    ("* | count by level", "* | stats count() by level"),
    ("| extend x = a - (b - c) - d", "* | extend x = a - (b - c) - d"),
    ("| extend x = (a - b) - c", "* | extend x = a - b - c"),
    ("| extend x = (a * b) + c / (d + -2)", "* | extend x = a * b + c / (d + -2)"),
    ("| stats (a = 1), b = a = 1", "* | stats (a = 1), b = a = 1"),
    ("| sort -a, (b + 1)", "* | sort -a, (b + 1)"),
    ("2026-09-01-build 5m 10KB", #""2026-09-01-build" and "5m" and "10KB""#),
    ("tag.x = -9223372036854775808", "tag.x = -9223372036854775808"),
    ("\u{feff}a # comment\n# another\nb", #""a" and "b""#),
    (#""\u{1F600}\t" '\t'"#, #""😀\t" and "\\t""#),
    ("", "*"),
  ])
  func printsCanonically(_ text: String, _ canonical: String) throws {
    #expect(try Query(text).description == canonical)
  }

  @Test func canonicalTextIsStable() throws {
    let file = try GoldenFile("syntax/canonical.golden")
    #expect(file.cases.count >= 30)
    let outputs = try file.cases.map { try Query(utf8: $0.input).description }
    guard !GoldenFile.isUpdating else { return try file.write(outputs) }
    for (example, output) in zip(file.cases, outputs) {
      #expect(output + "\n" == example.expected, "\(example.inputLines)")
    }
  }

  @Test func limitsCanBeLowered() {
    var limits = SyntaxLimits()
    limits.depth = 3
    limits.stageCount = 1
    limits.valueCount = 2
    func code(_ text: String) -> DiagnosticCode? {
      do throws(Diagnostics) {
        _ = try Query(text, version: .v1, limits: limits)
        return nil
      } catch {
        return error.all[0].code
      }
    }
    #expect(code("((a))") == nil && code("(((a)))") == .nestedTooDeep)
    #expect(code("| count | limit 1") == .tooManyStages)
    #expect(code("x in (1, 2, 3)") == .tooManyValues)
    limits.tokenCount = 2
    #expect(code("a b c") == .tooManyTokens)
    limits.textByteCount = 4
    #expect(code("aaaa") == nil && code("aaaaa") == .textTooLong)
    // They cannot be raised.
    limits = SyntaxLimits()
    limits.depth = 1_000
    #expect(code(String(repeating: "(", count: 70)) == .nestedTooDeep)
  }

  @Test func printedTreesReadBack() throws {
    for seed in 0..<4_000 as Range<UInt64> {
      var generator = TreeGenerator(random: SeededRandom(seed: seed))
      let tree = generator.query()
      let text = Query(tree: tree).description
      let parsed = try? Query(text)
      try #require(parsed?.tree == tree, "seed \(seed): \(text)")
      try #require(parsed?.description == text, "seed \(seed)")
    }
  }

  @Test func longChainsAreFlat() throws {
    let alternatives = "a" + String(repeating: " or b", count: 5_000)
    #expect(try Query(alternatives).description.utf8.count > 5_000)
    let sum = "| extend x = a" + String(repeating: " + b * 2", count: 2_000)
    #expect(try Query(sum).description.hasSuffix("+ b * 2"))
  }

  @Test(arguments: [
    "(", "not (", "-(", "x = (", "| extend x = not ", "| extend x = -(", "| extend x = f(",
    "x in ((",
  ])
  func nestingIsBounded(_ opening: String) {
    let text =
      opening.first == "|"
      ? "| extend x = " + String(repeating: String(opening.dropFirst(13)), count: 9_000)
      : String(repeating: opening, count: 9_000)
    #expect(throws: Diagnostics.self) { try Query(String(text.prefix(60_000))) }
  }

  @Test func limitsAreNamed() {
    func code(_ text: String) -> DiagnosticCode? {
      do throws(Diagnostics) {
        _ = try Query(text)
        return nil
      } catch {
        return error.all[0].code
      }
    }
    func list(_ count: Int) -> String {
      Array(repeating: "1", count: count).joined(separator: ", ")
    }
    #expect(code(String(repeating: "a", count: 64 << 10)) == nil)
    #expect(code(String(repeating: "a", count: 64 << 10 + 1)) == .textTooLong)
    #expect(code(String(repeating: "a ", count: 16_384)) == nil)
    #expect(code(String(repeating: "a ", count: 16_385)) == .tooManyTokens)
    #expect(code("x in (\(list(1_000)))") == nil)
    #expect(code("x in (\(list(1_001)))") == .tooManyValues)
    #expect(code(String(repeating: "| limit 1 ", count: 32)) == nil)
    #expect(code(String(repeating: "| limit 1 ", count: 33)) == .tooManyStages)
    #expect(code("| count by " + Array(repeating: "a", count: 8).joined(separator: ",")) == nil)
    #expect(
      code("| count by " + Array(repeating: "a", count: 9).joined(separator: ",")) == .tooManyKeys)
    let parentheses = {
      String(repeating: "(", count: $0) + "a" + String(repeating: ")", count: $0)
    }
    #expect(code(parentheses(63)) == nil)
    #expect(code(parentheses(64)) == .nestedTooDeep)
  }

  /// A mark joins what is before it to one character; names that begin with one are quoted.
  @Test func namesThatBeginWithMarksReadBack() throws {
    for name in ["\u{59a}u", "\u{301}", "\u{20dd}x", "\u{903}"] {
      let query = try Query("tag.\"\(name)\" = 1 payload.a.\"\(name)\" = 2")
      #expect(query.description == "tag.\"\(name)\" = 1 and payload.a.\"\(name)\" = 2")
      #expect(try Query(query.description) == query)
      #expect(throws: Diagnostics.self) { try Query("tag.\(name) = 1") }
    }
    #expect(try Query("tag.e\u{301} = 1").description == "tag.e\u{301} = 1")
  }
}
