extension TextBuffer {
  /// Appends a JSON string.
  package func append(quoted text: String) {
    let isDone: Void? = unsafe text.utf8.withContiguousStorageIfAvailable {
      unsafe append(quoted: $0)
    }
    if isDone == nil {
      var text = text
      text.withUTF8 { unsafe append(quoted: $0) }
    }
  }

  /// Appends the text of another buffer as a JSON string.
  package func append(quoted other: TextBuffer) {
    unsafe append(
      quoted: UnsafeBufferPointer(
        start: UnsafePointer(other.state.pointee.base.assumingMemoryBound(to: UInt8.self)),
        count: other.count))
  }

  private func append(quoted text: UnsafeBufferPointer<UInt8>) {
    let start = unsafe end(withRoomFor: text.count + 2)
    unsafe start.storeBytes(of: UInt8(ascii: "\""), as: UInt8.self)
    let plain = unsafe Self.copyPlain(text, to: start + 1)
    unsafe state.pointee.length += plain + 1
    if plain < text.count { unsafe escape(UnsafeBufferPointer(rebasing: text[plain...])) }
    append(UInt8(ascii: "\""))
  }

  /// Copies the bytes that stand for themselves in a JSON string, up to the first that does not, and returns how many
  /// those are. There is room for all at `target`.
  private static func copyPlain(
    _ text: UnsafeBufferPointer<UInt8>, to target: UnsafeMutableRawPointer
  ) -> Int {
    guard let source = unsafe UnsafeRawPointer(text.baseAddress) else { return 0 }
    let count = text.count
    var at = 0
    while at + 8 <= count {
      guard unsafe copyPlain(UInt64.self, source, target, at: at) else { break }
      at += 8
    }
    // The last step may copy some bytes a second time.
    if count - at < 8, at < count {
      if count >= 8 {
        if unsafe copyPlain(UInt64.self, source, target, at: count - 8) { return count }
      } else if count >= 4, unsafe copyPlain(UInt32.self, source, target, at: 0),
        unsafe copyPlain(UInt32.self, source, target, at: count - 4)
      {
        return count
      }
    }
    while at < count {
      let byte = unsafe text[at]
      if byte < 0x20 || byte == 0x22 || byte == 0x5c { break }
      unsafe target.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
      at += 1
    }
    return at
  }

  /// Copies one word; false when it has, or seems to have, a byte that does not stand for itself.
  @inline(__always)
  private static func copyPlain<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Word.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, at offset: Int
  ) -> Bool {
    let word = unsafe source.loadUnaligned(fromByteOffset: offset, as: type)
    guard !hasSpecial(word) else { return false }
    unsafe target.storeBytes(of: word, toByteOffset: offset, as: type)
    return true
  }

  /// Whether one of the bytes is below 0x20, a quote or a backslash. A byte beside one that is may seem to be, too.
  @inline(__always)
  private static func hasSpecial<Word: FixedWidthInteger & UnsignedInteger>(_ word: Word) -> Bool {
    let ones = Word.max / 255
    let quotes = word ^ (ones &* 0x22)
    let backslashes = word ^ (ones &* 0x5c)
    let special =
      (word &- ones &* 0x20) & ~word | (quotes &- ones) & ~quotes
      | (backslashes &- ones) & ~backslashes
    return special & (ones &* 0x80) != 0
  }

  private func escape(_ text: UnsafeBufferPointer<UInt8>) {
    for index in 0..<text.count {
      let byte = unsafe text[index]
      switch byte {
      case 0x22: append("\\\"")
      case 0x5c: append("\\\\")
      case 0x08: append("\\b")
      case 0x09: append("\\t")
      case 0x0a: append("\\n")
      case 0x0c: append("\\f")
      case 0x0d: append("\\r")
      case 0..<0x20:
        append(byte < 0x10 ? "\\u000" : "\\u001")
        append(raw: String(byte & 15, radix: 16))
      default: append(byte)
      }
    }
  }
}
