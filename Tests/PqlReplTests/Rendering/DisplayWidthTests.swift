import Testing
import pql_repl

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("\u{301}", 0), ("日本", 4), ("한", 2),
    ("ｆ", 2), ("🧭", 2), ("👨‍👩‍👧", 2), ("🇫🇮", 2), ("❤️", 2), ("❤", 1), ("한", 2), ("→", 1),
  ])
  func countsColumns(text: String, width: Int) {
    #expect(text.displayWidth == width)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
    ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func cutsBetweenCharacters(text: String, width: Int, cut: String) {
    #expect(text.truncated(toWidth: width) == cut)
    #expect(text.truncated(toWidth: width).displayWidth <= width)
  }

  @Test func fillsWithSpaces() {
    #expect("日".padded(toWidth: 4) == "日  ")
    #expect("日".padded(toWidth: 4, onLeft: true) == "  日")
    #expect("long".padded(toWidth: 2) == "long")
  }

  @Test(arguments: [
    ("plain", "plain"), ("a\tb\nc\r", #"a\tb\nc\r"#), ("\u{1b}[31m", #"\u{1b}[31m"#),
    ("\u{9b}2J", #"\u{9b}2J"#), ("\u{7f}", #"\u{7f}"#), ("a\u{202e}b", #"a\u{202e}b"#),
    ("\u{2066}\u{2028}", #"\u{2066}\u{2028}"#), ("\u{0}", #"\u{0}"#), ("é🧭", "é🧭"),
    ("👨‍👩‍👧", "👨‍👩‍👧"),
  ])
  func escapesWhatControlsATerminal(text: String, safe: String) {
    #expect(text.terminalSafe == safe)
  }
}
