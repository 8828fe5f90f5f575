import PQL
import SegmentIndex
import Testing

/// Columns of records are written out where they are used; that must not let a short query grow without
/// bounds.
@Suite struct ColumnLimitTests {
  private let store: SmallStore

  init() throws {
    store = try SmallStore((0..<3).map { SmallStore.record($0) })
  }

  private func chain(_ first: String, _ count: Int, _ next: (String) -> String) -> String {
    let columns = (1..<count).map { "a\($0) = " + next("a\($0 - 1)") }
    return "| extend a0 = \(first), " + columns.joined(separator: ", ")
  }

  @Test(arguments: [" | where a19 = true | count", ""])
  func doublingIsRefused(_ rest: String) {
    for join in ["and", "or"] {
      let text = chain("(tag.v > 0)", 20) { "\($0) \(join) \($0)" } + rest
      #expect(store.problem(text).contains("too many operations; the limit is 1000"))
    }
    #expect(store.problem(chain("line", 20) { "\($0) + \($0)" } + rest).contains("L402"))
    #expect(store.problem(chain("line", 20) { "if(\($0) > 1, \($0), 2)" } + rest).contains("L402"))
  }

  @Test func depthIsRefused() {
    for next in ["not a", "-(a)", "a = true", "lower(a)"] {
      let text = chain("tag.v", 800) { next.replacing("a", with: $0, maxReplacements: 1) }
      #expect(store.problem(text).contains("L402"), "\(next)")
    }
  }

  @Test func whereIsBounded() {
    let wide = (0..<300).map { "tag.t\($0)" }.joined(separator: " + ")
    let uses = Array(repeating: "x > 1", count: 1_000).joined(separator: " or ")
    #expect(store.problem("| extend x = \(wide) | where \(uses)").contains("L402"))
    #expect(store.problem("| extend x = \(wide) | where x > 1") == "")
    let words = Array(repeating: "timeout", count: 5_000).joined(separator: " or ")
    #expect(store.problem(words) == "")
  }
}
