import PQL

/// What a regular expression means, in the plainest form: from a set of places to the set of places where
/// a match that begins there can end. It shares nothing with the engine.
indirect enum RegexModel {
  case scalar(Unicode.Scalar)
  /// `.`, with `(?s)` if newlines are among it.
  case any(newlineToo: Bool)
  case scalars([ClosedRange<Unicode.Scalar>], inverted: Bool)
  /// One of `\d \D \w \W \s \S`.
  case kind(Character)
  /// One of `^ $ \b \B`.
  case place(Character)
  case sequence([RegexModel])
  case choice([RegexModel])
  case repetition(RegexModel, Int, Int?, lazy: Bool)
  /// `(?i:...)` or `(?-i:...)`.
  case ignoringCase(Bool, RegexModel)
}

// MARK: Meaning

extension RegexModel {
  /// Whether there is a match anywhere in `text`.
  func matches(_ text: [UInt8]) -> Bool {
    !ends(Set(0...text.count), ModelText(bytes: text), ignoresCase: false).isEmpty
  }

  private func ends(_ starts: Set<Int>, _ text: ModelText, ignoresCase: Bool) -> Set<Int> {
    switch self {
    case .scalar(let scalar):
      after(starts, text) { isSame($0, scalar, ignoresCase) }
    case .any(let newlineToo): after(starts, text) { newlineToo || $0 != "\n" }
    case .scalars(let ranges, let inverted):
      after(starts, text) { scalar in
        let variants = ignoresCase ? Self.variants(of: scalar) : [scalar]
        return variants.contains { one in ranges.contains { $0.contains(one) } } != inverted
      }
    case .kind(let letter): after(starts, text) { Self.isOfKind(letter, $0) }
    case .place(let letter): starts.filter { text.isPlace(letter, $0) }
    case .sequence(let parts):
      parts.reduce(starts) { $1.ends($0, text, ignoresCase: ignoresCase) }
    case .choice(let parts):
      parts.reduce(into: []) { $0.formUnion($1.ends(starts, text, ignoresCase: ignoresCase)) }
    case .repetition(let part, let minimum, let maximum, _):
      repeated(part, minimum, maximum, starts, text, ignoresCase)
    case .ignoringCase(let ignoresCase, let part):
      part.ends(starts, text, ignoresCase: ignoresCase)
    }
  }

  private func after(
    _ starts: Set<Int>, _ text: ModelText, _ accepts: (Unicode.Scalar) -> Bool
  ) -> Set<Int> {
    Set(
      starts.compactMap { start in
        text.scalar(at: start).flatMap { accepts($0.scalar) ? start + $0.length : nil }
      })
  }

  private func repeated(
    _ part: RegexModel, _ minimum: Int, _ maximum: Int?, _ starts: Set<Int>, _ text: ModelText,
    _ ignoresCase: Bool
  ) -> Set<Int> {
    var places = starts
    for _ in 0..<minimum { places = part.ends(places, text, ignoresCase: ignoresCase) }
    var all = places
    // More rounds than there are places add nothing.
    for _ in 0..<min(maximum.map { $0 - minimum } ?? .max, text.bytes.count + 1) {
      places = part.ends(places, text, ignoresCase: ignoresCase)
      all.formUnion(places)
    }
    return all
  }

  private func isSame(
    _ left: Unicode.Scalar, _ right: Unicode.Scalar, _ ignoresCase: Bool
  ) -> Bool {
    left == right || ignoresCase && Self.folded(left) == Self.folded(right)
  }

  private static func isOfKind(_ letter: Character, _ scalar: Unicode.Scalar) -> Bool {
    switch letter {
    case "d": ("0"..."9").contains(scalar)
    case "w": ModelText.isWord(scalar)
    case "s": " \t\n\r\u{b}\u{c}".unicodeScalars.contains(scalar)
    case "D": !isOfKind("d", scalar)
    case "W": !isOfKind("w", scalar)
    default: !isOfKind("s", scalar)
    }
  }

