/// Cuts a query's text into tokens.
///
/// It accepts any bytes: what is not a token becomes a diagnostic, and reading goes on after it.
package struct Lexer {
  private let bytes: [UInt8]
  private var position = 0
  private var tokens: [Token] = []
  private var diagnostics: [Diagnostic] = []

  /// The tokens of `bytes`, ending with one `.end`, and what was wrong. Tokens are worth parsing only
  /// when nothing was.
  package static func tokenize(_ bytes: [UInt8]) -> (tokens: [Token], diagnostics: [Diagnostic]) {
    guard bytes.count <= SyntaxLimits.textByteCount else {
      let message = "the query has \(bytes.count) bytes; the limit is \(SyntaxLimits.textByteCount)"
      return ([], [Diagnostic(.textTooLong, message, at: 0..<0)])
    }
    var lexer = Lexer(bytes)
    lexer.run()
    return (lexer.tokens, lexer.diagnostics)
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private mutating func run() {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { position = 3 }
    while position < bytes.count, diagnostics.count < Diagnostics.limit {
      guard let (scalar, length) = bytes.scalar(at: position) else {
        report(.invalidUTF8, "the query is not UTF-8", length: 1)
        return
      }
      guard !takeSpace(scalar) else { continue }
      guard tokens.count < SyntaxLimits.tokenCount else {
        let limit = "the limit is \(SyntaxLimits.tokenCount)"
        report(.tooManyTokens, "the query has too many words and signs; \(limit)", length: length)
        return
      }
      takeToken(scalar, length)
    }
    append(.end, length: 0)
  }

  // MARK: Reading

  private func byte(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  private func isSpace(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }

  private mutating func append(_ kind: Token.Kind, length: Int, text: String? = nil) {
    let range = position..<position + length
    tokens.append(Token(kind: kind, text: text ?? bytes.text(range), range: range))
    position = range.upperBound
  }

  /// Notes a problem and steps over it.
  private mutating func report(
    _ code: DiagnosticCode, _ message: String, length: Int,
    _ adorn: (Diagnostic) -> Diagnostic = { $0 }
  ) {
    let range = position..<position + length
    diagnostics.append(adorn(Diagnostic(code, message, at: range)))
    position = range.upperBound
  }

  /// The end of the run of scalars from `start` on that satisfy `condition`. It stops at bytes that are
  /// not UTF-8.
  private func endOfRun(from start: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
    var end = start
    while end < bytes.count, let (scalar, length) = bytes.scalar(at: end), condition(scalar) {
      end += length
    }
    return end
  }

  // MARK: Tokens

  /// Steps over white space and comments.
  private mutating func takeSpace(_ scalar: Unicode.Scalar) -> Bool {
    if isSpace(byte()) {
      position += 1
      return true
    }
    guard scalar == "#" else { return false }
    guard position == 0 || isSpace(bytes[position - 1]) else {
      report(.commentInsideWord, "`#` begins a comment only after a space", length: 1) {
        $0.helping("to search for text with `#` in it, quote the text")
      }
      return true
    }
    // Straight to the end of the line, but not over bytes that are not text.
    position = endOfRun(from: position) { $0 != "\n" }
    return true
  }

  private mutating func takeToken(_ scalar: Unicode.Scalar, _ length: Int) {
    switch scalar {
    case "\"", "'": takeString(quote: bytes[position])
    case "$": takeParameter()
    case "(": append(.leftParenthesis, length: 1)
    case ")": append(.rightParenthesis, length: 1)
    case "[": append(.leftBracket, length: 1)
    case "]": append(.rightBracket, length: 1)
    case ",": append(.comma, length: 1)
    case "-" where byte(1) != UInt8(ascii: "-"):
      let touches = byte(1) != nil && !isSpace(byte(1))
      append(touches ? .minus : .arithmetic, length: 1)
    case "+": append(.arithmetic, length: 1)
    case "=", "<", ">", "~", ":", "!", "&", "|", "-": takeOperator()
    default:
      if scalar.isWordScalar {
        takeWord()
      } else {
        rejectScalar(scalar, length)
      }
    }
  }

  private mutating func takeOperator() {
    let pair = bytes.text(position..<min(position + 2, bytes.count))
    switch pair {
    case "!=", "<=", ">=", "!~", "!:": append(.comparison, length: 2)
    case "==": append(.comparison, length: 2, text: "=")
    case "&&", "||", "=~", "~=", "<>", "|=", "--": rejectForeign(pair)
    default:
      switch bytes[position] {
      case UInt8(ascii: "|"): append(.pipe, length: 1)
      case UInt8(ascii: "&"), UInt8(ascii: "!"):
        let sign = String(Unicode.Scalar(bytes[position]))
        report(.foreignOperator, "`\(sign)` is not PQL", length: 1) {
          $0.fixing(with: sign == "&" ? " and " : "not ", "write \(sign == "&" ? "and" : "not")")
        }
      default: append(.comparison, length: 1)
      }
    }
  }

  private mutating func rejectForeign(_ pair: String) {
    let replacement =
      switch pair {
      case "&&": " and "
      case "||": " or "
      case "<>": "!="
      case "|=": ":"
      default: "~"
      }
    report(.foreignOperator, "`\(pair)` is not PQL", length: 2) {
      pair == "--"
        ? $0.helping("to leave a word out write -word; to search for `--` quote it")
        : $0.fixing(with: replacement, "write \(replacement.filter { $0 != " " })")
    }
  }

  private mutating func takeParameter() {
    let end = endOfRun(from: position + 1, while: \.isNameScalar)
    guard let first = byte(1), Unicode.Scalar(first).isASCIILetter || first == UInt8(ascii: "_")
    else {
      report(.namelessParameter, "`$` needs a parameter's name", length: 1) {
        $0.helping("write a name that begins with a letter, such as $user, or quote the text")
      }
      return
    }
    append(.parameter, length: end - position)
  }

  private mutating func takeWord() {
    if let last = tokens.last, last.kind == .string, last.range.upperBound == position,
      byte() != UInt8(ascii: ".")
    {
      rejectTouch("a word touches a quoted text")
      return
    }
    if let length = timeLength() {
      append(.time, length: length)
      return
    }
    let end = endOfRun(from: position, while: \.isWordScalar)
    let word = bytes.text(position..<end)
    guard word.unicodeScalars.contains(where: \.isLetterOrDigit) else {
      takePunctuation(word, length: end - position)
      return
    }
    append(Lexer.kind(ofWord: word), length: end - position)
  }

  /// The length of the date or time that begins here, unless it is only the beginning of a longer word.
  private func timeLength() -> Int? {
    guard let length = TimeLiteral.length(in: bytes[position...]) else { return nil }
    let end = position + length
    guard end < bytes.count, let next = bytes.scalar(at: end) else { return length }
    return next.scalar.isWordScalar ? nil : length
  }

  private static func kind(ofWord word: String) -> Token.Kind {
    guard word.utf8.first.map({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) == true
    else { return .word }
    if NumberText.matches(word) { return .number }
    if Quantity.duration(word) != nil { return .duration }
    return Quantity.size(word) != nil ? .size : .word
  }

  private mutating func takePunctuation(_ word: String, length: Int) {
    switch word {
    case "*": append(.star, length: 1)
    case "/": append(.arithmetic, length: 1)
    case "." where byte(1) == UInt8(ascii: "\""): append(.dot, length: 1)
    default:
      report(.notAWord, "`\(abbreviated(word))` is not a word", length: length) {
        $0.fixing(with: quoted(word), "to search for it write \(quoted(word))")
      }
    }
  }

  private mutating func rejectScalar(_ scalar: Unicode.Scalar, _ length: Int) {
    switch scalar {
    case "\u{201c}", "\u{201d}", "\u{201e}", "\u{2018}", "\u{2019}", "\u{201a}":
      report(.unexpectedCharacter, "`\(scalar)` is a typographic quote", length: length) {
        $0.fixing(with: "\"", "write a straight quote")
      }
    case "\u{a0}":
      report(.unexpectedCharacter, "this space is a no-break space", length: length) {
        $0.fixing(with: " ", "write an ordinary space")
      }
    case _ where scalar.value < 0x20 || scalar.value == 0x7f:
      let name = "U+" + String(scalar.value + 0x1_0000, radix: 16, uppercase: true).dropFirst()
      report(.controlCharacter, "the query holds the control character \(name)", length: length) {
        $0.helping("in a quoted text write it as \\u{\(String(scalar.value, radix: 16))}")
      }
    default:
      report(.unexpectedCharacter, "unexpected character `\(escaped(scalar))`", length: length) {
        $0.helping("to search for it, quote the text it stands in")
      }
    }
  }
}

// MARK: Strings

extension Lexer {
  private mutating func takeString(quote: UInt8) {
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
  private mutating func rejectTouch(_ message: String) {
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
