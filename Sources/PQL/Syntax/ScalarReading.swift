extension [UInt8] {
  /// The scalar whose encoding begins at `position`, and its length in bytes; nil when the bytes there
  /// are not UTF-8 (overlong forms, surrogates and values past U+10FFFF are not).
  package func scalar(at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    span.scalar(at: position)
  }

  /// The text of bytes that are known to be UTF-8.
  func text(_ range: Range<Int>) -> String {
    String(decoding: self[range], as: UTF8.self)
  }
}

extension Unicode.Scalar {
  /// Whether the scalar is a letter, a mark on one, or a digit of any script.
  var isLetterOrDigit: Bool {
    if isASCII { return isASCIILetter || isASCIIDigit }
    return switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber:
      true
    default: false
    }
  }

  var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

  var isASCIIDigit: Bool { ("0"..."9").contains(self) }

  /// Whether the scalar can stand inside a word.
  var isWordScalar: Bool {
    if isLetterOrDigit { return true }
    return switch self {
    case "_", ".", "/", "@", "*", "?", "%", "-": true
    default: false
    }
  }

  /// Whether the scalar can stand inside a name: a letter, a digit or `_`.
  var isNameScalar: Bool { self == "_" || isLetterOrDigit }
}
