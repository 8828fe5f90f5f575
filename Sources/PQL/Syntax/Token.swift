/// One word or sign of a query.
package struct Token: Sendable, Equatable {
  /// What the lexer can tell without grammar.
  package enum Kind: Sendable, Equatable {
    /// A run of letters, digits and `_ . / @ * ? % -`.
    case word
    /// A word that reads as a number.
    case number
    /// A word that reads as a duration.
    case duration
    /// A word that reads as a size.
    case size
    /// A date, or a date and a time.
    case time
    /// Quoted text; the token's text is what it means.
    case string
    /// `$name`.
    case parameter
    /// A comparison.
    case comparison
    /// `*` alone: everything, or multiplication.
    case star
    /// `+`, `/`, or `-` before a space.
    case arithmetic
    /// `-` that touches what follows.
    case minus
    /// `.` before a quoted name.
    case dot
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, comma, pipe
    /// The end of the text.
    case end
  }

  package let kind: Kind
  /// As written; for strings what they mean.
  package let text: String
  /// The token's bytes in the query.
  package let range: Range<Int>

  /// The token as a message quotes it.
  package var described: String {
    switch kind {
    case .end: "the end of the query"
    case .string: "a quoted text"
    default: "`\(abbreviated(text))`"
    }
  }
}

/// The text, cut where a message would become unreadable.
package func abbreviated(_ text: String) -> String {
  text.unicodeScalars.count <= 40
    ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(39))) + "…"
}
