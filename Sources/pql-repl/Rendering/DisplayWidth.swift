import PQL

// How many columns a terminal gives to text.

extension Character {
  /// Columns: 2 for East Asian wide characters and emoji, 0 for a lone combining mark, else 1.
  ///
  /// A grapheme cluster is as wide as its widest scalar, except that the emoji selector makes a
  /// narrow symbol wide and two regional indicators make one wide flag.
  package var displayWidth: Int {
    var width = 0
    for scalar in unicodeScalars {
      if scalar == "\u{fe0f}" { return 2 }
      width = max(width, scalar.displayWidth)
    }
    return width
  }
}

extension StringProtocol {
  /// Columns, if the text holds nothing that moves the cursor.
  package var displayWidth: Int {
    // Most log text is ASCII, where every byte is a column.
    if utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// The text cut to `width` columns, on the border of a grapheme cluster, with `…` where it was
  /// cut.
  package func truncated(toWidth width: Int) -> String {
    guard displayWidth > width else { return String(self) }
    var used = 0
    let kept = prefix { character in
      used += character.displayWidth
      return used < width
    }
    return width > 0 ? kept + "…" : ""
  }

  /// The text with spaces up to `width` columns.
  package func padded(toWidth width: Int, onLeft: Bool = false) -> String {
    let space = String(repeating: " ", count: Swift.max(0, width - displayWidth))
    return onLeft ? space + self : self + space
  }
}
