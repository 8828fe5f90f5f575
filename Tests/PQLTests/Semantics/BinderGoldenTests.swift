import PQL
import SegmentIndex
import Testing

/// The exact text of what the binder says.
@Suite struct BinderGoldenTests {
  private static let path = "diagnostics/binding.golden"

  private func problems(_ bytes: [UInt8]) -> Diagnostics? {
    var catalog = Catalog()
    catalog.levels.append(LogLevel("trace", severity: 50))
    catalog.tagKeys = ["user", "status"]
    catalog.sessions = [SessionInfo(id: UniqueID(bits: 1), start: 0)]
    var context = QueryContext(now: 1_788_220_800_000_000_000)
    context.parameters = ["limit": .int(5), "name": .string("x")]
    do throws(Diagnostics) {
      _ = try Binder.bind(try Query(utf8: bytes).tree, context, catalog)
      return nil
    } catch {
      return error
    }
  }

  @Test func messages() throws {
    let file = try GoldenFile(Self.path)
    let outputs = file.cases.map { example in
      problems(example.input)?.rendered(query: String(decoding: example.input, as: UTF8.self))
        ?? "accepted"
    }
    guard !GoldenFile.isUpdating else { return try file.write(outputs) }
    for (example, output) in zip(file.cases, outputs) {
      #expect(output + "\n" == example.expected, "\(example.inputLines)")
    }
  }

  @Test func everyCodeHasACase() throws {
    var seen: Set<DiagnosticCode> = []
    for example in try GoldenFile(Self.path).cases {
      seen.formUnion(problems(example.input)?.all.map(\.code) ?? [])
    }
    let missing = DiagnosticCode.allCases.filter {
      "BR".contains($0.rawValue.prefix(1)) && !seen.contains($0) && !$0.isOfRun
    }
    #expect(missing.isEmpty)
  }

  /// One typing error in a field's name yields that name as a suggestion.
  @Test func misspeltFieldsAreRecognised() {
    for field in Field.allCases where field.rawValue.count > 4 && field != .payload {
      var name = field.rawValue
      name.remove(at: name.index(name.startIndex, offsetBy: 2))
      let helps = problems(Array("has \(name)".utf8))?.all.first?.helps ?? []
      #expect(helps.contains { $0.edits.first?.replacement == field.rawValue }, "\(name)")
    }
  }
}
