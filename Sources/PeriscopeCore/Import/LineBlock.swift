internal import JournalKit

/// Some whole lines of a log. Lines end with a line feed, which is not a part of them.
package struct LineBlock: Sendable {
  /// The bytes of the longest line that a log may have: more are no log line, and must not take endless memory.
  package static let lineLengthLimit = 16 << 20

  /// The lines. The last one of a log may have no line feed.
  package let bytes: [UInt8]
  /// How many lines there are.
  package var count: Int { ends.count }

  /// Where each line ends.
  private let ends: [UInt32]
  /// Whether all bytes are ASCII.
  let isASCII: Bool

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let highs: UInt64 = 0x8080_8080_8080_8080
    let lineFeed = UInt8(ascii: "\n")
    let span = bytes.rawSpan
    var ends: [UInt32] = []
    ends.reserveCapacity(span.byteCount / 256)
    var all: UInt64 = 0
    var at = 0
    while at <= span.byteCount - 16 {
      let words = (
        span.littleEndian(UInt64.self, at: at), span.littleEndian(UInt64.self, at: at + 8)
      )
      all |= words.0 | words.1
      // Of each byte that is a line feed the topmost bit is set.
      var hits = (words.0.matches(of: lineFeed), words.1.matches(of: lineFeed))
      while hits.0 != 0 {
        ends.append(UInt32(at + hits.0.trailingZeroBitCount / 8))
        hits.0 &= hits.0 &- 1
      }
      while hits.1 != 0 {
        ends.append(UInt32(at + 8 + hits.1.trailingZeroBitCount / 8))
        hits.1 &= hits.1 &- 1
      }
      at += 16
    }
    while at < span.byteCount {
      if span[at] == lineFeed { ends.append(UInt32(at)) }
      all |= UInt64(span[at])
      at += 1
    }
    if let last = bytes.last, last != lineFeed { ends.append(UInt32(bytes.count)) }
    self.ends = ends
    isASCII = all & highs == 0
  }
}

extension LineBlock {
  /// Hands every line to `body`.
  package func forEachLine(_ body: (RawSpan) -> Void) {
    let bytes = bytes.rawSpan
    var start = 0
    for end in ends {
      body(bytes.extracting(start..<Int(end)))
      start = Int(end) + 1
    }
  }
}

extension UInt64 {
  /// The topmost bit of each byte of this that is `byte`.
  @inline(__always)
  fileprivate func matches(of byte: UInt8) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let lows = ones &* 0x7f
    let difference = self ^ (ones &* UInt64(byte))
    return ~(((difference & lows) &+ lows) | difference | lows)
  }
}

/// Cuts a stream of chunks into blocks of whole lines, in constant memory.
package struct LineBlockCutter {
  /// A block is given out when it has this many bytes.
  private let size: Int
  /// What a line has beyond this many bytes and one is cut off: it is too long in any case.
  private let lengthLimit: Int
  private var bytes: [UInt8] = []
  /// Where in `bytes` the line begins whose end has not come yet.
  private var lineStart = 0

  package init(size: Int = 1 << 18, lengthLimit: Int = LineBlock.lineLengthLimit) {
    self.size = size
    self.lengthLimit = lengthLimit
  }

  /// Takes the next chunk; returns a block when there is enough for one.
  package mutating func append(_ chunk: RawSpan) -> LineBlock? {
    guard let first = chunk.firstIndex(of: UInt8(ascii: "\n")), let last = chunk.lastLineFeed else {
      keep(chunk)
      return nil
    }
    keep(chunk.extracting(0..<first))
    bytes.append(chunk.extracting(first..<last + 1))
    lineStart = bytes.count
    let block = bytes.count >= size ? cut() : nil
    keep(chunk.extracting(last + 1..<chunk.byteCount))
    return block
  }

  /// Ends the log; returns what is left of it.
  package mutating func finish() -> LineBlock? {
    bytes.isEmpty ? nil : cut()
  }

  private mutating func cut() -> LineBlock {
    let block = LineBlock(bytes)
    bytes = []
    bytes.reserveCapacity(block.bytes.count + block.bytes.count / 4)
    lineStart = 0
    return block
  }

  /// Appends a part of a line.
  private mutating func keep(_ part: RawSpan) {
    let room = max(0, lengthLimit + 1 - (bytes.count - lineStart))
    bytes.append(part.extracting(0..<min(room, part.byteCount)))
  }
}

extension RawSpan {
  /// The index of the last line feed.
  fileprivate var lastLineFeed: Int? {
    var at = byteCount
    while at > 0 {
      at -= 1
      if self[at] == UInt8(ascii: "\n") { return at }
    }
    return nil
  }
}
