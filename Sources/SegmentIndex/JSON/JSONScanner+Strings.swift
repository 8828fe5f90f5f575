package import JournalKit

extension JSONScanner {
  /// Reads a string. What is not UTF-8, and half a surrogate pair, reads as U+FFFD.
  public mutating func readString() throws(JSONError) -> String {
    skipSpace()
    guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "\"")
    else { throw error("expected a string") }
    let range = try scanString()
    return string(in: range)
  }

  /// Reads a string, if one comes next, as `readString()` does, and appends its UTF-8; false, and it stays unread, for
  /// any other value.
  package mutating func readString(into writer: inout ByteWriter) throws(JSONError) -> Bool {
    skipSpace()
    guard position < bytes.byteCount, bytes[position] == UInt8(ascii: "\"") else { return false }
    let start = position + 1
    position = bytes.firstSpecialIndex(from: start)
    if position < bytes.byteCount, bytes[position] == UInt8(ascii: "\"") {
      writer.append(bytes.extracting(start..<position))
      position += 1
      return true
    }
    position = start - 1
    append(stringIn: try scanString(), to: &writer)
    return true
  }

  /// As `nextKey()`, but appends the key's UTF-8, as good as the input's; false when the object has ended.
  package mutating func nextKey(into writer: inout ByteWriter) throws(JSONError) -> Bool {
    guard try advanceInObject() else { return false }
    guard try readString(into: &writer) else { throw error("expected a key") }
    try readColon()
    return true
  }

  /// Reads a string that is an identity in its usual form; nil, and it stays unread, for any other value.
  package mutating func readUniqueID() -> UniqueID? {
    skipSpace()
    let start = position + 1
    let end = start + UniqueID.textByteCount
    // What makes an identity needs no escapes.
    guard end < bytes.byteCount, bytes[position] == UInt8(ascii: "\""),
      bytes[end] == UInt8(ascii: "\""), let id = UniqueID(utf8: bytes.extracting(start..<end))
    else { return nil }
    position = end + 1
    return id
  }

  /// The text that the bytes between two quotes stand for; `range` comes from `nextKeyRange()`.
  public func string(in range: Range<Int>) -> String {
    let raw = bytes.extracting(range)
    guard raw.firstIndex(of: UInt8(ascii: "\\")) != nil else { return raw.repairedString() }
    var text = ByteWriter()
    append(stringIn: range, to: &text)
    return text.bytes.rawSpan.repairedString()
  }

  /// Appends the UTF-8, as good as the input's, that the bytes between two quotes stand for.
  package func append(stringIn range: Range<Int>, to writer: inout ByteWriter) {
    let raw = bytes.extracting(range)
    var at = 0
    while let escape = raw.firstIndex(of: UInt8(ascii: "\\"), from: at) {
      writer.append(raw.extracting(at..<escape))
      at = escape + 2
      switch raw[escape + 1] {
      case UInt8(ascii: "b"): writer.byte(0x08)
      case UInt8(ascii: "t"): writer.byte(0x09)
      case UInt8(ascii: "n"): writer.byte(0x0a)
      case UInt8(ascii: "f"): writer.byte(0x0c)
      case UInt8(ascii: "r"): writer.byte(0x0d)
      case UInt8(ascii: "u"): writer.bytes.append(contentsOf: raw.escapedScalar(at: &at))
      case let literal: writer.byte(literal)
      }
    }
    writer.append(raw.extracting(at..<raw.byteCount))
  }

  /// Validates the string whose opening quote is at `position`, moves past it and returns the range
  /// between its quotes.
  @inline(__always)
  mutating func scanString() throws(JSONError) -> Range<Int> {
    let start = position + 1
    position = start
    while true {
      position = bytes.firstSpecialIndex(from: position)
      guard position < bytes.byteCount else { throw error("unterminated string") }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return start..<position - 1
      case UInt8(ascii: "\\"):
        try scanEscape()
      default:
        throw error("control character in a string")
      }
    }
  }

  /// Validates the escape at `position` and moves past it.
  private mutating func scanEscape() throws(JSONError) {
    guard position + 1 < bytes.byteCount else { throw error("unterminated string") }
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      guard bytes.hexadecimal(at: position + 2) != nil
      else { throw error("expected four hexadecimal digits after \\u") }
      position += 6
    default:
      throw error("unknown escape")
    }
  }
}

