import PQL
import Testing

@Suite struct RegexTests {
  @Test(
    arguments: [
      (#"HTTP/\d\.\d" 5\d\d"#, #"GET / HTTP/1.1" 503"#, true),
      (#"HTTP/\d\.\d" 5\d\d"#, #"GET / HTTP/1.1" 404"#, false),
      ("", "", true), ("", "x", true), ("a|", "b", true), ("()", "b", true), ("^$", "", true),
      ("^$", "\n", false), ("^b", "ab", false), ("^b", "b", true), ("a$", "ab", false),
      ("a$", "a\n", false), ("a^b", "ab", false), ("a$b", "ab", false),
      ("(^|,)b(,|$)", "a,b", true),
      ("a.c", "abc", true), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true), ("a.c", "aéc", true),
      ("a.c", "a😀c", true), ("^.$", "e\u{301}", false), ("^..$", "e\u{301}", true),
      ("[a-c]+x", "abcabcx", true), ("[^a-c]x", "ax", false), ("[^a]", "aaa", false),
      ("[a-]", "-", true), ("[-a]", "-", true), (#"[\d-]"#, "-", true),
      (#"[a\]b]"#, "]", true), (#"[\w.]+@"#, "a.b@", true), (#"[^\W]"#, "-", false),
      ("[a^]", "^", true), ("[[]", "[", true), ("[.]", "x", false), ("}", "}", true),
      ("]", "]", true),
      ("é", "é", true), ("é", "e\u{301}", false), ("[à-ü]", "é", true), ("[à-ü]", "É", false),
      ("(?i)[à-ü]", "É", true), ("(?i)k", "\u{212a}", true), ("k", "K", false),
      ("(?i)ſ", "S", true),
      ("(?i)[^k]", "\u{212a}", false), ("(?i)σ", "ς", true), ("(?i)ß", "ẞ", true),
      ("(?i)ß", "ss", false),
      ("(?i)i", "ı", false), ("(?i)i", "İ", false), ("a(?i)b", "aB", true), ("a(?i)b", "AB", false),
      ("a((?i)b)c", "aBC", false), ("a(?i)b|c", "C", true), ("(?i:a)b", "AB", false),
      ("(?i:a)b", "Ab", true), ("(?i)a(?-i)b", "AB", false), ("(?is)a.b", "A\nB", true),
      (#"\bcat\b"#, "a cat.", true), (#"\bcat\b"#, "concat", false), (#"\Bcat"#, "concat", true),
      (#"\b"#, "é", false), (#"\B"#, "é", true), (#"a\B"#, "a", false), (#"\Ba"#, "éa", false),
      (#"^\B.\B$"#, "é", true), (#"\Bé"#, "aé", false),
      ("a{3}", "aa", false), ("a{3}", "aaa", true), ("^a{2,3}$", "aaaa", false),
      ("^a{2,}$", "aaaa", true),
      ("^a{0}$", "", true), ("^a{0}$", "a", false), ("(ab){2}", "abab", true),
      ("a+?b", "aab", true),
      ("^(a*)*$", "aab", false), ("^(a?){3}$", "aa", true), ("x*", "", true),
      (#"\x41\u0042\x{1F600}\u{43}"#, "AB😀C", true), (#"\t\n\r\f\v"#, "\t\n\r\u{c}\u{b}", true),
      (#"\.\*\/\-\ \""#, ".*/- \"", true), (#"^\s$"#, "\u{b}", true), (#"^\s$"#, "\u{a0}", false),
      (#"^\d$"#, "٣", false), (#"^\w$"#, "é", false), (#"^\W$"#, "é", true), (#"\D"#, "123", false),
      ("foo|bar|b[aeiou]z", "quux biz", true), ("foo|bar|b[aeiou]z", "quux byz", false),
      ("\u{10ffff}", "\u{10ffff}", true), (#"[\x{0}-\x{10ffff}]"#, "\u{d7ff}", true),
      (#"[^\x{0}-\x{10ffff}]"#, "a\u{e000}", false), ("日.語", "日本語", true),
    ] as [(String, String, Bool)])
  func matches(_ pattern: String, _ text: String, _ expected: Bool) throws {
    let expression = try RegularExpression(pattern)
    #expect(expression.matches(text) == expected)
    let matcher = RegexMatcher(expression)
    // The second time finds the rows of the first.
    for _ in 0..<2 { #expect(matcher.matches(Array(text.utf8)) == expected) }
  }

  /// Bytes that are not UTF-8 match nothing and are in nobody's way.
  @Test(
    arguments: [
      (".", [0xff], false), ("[^a]", [0x80], false), ("a", [0xff, 0x61], true),
      ("^.", [0xc3, 0x61], false),
      ("^a", [0xff, 0x61], false), ("a.b", [0x61, 0xc3, 0x62], false),
      (".", [0xed, 0xa0, 0x80], false),
      (".", [0xc0, 0x80], false), (".", [0xf4, 0x90, 0x80, 0x80], false),
      ("é", [0xc3, 0xc3, 0xa9], true),
      ("(?s)^.*$", [0x61, 0xff], false), (#"\bb"#, [0xff, 0x62], true), ("$", [0xff], true),
      (#"a\B"#, [0x61, 0x80], false), (#"\B"#, [0x61, 0x80], true), (".", [0xe2, 0x82], false),
    ] as [(String, [UInt8], Bool)])
  func invalidBytesMatchNothing(_ pattern: String, _ text: [UInt8], _ expected: Bool) throws {
    let expression = try RegularExpression(pattern)
    #expect(RegexMatcher(expression).matches(text) == expected)
    #expect(RegexMatcher(expression, automatonByteLimit: 0).matches(text) == expected)
  }

  @Test(
    arguments: [
      ("abc", "abc", false, true), ("a(bc)d", "abcd", false, true),
      (#"^abc\b"#, "abc", false, false),
      ("ab.*cde", "cde", false, false), ("(?i)Abc", "abc", true, true),
      ("(?i)1b", "1b", true, true),
      ("(?i:a)b", "ab", true, false), ("(?i)desk", "de", true, false), ("a|b", nil, false, false),
      ("(ab)+c", "ab", false, false), ("(ab)?c", "c", false, false),
      ("(a(bcd)*ef){2}", "ef", false, false),
      ("[a]b", "ab", false, true), (#"é\.x"#, "é.x", false, true), ("", nil, false, false),
      (#"error \d+ in"#, "error ", false, false), ("(?i)ab(?-i)..cd", "cd", false, false),
    ] as [(String, String?, Bool, Bool)])
  func requiresItsLiteral(
    _ pattern: String, _ literal: String?, _ ignoresCase: Bool, _ isWhole: Bool
  ) throws {
    let expression = try RegularExpression(pattern)
    #expect(expression.requiredLiteral?.needle == literal.map { Array($0.utf8) })
    #expect(expression.requiredLiteral?.ignoresCase ?? false == ignoresCase)
    #expect(expression.isLiteral == isWhole)
  }

  @Test func equalityIsThatOfThePatternsBytes() throws {
    let composed = try RegularExpression("é")
    #expect(composed == (try RegularExpression("é")))
    #expect(composed != (try RegularExpression("e\u{301}")))
    #expect(composed.hashValue == (try RegularExpression("é")).hashValue)
  }
}
