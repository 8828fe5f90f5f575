import Foundation
import PQL
import TestSupport
import Testing

/// The engine must find what the model finds.
@Suite struct RegexDifferentialTests {
  /// `PERISCOPE_TEST_SCALE=20` in the environment makes the search twenty times as wide.
  private static let scale =
    UInt64(ProcessInfo.processInfo.environment["PERISCOPE_TEST_SCALE"] ?? "") ?? 1

  @Test(arguments: 0..<4 as Range<UInt64>)
  func agreesWithTheModel(part: UInt64) throws {
    var matchCount = 0
    let seeds = part * 1_000_000..<part * 1_000_000 + 400 * Self.scale
    for seed in seeds {
      var generator = RegexGenerator(seed: seed)
      let model = generator.model(depth: 1 + Int(seed % 4))
      let expression = try RegularExpression(model.pattern)
      // As usual; with room for few rows, which are dropped all the time; and none at all.
      let matchers = [RegexMatcher.automatonByteLimit, 1_500, 0].map {
        RegexMatcher(expression, automatonByteLimit: $0)
      }
      for _ in 0..<8 {
        var text = generator.text()
        if generator.below(2) == 0 {
          text.insert(
            contentsOf: generator.text(like: model), at: generator.below(text.count + 1))
        }
        let expected = model.matches(text)
        matchCount += expected ? 1 : 0
        for matcher in matchers {
          try #require(
            matcher.matches(text) == expected,
            "seed \(seed): \(model.pattern) on \(text), \(String(decoding: text, as: UTF8.self))")
        }
      }
    }
    // Were nearly all or nearly none to match, the test would say little.
    let textCount = seeds.count * 8
    #expect((textCount / 5..<textCount * 9 / 10).contains(matchCount), "\(matchCount) matches")
  }
}
