import PQL

extension StringProtocol {
  /// The text as a terminal may show it: what could move its cursor, change its state or reorder
  /// the line stands as an escape. Log text is hostile until shown otherwise.
  package var terminalSafe: String {
    if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return String(self) }
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      // They join letters and emoji, and do nothing else.
      case "\u{200c}", "\u{200d}": result.unicodeScalars.append(scalar)
      default: result += escaped(scalar)
      }
    }
    return result
  }
}
