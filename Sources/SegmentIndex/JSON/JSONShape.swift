internal import JournalKit

/// How values of one writer are put together: what is alike in them, with a number or a text in between.
///
/// A value that is like the one before is found valid by comparing what is alike, and looking only at what is not.
package struct JSONShape: Sendable {
  /// A number, or a string with its quotes, behind some bytes that are always the same.
  fileprivate struct Part {
    /// Where, in `literals`, those bytes end.
    let end: Int
    let isString: Bool
  }

  private static let partLimit = 64
  private static let patience = 4

  /// All that is alike, one piece after another.
  fileprivate private(set) var literals: [UInt8] = []
  fileprivate private(set) var parts: [Part] = []
  /// How deep a scanner was in containers where the value began; nil when none has been seen.
  fileprivate private(set) var depth: Int?
  /// How many values may be of another shape before one of them is learned.
  private var patience = 0

  package init() {}

  fileprivate mutating func noteLikeness() {
    patience = Self.patience
  }

  /// Notes that `value`, which is valid and began at `depth`, is of another shape.
  fileprivate mutating func note(_ value: RawSpan, depth: Int) {
    patience -= 1
    guard patience < 0 else { return }
    patience = 0
    literals.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    self.depth = depth
    var at = 0
    var start = 0
    while at < value.byteCount {
      switch value[at] {
      case UInt8(ascii: "\""):
        let end = value.endOfString(from: at)
        at = end.isKey ? end.offset : add(value, start..<at, to: end.offset, isString: true)
        if !end.isKey { start = at }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        var end = at + 1
        while end < value.byteCount, value[end].isInNumber { end += 1 }
        at = add(value, start..<at, to: end, isString: false)
        start = at
      default: at += 1
      }
    }
    literals.append(value.extracting(start..<value.byteCount))
    if parts.count > Self.partLimit { self.depth = nil }
  }

  private mutating func add(
    _ value: RawSpan, _ literal: Range<Int>, to end: Int, isString: Bool
  ) -> Int {
    if parts.count <= Self.partLimit {
      literals.append(value.extracting(literal))
      parts.append(Part(end: literals.count, isString: isString))
    }
    return end
  }
}

extension JSONScanner {
  /// As `skipValue()`, but sooner done where the value is like those before.
  package mutating func skipValue(_ shape: inout JSONShape) throws(JSONError) -> Range<Int> {
    skipSpace()
    let start = position
    if shape.depth == depth, skip(like: shape) {
      shape.noteLikeness()
      return start..<position
    }
    position = start
    let range = try skipValue()
    shape.note(bytes.extracting(range), depth: depth)
    return range
  }

  /// Moves past a value of this shape; false, and somewhere within it, if it is of another.
  private mutating func skip(like shape: JSONShape) -> Bool {
    let literals = shape.literals.rawSpan
    var start = 0
    for part in shape.parts {
      guard skip(literals.extracting(start..<part.end)), position < bytes.byteCount
      else { return false }
      start = part.end
      do throws(JSONError) {
        if part.isString {
          guard bytes[position] == UInt8(ascii: "\"") else { return false }
          _ = try scanString()
        } else {
          guard bytes[position] != UInt8(ascii: "\"") else { return false }
          try skipNumber()
        }
      } catch { return false }
    }
    return skip(literals.extracting(start..<literals.byteCount))
  }

  private mutating func skip(_ literal: RawSpan) -> Bool {
    let end = position + literal.byteCount
    guard end <= bytes.byteCount, bytes.extracting(position..<end).equals(literal)
    else { return false }
    position = end
    return true
  }
}

extension RawSpan {
  /// Where the string of valid JSON that begins at `start` ends, and whether a colon follows, perhaps after space.
  fileprivate func endOfString(from start: Int) -> (offset: Int, isKey: Bool) {
    var at = start + 1
    while self[at] != UInt8(ascii: "\"") { at += self[at] == UInt8(ascii: "\\") ? 2 : 1 }
    at += 1
    var next = at
    while next < byteCount, self[next] <= 0x20 { next += 1 }
    return (at, next < byteCount && self[next] == UInt8(ascii: ":"))
  }
}

extension UInt8 {
  /// Whether a number may have this behind its first byte.
  fileprivate var isInNumber: Bool {
    self &- 0x30 < 10 || self == UInt8(ascii: ".") || self | 0x20 == UInt8(ascii: "e")
      || self == UInt8(ascii: "+") || self == UInt8(ascii: "-")
  }
}
