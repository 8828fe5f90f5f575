internal import JournalKit

/// Cuts a stream of chunks into lines, in constant memory.
///
/// A line that lies in one chunk is handed out in place; only one that crosses chunks is copied.
/// Lines end with a line feed, which is not a part of them; the last one may end without.
package struct LineSplitter: Sendable {
  package static let defaultLengthLimit = 16 << 20

  /// Bytes. A longer line is no log line, and must not take endless memory.
  package let lengthLimit: Int
  /// The number of lines that were handed out.
  package private(set) var lineCount = 0
  /// The beginning of a line whose end has not come yet.
  private var partial: [UInt8] = []
  /// Whether the line has grown over the limit, and its bytes are being dropped.
  private var isTooLong = false

  package init(lengthLimit: Int = Self.defaultLengthLimit) {
    self.lengthLimit = lengthLimit
  }

  /// Hands every line that ends in `chunk` to `body`, with its number from 1; nil instead of a line
  /// that is longer than the limit.
  package mutating func append<E>(
    _ chunk: RawSpan, _ body: (RawSpan?, Int) throws(E) -> Void
  ) throws(E) {
    var start = 0
    while let end = chunk.firstLineFeed(from: start) {
      let part = chunk.extracting(start..<end)
      start = end + 1
      if partial.isEmpty, !isTooLong, part.byteCount <= lengthLimit {
        lineCount += 1
        try body(part, lineCount)
      } else {
        keep(part)
        try endLine(body)
      }
    }
    keep(chunk.extracting(start..<chunk.byteCount))
  }

  /// Hands out the last line if it ended without a line feed.
  package mutating func finish<E>(_ body: (RawSpan?, Int) throws(E) -> Void) throws(E) {
    if !partial.isEmpty || isTooLong { try endLine(body) }
  }

  private mutating func keep(_ part: RawSpan) {
    if part.byteCount > lengthLimit - partial.count {
      isTooLong = true
      partial.removeAll()
    }
    if !isTooLong, part.byteCount > 0 { partial.append(contentsOf: part.toArray()) }
  }

  private mutating func endLine<E>(_ body: (RawSpan?, Int) throws(E) -> Void) throws(E) {
    lineCount += 1
    defer {
      partial.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    if isTooLong {
      try body(nil, lineCount)
    } else {
      try body(partial.rawSpan, lineCount)
    }
  }
}

extension RawSpan {
  /// The index of the first line feed at or after `start`, looked for eight bytes at a time: the
  /// lowest high bit of `(x - 0x01…) & ~x & 0x80…` is set in the first byte of `x` that is zero.
  func firstLineFeed(from start: Int) -> Int? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let lineFeed = UInt8(ascii: "\n")
    var at = start
    while at <= byteCount - 8 {
      let word = littleEndian(UInt64.self, at: at) ^ (ones &* UInt64(lineFeed))
      let hits = (word &- ones) & ~word & (ones &* 0x80)
      if hits != 0 { return at + hits.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < byteCount {
      if self[at] == lineFeed { return at }
      at += 1
    }
    return nil
  }
}