extension RawSpan {
  /// The index of the first `byte` at or after `start`.
  ///
  /// Sixteen bytes at a time: the lowest high bit of `(x - 0x01…) & ~x & 0x80…` is set in the first byte of `x` that is
  /// zero.
  package func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
    var at = start
    let ones: UInt64 = 0x0101_0101_0101_0101
    while at <= byteCount - 16 {
      let first = littleEndian(UInt64.self, at: at) ^ (ones &* UInt64(byte))
      let second = littleEndian(UInt64.self, at: at + 8) ^ (ones &* UInt64(byte))
      let hits = (first &- ones) & ~first & (ones &* 0x80)
      let later = (second &- ones) & ~second & (ones &* 0x80)
      if hits | later != 0 {
        return hits != 0
          ? at + hits.trailingZeroBitCount / 8 : at + 8 + later.trailingZeroBitCount / 8
      }
      at += 16
    }
    while at < byteCount {
      if self[at] == byte { return at }
      at += 1
    }
    return nil
  }

  /// The index, at or after `start`, of the first quote, backslash or control character; the count when
  /// there is none.
  ///
  /// Eight bytes at a time: `(x - 0x01…) & ~x & 0x80…` has a high bit set where `x` has a zero byte (and,
  /// through a borrow, perhaps after it, so the lowest one is right); the same with `0x20…` finds the
  /// bytes below 0x20.
  @inline(__always)
  func firstSpecialIndex(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var at = start
    while at <= byteCount - 8 {
      let word = littleEndian(UInt64.self, at: at)
      let quotes = word ^ (ones &* 0x22)
      let backslashes = word ^ (ones &* 0x5c)
      let hits =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
          | (word &- ones &* 0x20) & ~word) & highs
      if hits != 0 { return at + hits.trailingZeroBitCount / 8 }
      at += 8
    }
    while at < byteCount {
      let byte = self[at]
      if byte < 0x20 || byte == 0x22 || byte == 0x5c { return at }
      at += 1
    }
    return byteCount
  }

  /// The value of the four hexadecimal digits at `start`; nil when they are not that.
  fileprivate func hexadecimal(at start: Int) -> UInt32? {
    guard start + 4 <= byteCount else { return nil }
    var value: UInt32 = 0
    for at in start..<start + 4 {
      let digit: UInt8
      switch self[at] {
      case let byte where byte &- 0x30 < 10: digit = byte - 0x30
      case let byte where (byte | 0x20) &- 0x61 < 6: digit = (byte | 0x20) - 0x61 + 10
      default: return nil
      }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// The UTF-8 of the scalar whose validated `\u` escape has its digits at `at`; moves past it, and past
  /// the low half of a surrogate pair when one follows.
  fileprivate func escapedScalar(at: inout Int) -> Unicode.UTF8.EncodedScalar {
    let replacement: Unicode.Scalar = "\u{fffd}"
    var value = hexadecimal(at: at) ?? replacement.value
    at += 4
    if (0xd800..<0xdc00).contains(value), at + 6 <= byteCount, self[at] == 0x5c,
      self[at + 1] == 0x75, let low = hexadecimal(at: at + 2), (0xdc00..<0xe000).contains(low)
    {
      value = 0x10000 + (value - 0xd800) << 10 + (low - 0xdc00)
      at += 6
    }
    return UTF8.encode(Unicode.Scalar(value) ?? replacement) ?? UTF8.encodedReplacementCharacter
  }
}
