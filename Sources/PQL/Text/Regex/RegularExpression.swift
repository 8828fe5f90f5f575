/// A regular expression: the operator `~`. It asks whether a text has a match anywhere, and nothing else.
///
/// Time is bounded by the product of the sizes of the expression and the text, whatever they are.
///
/// - Scalars stand for themselves; case matters unless `(?i)` or `(?i:...)` says otherwise, which folds case
///   scalar by scalar as the operator `:` does. Spellings are not normalised.
/// - `.` is any scalar but a newline, with `(?s)` any. `[a-z_]`, `[^0-9]` are classes.
/// - `\d`, `\w`, `\s`, their opposites `\D`, `\W`, `\S`, and the places `\b`, `\B` know ASCII alone.
/// - `^` and `$` are the start and the end of the whole text.
/// - `|`, `(...)`, `(?:...)`, `*`, `+`, `?`, `{2}`, `{2,}`, `{2,5}`.
/// - `\n`, `\r`, `\t`, `\f`, `\v`, `\x41`, `\u0041`, `\x{1F600}`; `\` before any other sign is the sign.
///
/// Bytes that are not UTF-8 match nothing, not even `.` or `[^a]`, but do not keep the rest of the text from
/// matching.
package struct RegularExpression: Sendable, Hashable {
  /// The expression as written.
  package let pattern: String
  let program: RegexProgram
  /// Bytes that every text has that matches, if there are any.
  package let requiredLiteral: ByteSearch?
  /// Whether every text matches that has the required literal.
  package let isLiteral: Bool

  /// Reads and compiles an expression of at most 1,024 bytes.
  package init(_ pattern: String) throws(RegexError) {
    self.pattern = pattern
    let tree = try RegexParser.parse(pattern)
    program = try RegexProgram(tree, patternByteCount: pattern.utf8.count)
    let literal = RegexLiteral(tree)
    requiredLiteral = literal?.search
    isLiteral = literal?.isWhole ?? false
  }

  /// How many states the compiled expression has.
  package var stateCount: Int { program.states.count }

  /// Whether there is a match in `text`, by simulation alone. It keeps nothing for the next text: to test
  /// many, make a `RegexMatcher`.
  package func matches(_ text: String) -> Bool {
    matches(Array(text.utf8).span)
  }

  /// Whether there is a match in the UTF-8 `text`, as above.
  package func matches(_ text: Span<UInt8>) -> Bool {
    var threads = RegexThreads(program)
    return threads.matches(text)
  }

  package static func == (left: RegularExpression, right: RegularExpression) -> Bool {
    left.pattern.isSameText(as: right.pattern)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(text: pattern)
  }
}

extension RegexThreads {
  /// Whether there is a match in `text`.
  mutating func matches(_ text: Span<UInt8>) -> Bool {
    restart()
    for position in text.indices {
      if isMatch || isDead { return isMatch }
      advance(over: text[position])
    }
    if !isMatch { finish() }
    return isMatch
  }
}
