import PQL
import TestSupport
import Testing

@Suite struct TextSearchTests {
  @Test(arguments: [
    ("timeout", "Connection TIMEOUT", true), ("TimeOut", "no time out", false), ("", "", true),
    ("", "x", true), ("x", "", false), ("aab", "aaab", true), ("[", "{", false), ("@", "`", false),
    ("É", "café", true), ("straße", "STRASSE", false), ("STRAẞE", "straße", true),
    ("σίσυφος", "ΣΊΣΥΦΟΣ", true), ("ς", "Σ", true), ("k", "\u{212a}elvin", true),
    ("\u{212a}", "k", true), ("s", "ſ", true), ("i", "ı", false), ("ı", "I", false),
    ("µ", "Μ", true),
    ("i", "İ", false), ("日本", "昨日本を", true), ("é", "e\u{301}", false),
  ])
  func finds(_ needle: String, _ text: String, _ expected: Bool) {
    #expect(TextSearch(needle).isFound(in: text) == expected)
  }

  @Test(arguments: [
    ("t*t", "say timeout now", true), ("t?m", "TIM", true), ("t?m", "tm", false), ("*", "", true),
    ("a*b*c", "xaxbxcx", true), ("a*b*c", "xcxbxax", false), ("?", "é", true), ("É?Ü", "éxü", true),
  ])
  func findsPatterns(_ pattern: String, _ text: String, _ expected: Bool) {
    #expect(TextSearch(pattern, isPattern: true).isFound(in: text) == expected)
  }

  @Test(arguments: [
    ("photo.*", "photo.import", true), ("photo.*", "Photo.import", false), ("*", "", true),
    ("", "", true), ("", "x", false), ("?", "é", true), ("??", "é", false), ("*?b", "éb", true),
    ("a*b", "ab", true), ("a*b", "aXbX", false), ("**a", "ba", true), ("*a*a*", "xa", false),
    ("*??b", "éb", false), ("日?語", "日本語", true),
  ])
  func globs(_ pattern: String, _ text: String, _ expected: Bool) {
    #expect(Glob(pattern).matches(text) == expected)
  }

  /// Against the plainest definition, on texts of few letters, where near misses are many.
  @Test func agreesWithTheDefinition() {
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      func word(_ length: Int, _ alphabet: [Character]) -> String {
        String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" })
      }
      let text = word(Int.random(in: 0...12, using: &random), ["a", "B", "b", "é", "É"])
      let needle = word(Int.random(in: 0...3, using: &random), ["A", "b", "é"])
      let plain = Self.isFound(Array(needle.lowercased()), in: Array(text.lowercased()))
      #expect(TextSearch(needle).isFound(in: text) == plain, "seed \(seed): \(needle) in \(text)")
      let pattern = word(Int.random(in: 0...4, using: &random), ["a", "b", "é", "*", "?"])
      let matched = Self.matches(Array(pattern)[...], Array(text)[...])
      #expect(Glob(pattern).matches(text) == matched, "seed \(seed): \(pattern) on \(text)")
    }
  }

  private static func isFound(_ needle: [Character], in text: [Character]) -> Bool {
    (0...text.count).contains { text[$0...].starts(with: needle) }
  }

  private static func matches(
    _ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>
  ) -> Bool {
    switch pattern.first {
    case nil: text.isEmpty
    case "*":
      matches(pattern.dropFirst(), text) || !text.isEmpty && matches(pattern, text.dropFirst())
    case "?": !text.isEmpty && matches(pattern.dropFirst(), text.dropFirst())
    case let letter: text.first == letter && matches(pattern.dropFirst(), text.dropFirst())
    }
  }

  /// A pattern of many stars on a long text that almost matches must not take exponential time.
  @Test func manyStarsAreQuick() {
    let pattern = String(repeating: "a*", count: 30) + "b"
    #expect(!Glob(pattern).matches(String(repeating: "a", count: 5_000)))
  }
}
