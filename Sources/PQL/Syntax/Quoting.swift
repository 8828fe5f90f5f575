/// The text as a query's string literal. Everything that a terminal could act on is escaped.
package func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    case "\r": result += "\\r"
    default: result += escaped(scalar)
    }
  }
  return result + "\""
}

/// The scalar, or its escape when showing it could control a terminal or reorder the line.
package func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
    "\\u{\(String(scalar.value, radix: 16))}"
  default: String(scalar)
  }
}

/// Whether a path's name needs no quotes: a letter or `_`, then letters, digits, `_` and `-`.
func isPlainSegment(_ name: some StringProtocol) -> Bool {
  guard let first = name.unicodeScalars.first,
    first == "_" || first.isLetterOrDigit
  else { return false }
  switch first.properties.generalCategory {
  // A mark would join the dot or the quote before it to one character.
  case .decimalNumber, .nonspacingMark, .spacingMark, .enclosingMark: return false
  default: break
  }
  return name.unicodeScalars.allSatisfy { $0.isNameScalar || $0 == "-" }
}

/// Whether the text can name a column: an ASCII letter or `_`, then letters, digits and `_`.
func isColumnName(_ name: String) -> Bool {
  guard let first = name.unicodeScalars.first, first == "_" || first.isASCIILetter
  else { return false }
  return name.unicodeScalars.allSatisfy(\.isNameScalar)
}
