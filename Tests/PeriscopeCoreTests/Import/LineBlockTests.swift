import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

@Suite struct LineBlockTests {
  static func blocks(
    _ text: String, chunk size: Int, blockSize: Int, lengthLimit: Int = 100
  ) -> [LineBlock] {
    var cutter = LineBlockCutter(size: blockSize, lengthLimit: lengthLimit)
    var blocks: [LineBlock] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      let chunk = Array(bytes[start..<min(bytes.count, start + size)])
      if let block = cutter.append(chunk.rawSpan) { blocks.append(block) }
    }
    if let block = cutter.finish() { blocks.append(block) }
    return blocks
  }

  @Test(arguments: 1...40) func blocksAreTheTextInWholeLines(size: Int) {
    let text = "one\n\nthree is a longer line\r\n\u{e9}\n\n\n\nlast"
    for blockSize in [1, 10, 1_000] {
      let blocks = Self.blocks(text, chunk: size, blockSize: blockSize)
      #expect(blocks.flatMap(\.bytes) == Array(text.utf8))
      #expect(blocks.dropLast().allSatisfy { $0.bytes.last == UInt8(ascii: "\n") })
      for block in blocks {
        let lines = block.bytes.split(separator: 10, omittingEmptySubsequences: false)
        #expect(block.count == lines.count - (block.bytes.last == 10 ? 1 : 0))
      }
    }
  }

  @Test(arguments: [1, 3, 7, 50]) func aLongLineIsCutButStaysTooLong(size: Int) {
    let long = String(repeating: "x", count: 200)
    let fits = String(repeating: "y", count: 10)
    let blocks = Self.blocks(
      "\(long)\n\(fits)\n\(long)", chunk: size, blockSize: 1, lengthLimit: 10)
    let text = String(decoding: blocks.flatMap(\.bytes), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1] == fits)
    #expect(lines[0].count > 10 && lines[0].count <= 11 + size)
    #expect(lines[2].count == 11)
  }

  static func lines(_ text: String, chunk size: Int, blockSize: Int = 20) -> [String] {
    var lines: [String] = []
    for block in blocks(text, chunk: size, blockSize: blockSize) {
      let before = lines.count
      block.forEachLine { lines.append($0.repairedString()) }
      #expect(block.count == lines.count - before)
    }
    return lines
  }

  @Test(arguments: 1...30) func linesDoNotDependOnChunks(size: Int) {
    let text = "one\n\nthree is a longer line\r\n\u{e9}\nlast"
    #expect(
      Self.lines(text, chunk: size) == ["one", "", "three is a longer line\r", "\u{e9}", "last"])
  }

  @Test func theLastLineMayEndWithALineFeed() {
    #expect(Self.lines("a\nb\n", chunk: 3) == ["a", "b"])
    #expect(Self.lines("\n", chunk: 1) == [""])
    #expect(Self.lines("", chunk: 1) == [])
  }

  @Test func findsEveryLineFeed() {
    // Bytes that differ from a line feed in one bit, and runs of them, must not be mistaken for it.
    var random = SeededRandom(seed: 3)
    let alphabet: [Character] = ["\n", "\u{b}", "\u{8}", "J", "*", "\u{1a}", "a"]
    for _ in 0..<300 {
      let count = Int.random(in: 0..<60, using: &random)
      let text = String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "x" })
      var expected = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      if expected.last == "" { expected.removeLast() }
      #expect(Self.lines(text, chunk: 17) == expected, "\(random)")
    }
  }

  @Test func aLineBeyondTheLimitIsRefused() {
    var importer = LineImporter()
    var batch = RecordBatch()
    let line = [UInt8](repeating: UInt8(ascii: " "), count: LineBlock.lineLengthLimit + 1)
    #expect(throws: ImportError.self) {
      try importer.read(line.rawSpan, lineNumber: 7, into: &batch)
    }
    #expect(batch.count == 0)
  }
}
