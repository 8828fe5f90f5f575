import PQL
import TestSupport
import Testing

@Suite struct TextSearchTests {
  /// Those that a search for ASCII looks for are all that there are.
  @Test func onlyFourScalarsFoldToASCII() {
    let foreign = (0x80..<0x3_0000 as Range<UInt32>).compactMap(Unicode.Scalar.init)
      .filter { foldedText(Array(String($0).utf8).span).allSatisfy { $0 < 0x80 } }
    #expect(foreign == ["\u{17f}", "\u{37e}", "\u{1fef}", "\u{212a}"])
    for scalar in foreign {
      let folded = String(decoding: foldedText(Array(String(scalar).utf8).span), as: UTF8.self)
      #expect(TextSearch("a\(folded)b").isFound(in: "xA\(scalar)Bx"), "\(scalar)")
      #expect(TextSearch("a\(scalar)b").isFound(in: "xA\(folded)Bx"), "\(scalar)")
    }
  }

  @Test func asciiIsFoldedWithoutTables() {
    let all = Array(0..<0x80 as Range<UInt8>)
    #expect(foldedText(all.span) == all.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 })
  }

  @Test(arguments: [
    ("timeout", "Connection TIMEOUT", true), ("TimeOut", "no time out", false), ("", "", true),
    ("", "x", true), ("x", "", false), ("aab", "aaab", true), ("[", "{", false), ("@", "`", false),
    ("É", "café", true), ("straße", "STRASSE", false), ("STRAẞE", "straße", true),
    ("σίσυφος", "ΣΊΣΥΦΟΣ", true), ("ς", "Σ", true), ("k", "\u{212a}elvin", true),
    ("\u{212a}", "k", true), ("s", "ſ", true), ("i", "ı", false), ("ı", "I", false),
    ("µ", "Μ", true),
    ("i", "İ", false), ("日本", "昨日本を", true), ("é", "E\u{301}", true), ("e\u{301}", "É", true),
    ("cafe", "cafe\u{301}", false), ("cafe", "cafe\u{301} cafe", true),
    ("ê\u{323}", "xE\u{323}\u{302}", true),
    ("e", "e\u{20dd}", true), ("ก", "ก\u{e48}", true), (";", "\u{37e}", true),
    ("`", "x\u{1fef}", true),
    ("각", "\u{1100}\u{1161}\u{11a8}", true), ("가", "\u{1100}\u{1161}\u{11a8}", false),
    ("å", "\u{212b}ngström", true), ("disk", "DI\u{17f}\u{212a}", true),
    ("disk é", "DISK E\u{301}", true),
    ("ask", "no é in it", false), ("q", "q\u{301}", true), ("か", "が", false),
    ("か", "か\u{3099}", false),
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

  /// Bytes that are not UTF-8 stay as they are, and what is around them is found.
  @Test func strayBytesAreInNobodysWay() {
    #expect(isFound("é", [0xff, 0xc3, 0x89, 0xc3]))
    #expect(isFound("e", [0x65, 0xcc]))
    #expect(!isFound("é", [0x65, 0xcc, 0xff, 0x81]))
    #expect(!isFound("\u{fffd}", [0xff]))
    #expect(!isFound("é", [0xc3]))
  }

  private func isFound(_ needle: String, _ text: [UInt8]) -> Bool {
    TextSearch(needle).isFound(in: text.span)
  }

  /// Against the plainest definition, on texts of few letters, where near misses are many. Each letter is one
  /// character to the standard library, which knows all its spellings as the same.
  @Test func agreesWithTheDefinition() throws {
    let letters: [Character] = [
      "a", "B", "b", "é", "É", "e\u{301}", "e", "E\u{301}", "ệ", "e\u{302}\u{323}", "Ê\u{323}", "k",
      "s",
      "각", "\u{1100}\u{1161}\u{11a8}", "Å", "\u{212b}", "日", "Ж", "ж", "Ӂ", "ж\u{306}",
    ]
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      // Few of the letters each time.
      let alphabet = (0..<4).map { _ in letters.randomElement(using: &random) ?? "a" }
      func word(_ length: Int, _ more: [Character] = []) -> String {
        String((0..<length).map { _ in (alphabet + more).randomElement(using: &random) ?? "a" })
      }
      let text = word(Int.random(in: 0...12, using: &random))
      let needle = word(Int.random(in: 0...3, using: &random))
      let plain = Self.isFound(Array(needle.lowercased()), in: Array(text.lowercased()))
      try #require(
        TextSearch(needle).isFound(in: text) == plain, "seed \(seed): \(needle) in \(text)")
      let pattern = word(Int.random(in: 0...4, using: &random), ["*", "?"])
      let folded = Array("*" + pattern.lowercased() + "*")
      // A `?` is a scalar, and so one letter only where a letter is one scalar.
      try #require(
        TextSearch(pattern, isPattern: true).isFound(in: text)
          == Self.matches(folded[...], Array(text.lowercased())[...]),
        "seed \(seed): \(pattern) in \(text)")
    }
  }

  @Test func globsAgreeWithTheDefinition() throws {
    for seed in 0..<2_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      func word(_ length: Int, _ alphabet: [Character]) -> String {
        String((0..<length).map { _ in alphabet.randomElement(using: &random) ?? "a" })
      }
      let text = word(Int.random(in: 0...12, using: &random), ["a", "B", "b", "é", "É"])
      let pattern = word(Int.random(in: 0...4, using: &random), ["a", "b", "é", "*", "?"])
      let matched = Self.matches(Array(pattern)[...], Array(text)[...])
      try #require(Glob(pattern).matches(text) == matched, "seed \(seed): \(pattern) on \(text)")
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
