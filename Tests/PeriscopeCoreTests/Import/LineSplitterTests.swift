import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct LineSplitterTests {
  /// What the splitter hands out when `text` comes in chunks of these sizes, the last one repeated;
  /// nil for a line that is too long.
  static func lines(_ text: String, chunks: [Int], lengthLimit: Int = 100) -> [String?] {
    var splitter = LineSplitter(lengthLimit: lengthLimit)
    var lines: [String?] = []
    func take(_ line: RawSpan?, _ number: Int) {
      if let line { lines.append(line.repairedString()) } else { lines.append(nil) }
      #expect(number == lines.count)
    }
    var rest = Array(text.utf8)[...]
    var index = 0
    while !rest.isEmpty {
      let chunk = Array(rest.prefix(chunks[min(index, chunks.count - 1)]))
      splitter.append(chunk.rawSpan, take)
      rest = rest.dropFirst(chunk.count)
      index += 1
    }
    splitter.finish(take)
    #expect(splitter.lineCount == lines.count)
    return lines
  }

  @Test(arguments: 1...30) func linesDoNotDependOnChunks(size: Int) {
    let text = "one\n\nthree is a longer line\r\n\u{e9}\nlast"
    #expect(
      Self.lines(text, chunks: [size])
        == ["one", "", "three is a longer line\r", "\u{e9}", "last"])
  }

  @Test func theLastLineMayEndWithALineFeed() {
    #expect(Self.lines("a\nb\n", chunks: [3]) == ["a", "b"])
    #expect(Self.lines("\n", chunks: [1]) == [""])
    #expect(Self.lines("", chunks: [1]) == [])
  }

  @Test(arguments: [1, 3, 7, 50]) func aLineThatIsTooLongIsNil(size: Int) {
    let long = String(repeating: "x", count: 11)
    let fits = String(repeating: "y", count: 10)
    #expect(
      Self.lines("\(long)\n\(fits)\n\(long)\nz\n\(long)", chunks: [size], lengthLimit: 10)
        == [nil, fits, nil, "z", nil])
  }

  @Test func findsEveryLineFeed() {
    // Bytes that differ from a line feed in one bit, and runs of them, must not be mistaken for it.
    var random = SeededRandom(seed: 3)
    let alphabet: [Character] = ["\n", "\u{b}", "\u{8}", "J", "*", "\u{1a}", "a"]
    for _ in 0..<300 {
      let count = Int.random(in: 0..<40, using: &random)
      let text = String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "x" })
      var expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if expected.last == "" { expected.removeLast() }
      #expect(Self.lines(text, chunks: [17]) == expected, "\(random)")
    }
  }
}
