import Foundation
import PQL
import SegmentIndex
import Testing

/// docs/pql/errors.md explains every code, and its examples have the codes they are under.
@Suite struct ErrorPageTests {
  private static let text: String = {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/pql/errors.md")
    return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
  }()

  private static let sections = text.components(separatedBy: "\n## ").dropFirst()

  @Test func everyCodeHasASection() {
    #expect(
      Self.sections.map { $0.prefix { $0 != "\n" } }
        == DiagnosticCode.allCases.map { "\($0.rawValue): \($0.title)" })
  }

  @Test(arguments: sections)
  func exampleHasItsCode(_ section: String) {
    guard let start = section.range(of: "```error\n"),
      let end = section.range(of: "\n```", range: start.upperBound..<section.endIndex)
    else {
      let code = DiagnosticCode(rawValue: String(section.prefix(4)))
      // Too long for a page, and what no text is at fault for; `ParserTests.limitsAreNamed` and `RunBudgetTests` have
      // them.
      #expect(
        ["L401", "L403", "L405"].contains(section.prefix(4)) || code?.isOfRun == true, "\(section)")
      return
    }
    let line = String(section[start.upperBound..<end.lowerBound])
    let input = line.hasPrefix(">\\ ") ? GoldenFile.decoded(line) : Array(line.utf8)
    do throws(Diagnostics) {
      var catalog = Catalog()
      catalog.sessions = [SessionInfo(id: UniqueID(bits: 1), start: 0)]
      _ = try Binder.bind(try Query(utf8: input).tree, QueryContext(now: 0), catalog)
      Issue.record("accepted: \(line)")
    } catch {
      #expect(error.all[0].code.rawValue == section.prefix(4), "\(error)")
    }
  }
}
