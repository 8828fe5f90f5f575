extension [UInt8] {
  /// The scalar whose encoding begins at `position`, and its length in bytes; nil when the bytes there
  /// are not UTF-8 (overlong forms, surrogates and values past U+10FFFF are not).
  package func scalar(at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    let lead = self[position]
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    let length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
    guard lead >= 0xc2, lead <= 0xf4, position + length <= count else { return nil }
    var value = UInt32(lead) & (0x7f >> UInt32(length))
    for byte in self[position + 1..<position + length] {
      guard byte & 0xc0 == 0x80 else { return nil }
      value = value << 6 | UInt32(byte & 0x3f)
    }
    let smallest: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x1_0000
    guard value >= smallest, let scalar = Unicode.Scalar(value) else { return nil }
    return (scalar, length)
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
