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

extension Unicode.Scalar {
  fileprivate var displayWidth: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    let wide = Self.wideRanges
    guard let first = wide.first, value >= first.lowerBound else { return 1 }
    return wide.contains { $0.contains(value) } ? 2 : 1
  }

  /// The blocks whose characters are wide or full-width (Unicode Standard Annex 11), and the
  /// symbols that terminals show as emoji.
  private static let wideRanges: [ClosedRange<UInt32>] = [
    0x1100...0x115f, 0x231a...0x231b, 0x2329...0x232a, 0x23e9...0x23ec, 0x23f0...0x23f0,
    0x23f3...0x23f3, 0x25fd...0x25fe, 0x2614...0x2615, 0x2648...0x2653, 0x267f...0x267f,
    0x2693...0x2693, 0x26a1...0x26a1, 0x26aa...0x26ab, 0x26bd...0x26be, 0x26c4...0x26c5,
    0x26ce...0x26ce, 0x26d4...0x26d4, 0x26ea...0x26ea, 0x26f2...0x26f3, 0x26f5...0x26f5,
    0x26fa...0x26fa, 0x26fd...0x26fd, 0x2705...0x2705, 0x270a...0x270b, 0x2728...0x2728,
    0x274c...0x274c, 0x274e...0x274e, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27b0...0x27b0, 0x27bf...0x27bf, 0x2b1b...0x2b1c, 0x2b50...0x2b50, 0x2b55...0x2b55,
    0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0xa4cf, 0xa960...0xa97c,
    0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff01...0xff60,
    0xffe0...0xffe6, 0x16fe0...0x18aff, 0x1aff0...0x1b2ff, 0x1f004...0x1f004,
    0x1f0cf...0x1f0cf, 0x1f18e...0x1f18e, 0x1f191...0x1f19a, 0x1f1e6...0x1f202,
    0x1f210...0x1f23b, 0x1f240...0x1f248, 0x1f250...0x1f251, 0x1f260...0x1f265,
    0x1f300...0x1f320, 0x1f32d...0x1f335, 0x1f337...0x1f37c, 0x1f37e...0x1f393,
    0x1f3a0...0x1f3ca, 0x1f3cf...0x1f3d3, 0x1f3e0...0x1f3f0, 0x1f3f4...0x1f3f4,
    0x1f3f8...0x1f43e, 0x1f440...0x1f440, 0x1f442...0x1f4fc, 0x1f4ff...0x1f53d,
    0x1f54b...0x1f54e, 0x1f550...0x1f567, 0x1f57a...0x1f57a, 0x1f595...0x1f596,
    0x1f5a4...0x1f5a4, 0x1f5fb...0x1f64f, 0x1f680...0x1f6c5, 0x1f6cc...0x1f6cc,
    0x1f6d0...0x1f6d2, 0x1f6d5...0x1f6d7, 0x1f6dc...0x1f6df, 0x1f6eb...0x1f6ec,
    0x1f6f4...0x1f6fc, 0x1f7e0...0x1f7eb, 0x1f7f0...0x1f7f0, 0x1f90c...0x1f93a,
    0x1f93c...0x1f945, 0x1f947...0x1f9ff, 0x1fa70...0x1faff, 0x20000...0x3fffd,
  ]
}
