/// Quoted text.
extension Lexer {
  /// Reads a quoted text, which must not touch a word.
  mutating func takeString(quote: UInt8) {
    if let last = tokens.last, last.range.upperBound == position, touchesQuote(last) {
      rejectTouch("a quote touches a word")
      return
    }
    quote == UInt8(ascii: "'") ? takeRawString() : takeEscapedString()
  }

  /// Whether a quote right after `token` is a mistake; `tag."user id"` is not.
  private func touchesQuote(_ token: Token) -> Bool {
    switch token.kind {
    case .word: !token.text.hasSuffix(".")
    case .string, .number, .duration, .size, .time, .parameter: true
    default: false
    }
  }

  /// Refuses a quote in or after a word, and proposes to quote the whole of it.
  mutating func rejectTouch(_ message: String) {
    let start = tokens.last?.range.lowerBound ?? position
    let end = endOfRun(from: position) { !$0.properties.isWhitespace && $0 != ")" && $0 != "|" }
    let whole = bytes.text(start..<end)
    let edits = [Diagnostic.Edit(range: start..<end, replacement: quoted(whole))]
    let length = bytes.scalar(at: position)?.length ?? 1
    diagnostics.append(
      Diagnostic(.touchingQuote, message, at: position..<position + length)
        .helping("add a space, or quote the whole: \(quoted(abbreviated(whole)))", edits: edits))
    position = end
  }

  private mutating func takeRawString() {
    let end = endOfRun(from: position + 1) { $0 != "'" && $0.isAllowedInText }
    takeClosed(at: end, quote: UInt8(ascii: "'"), meaning: bytes.text(position + 1..<end))
  }

  private mutating func takeEscapedString() {
    var meaning = ""
    var end = position + 1
    while true {
      let run = endOfRun(from: end) { $0 != "\"" && $0 != "\\" && $0.isAllowedInText }
      meaning += bytes.text(end..<run)
      end = run
      guard end < bytes.count, bytes[end] == UInt8(ascii: "\\") else { break }
      guard let (scalar, length) = escape(at: end) else {
        let start = position
        position = end
        report(.unknownEscape, "unknown escape in a quoted text", length: 1) {
          $0.noting("the escapes are \\\" \\\\ \\n \\t \\r and \\u{1F600}")
            .helping("write \\\\ for a backslash, or use '...', where nothing is escaped")
        }
        skipString(from: start)
        return
      }
      meaning.unicodeScalars.append(scalar)
      end += length
    }
    takeClosed(at: end, quote: UInt8(ascii: "\""), meaning: meaning)
  }

  /// The scalar that the escape at `start` stands for, and the escape's length.
  private func escape(at start: Int) -> (Unicode.Scalar, Int)? {
    guard start + 1 < bytes.count else { return nil }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): return ("\"", 2)
    case UInt8(ascii: "\\"): return ("\\", 2)
    case UInt8(ascii: "n"): return ("\n", 2)
    case UInt8(ascii: "t"): return ("\t", 2)
    case UInt8(ascii: "r"): return ("\r", 2)
    case UInt8(ascii: "u"):
      guard start + 2 < bytes.count, bytes[start + 2] == UInt8(ascii: "{") else { return nil }
      let end = endOfRun(from: start + 3) { $0.isASCII && $0.properties.isASCIIHexDigit }
      guard end < bytes.count, bytes[end] == UInt8(ascii: "}"), 1...6 ~= end - (start + 3),
        let value = UInt32(bytes.text(start + 3..<end), radix: 16),
        let scalar = Unicode.Scalar(value)
      else { return nil }
      return (scalar, end + 1 - start)
    default: return nil
    }
  }

  /// Finishes the string that begins at `position` if its closing quote stands at `end`.
  private mutating func takeClosed(at end: Int, quote: UInt8, meaning: String) {
    guard end < bytes.count else {
      report(.unterminatedString, "this quoted text is never closed", length: 1) {
        let mark = String(Unicode.Scalar(quote))
        return $0.helping(
          "close it with \(mark)", edits: [.init(range: end..<end, replacement: mark)])
      }
      position = bytes.count
      return
    }
    guard bytes[end] == quote else {
      // A control character or bytes that are not UTF-8: the main loop says which.
      position = end
      return
    }
    append(.string, length: end + 1 - position, text: meaning)
  }

  /// Continues after a string with a bad escape, so that its contents are not read as a query.
  private mutating func skipString(from start: Int) {
    var escaping = false
    position = endOfRun(from: start + 1) { scalar in
      guard scalar.isAllowedInText else { return false }
      defer { escaping = !escaping && scalar == "\\" }
      return escaping || scalar != "\""
    }
    if byte() == UInt8(ascii: "\"") { position += 1 }
  }
}

extension Unicode.Scalar {
  /// Whether a query may hold the scalar as it is: any but the control characters, of which only tab,
  /// carriage return and line feed are text.
  fileprivate var isAllowedInText: Bool {
    value >= 0x20 && value != 0x7f || self == "\t" || self == "\r" || self == "\n"
  }
}
