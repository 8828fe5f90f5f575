import PQL
import Testing

/// The exact text of the messages, and a case for every code.
@Suite struct DiagnosticGoldenTests {
  /// Codes whose cases are too large for a golden file; `ParserTests.limitsAreNamed` has them.
  private static let testedElsewhere: Set<DiagnosticCode> = [
    .textTooLong, .tooManyTokens, .tooManyValues, .tooManyStages,
    // The binder's golden file has these.
    .regexTooLarge, .tooManyRegexes,
    // `RunBudgetTests` has these, which are about a run and not about a text.
    .outOfTime, .outOfMemory, .cancelled,
  ]

  private func problems(_ bytes: [UInt8]) -> Diagnostics? {
    do throws(Diagnostics) {
      _ = try Query(utf8: bytes)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    "diagnostics/lexical.golden", "diagnostics/grammar.golden", "diagnostics/poor.golden",
  ])
  func messages(_ path: String) throws {
    let file = try GoldenFile(path)
    let outputs = file.cases.map { example in
      problems(example.input)?.rendered(query: String(decoding: example.input, as: UTF8.self))
        ?? "accepted"
    }
    guard !GoldenFile.isUpdating else { return try file.write(outputs) }
    for (example, output) in zip(file.cases, outputs) {
      #expect(output + "\n" == example.expected, "\(example.inputLines)")
    }
  }

  @Test func everySyntaxCodeHasACase() throws {
    var seen = Self.testedElsewhere
    for path in ["diagnostics/lexical.golden", "diagnostics/grammar.golden"] {
      for example in try GoldenFile(path).cases {
        seen.formUnion(problems(example.input)?.all.map(\.code) ?? [])
      }
    }
    let missing = DiagnosticCode.allCases.filter {
      !"BR".contains($0.rawValue.prefix(1)) && !seen.contains($0)
    }
    #expect(missing.isEmpty)
  }

  /// One typing error in a stage's name yields that name as the first suggestion.
  @Test func misspeltStagesAreRecognised() {
    for name in StageName.allCases.map(\.rawValue) {
      var swapped = Array(name)
      swapped.swapAt(1, 2)
      guard String(swapped) != name else { continue }
      let query = "a | \(String(swapped)) x"
      let first = problems(Array(query.utf8))?.all.first?.helps.first
      #expect(first?.edits.first?.replacement == name, "\(query)")
    }
  }

  @Test func recoveryReportsEachStage() {
    let problems = problems(Array("a or b c | cuont | limit x | count | stats".utf8))
    #expect(
      problems?.all.map(\.code) == [
        .mixedAndOr, .unknownStage, .expectedArgument, .expectedExpression,
      ])
  }
}