  /// Simple case folding by the properties of the standard library.
  static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    if scalar == "ı" { return scalar }
    let upper = only(scalar.properties.uppercaseMapping) ?? scalar
    return only(upper.properties.lowercaseMapping) ?? upper
  }

  private static func only(_ text: String) -> Unicode.Scalar? {
    text.unicodeScalars.count == 1 ? text.unicodeScalars.first : nil
  }

  /// The variants of a scalar among those that the generator uses.
  private static func variants(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    [scalar] + RegexGenerator.alphabet.filter { folded($0) == folded(scalar) }
  }
}

/// A text that need not be UTF-8.
private struct ModelText {
  let bytes: [UInt8]

  func scalar(at position: Int) -> (scalar: Unicode.Scalar, length: Int)? {
    for length in 1...4 where position + length <= bytes.count {
      let part = bytes[position..<position + length]
      if let scalar = String(validating: part, as: UTF8.self)?.unicodeScalars.first {
        return (scalar, length)
      }
    }
    return nil
  }

  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
      || scalar == "_"
  }

  private func isWord(at position: Int) -> Bool {
    bytes.indices.contains(position) && Self.isWord(Unicode.Scalar(bytes[position]))
  }

  func isPlace(_ letter: Character, _ position: Int) -> Bool {
    let isBoundary = isWord(at: position - 1) != isWord(at: position)
    switch letter {
    case "^": return position == 0
    case "$": return position == bytes.count
    case "b": return isBoundary
    default:
      let isInside = position < bytes.count && 0x80...0xbf ~= bytes[position]
      return !isBoundary && !isInside
    }
  }
}

// MARK: Spelling

extension RegexModel {
  /// The expression as the language writes it.
  var pattern: String {
    switch self {
    case .scalar(let scalar): Self.spelled(scalar)
    case .any(let newlineToo): newlineToo ? "(?s:.)" : "."
    case .scalars(let ranges, let inverted):
      "[" + (inverted ? "^" : "")
        + ranges.map {
          $0.count == 1
            ? Self.spelled($0.lowerBound)
            : Self.spelled($0.lowerBound) + "-" + Self.spelled($0.upperBound)
        }.joined() + "]"
    case .kind(let letter): "\\\(letter)"
    case .place(let letter): "bB".contains(letter) ? "\\\(letter)" : String(letter)
    case .sequence(let parts): parts.map { $0.grouped { $0.isChoice } }.joined()
    case .choice(let parts): parts.map(\.pattern).joined(separator: "|")
    case .repetition(let part, let minimum, let maximum, let lazy):
      part.grouped { !$0.isAtom } + Self.quantifier(minimum, maximum) + (lazy ? "?" : "")
    case .ignoringCase(let ignoresCase, let part):
      (ignoresCase ? "(?i:" : "(?-i:") + part.pattern + ")"
    }
  }

  private func grouped(if needsGroup: (RegexModel) -> Bool) -> String {
    needsGroup(self) ? "(" + pattern + ")" : pattern
  }

  private var isChoice: Bool {
    if case .choice = self { true } else { false }
  }

  private var isAtom: Bool {
    switch self {
    case .scalar, .any, .scalars, .kind, .ignoringCase: true
    default: false
    }
  }

  private static func quantifier(_ minimum: Int, _ maximum: Int?) -> String {
    switch (minimum, maximum) {
    case (0, nil): "*"
    case (1, nil): "+"
    case (0, 1): "?"
    case (_, nil): "{\(minimum),}"
    case (_, let maximum?): minimum == maximum ? "{\(minimum)}" : "{\(minimum),\(maximum)}"
    }
  }

  private static func spelled(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\n" { return "\\n" }
    if scalar.value == 0x212a || scalar.value < 0x20 {
      return "\\x{" + String(scalar.value, radix: 16) + "}"
    }
    let meta = "\\^$.|?*+()[]{}-".unicodeScalars
    return meta.contains(scalar) ? "\\\(scalar)" : String(scalar)
  }
}

extension ClosedRange<Unicode.Scalar> {
  fileprivate var count: Int { Int(upperBound.value - lowerBound.value) + 1 }
}

extension RegexMatcher {
  /// Whether there is a match in `text`. (An expectation cannot hold a span.)
  func matches(_ text: [UInt8]) -> Bool { matches(text.span) }
}
