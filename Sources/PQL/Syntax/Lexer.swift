/// Cuts a query's text into tokens.
///
/// It accepts any bytes: what is not a token becomes a diagnostic, and reading goes on after it.
package struct Lexer {
  let bytes: [UInt8]
  /// Where the text begins: after a byte order mark.
  private let start: Int
  private let tokenLimit: Int
  var position = 0
  var tokens: [Token] = []
  var diagnostics: [Diagnostic] = []

  /// The tokens of `bytes`, ending with one `.end`, and what was wrong. Tokens are worth parsing only
  /// when nothing was.
  package static func tokenize(
    _ bytes: [UInt8], _ limits: SyntaxLimits = .standard
  ) -> (tokens: [Token], diagnostics: [Diagnostic]) {
    guard bytes.count <= limits.textByteCount else {
      let message = "the query has \(bytes.count) bytes; the limit is \(limits.textByteCount)"
      return ([], [Diagnostic(.textTooLong, message, at: 0..<0)])
    }
    var lexer = Lexer(bytes, tokenLimit: limits.tokenCount)
    lexer.run()
    return (lexer.tokens, lexer.diagnostics)
  }

  private init(_ bytes: [UInt8], tokenLimit: Int) {
    self.bytes = bytes
    self.tokenLimit = tokenLimit
    start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }

  private mutating func run() {
    position = start
    while position < bytes.count, diagnostics.count < Diagnostics.limit {
      guard let (scalar, length) = bytes.scalar(at: position) else {
        report(.invalidUTF8, "the query is not UTF-8", length: 1)
        return
      }
      guard !takeSpace(scalar) else { continue }
      guard tokens.count < tokenLimit else {
        let limit = "the limit is \(tokenLimit)"
        report(.tooManyTokens, "the query has too many words and signs; \(limit)", length: length)
        return
      }
      takeToken(scalar, length)
    }
    append(.end, length: 0)
  }

  // MARK: Reading

  func byte(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  func isSpace(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
    default: false
    }
  }

  mutating func append(_ kind: Token.Kind, length: Int, text: String? = nil) {
    let range = position..<position + length
    tokens.append(Token(kind: kind, text: text ?? bytes.text(range), range: range))
    position = range.upperBound
  }

  /// Notes a problem and steps over it.
  mutating func report(
    _ code: DiagnosticCode, _ message: String, length: Int,
    _ adorn: (Diagnostic) -> Diagnostic = { $0 }
  ) {
    let range = position..<position + length
    diagnostics.append(adorn(Diagnostic(code, message, at: range)))
    position = range.upperBound
  }

  /// The end of the run of scalars from `start` on that satisfy `condition`. It stops at bytes that are
  /// not UTF-8.
  func endOfRun(from start: Int, while condition: (Unicode.Scalar) -> Bool) -> Int {
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
    guard position == start || isSpace(bytes[position - 1]) else {
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
    case "&&", "||", "=~", "~=", "<>", "=>", "=<", "|=", "--": rejectForeign(pair)
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
      case "=>": ">="
      case "=<": "<="
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
