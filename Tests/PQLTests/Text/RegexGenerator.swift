import TestSupport

/// Makes expressions and texts of few scalars, so that matches and near misses are many.
struct RegexGenerator {
  /// Letters with several variants, variants of several bytes, and signs with a meaning.
  static let alphabet: [Unicode.Scalar] = [
    "a", "A", "b", "B", "k", "K", "\u{212a}", "s", "S", "ſ", "i", "I", "ı", "İ", "é", "É", "σ", "ς",
    "Σ", "ß", "ẞ", "日", "😀", "0", "9", "_", " ", "\n", "-", ".", "*", "]", "\u{7ff}", "\u{800}",
  ]

  var random: SeededRandom

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
  }

  mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

  private mutating func scalar() -> Unicode.Scalar {
    // Mostly the first few.
    Self.alphabet[below(below(3) == 0 ? Self.alphabet.count : 5)]
  }

  /// An expression, at most `depth` levels deep.
  mutating func model(depth: Int) -> RegexModel {
    guard depth > 0 else { return leaf() }
    switch below(10) {
    case 0..<4: return .sequence((0..<below(4)).map { _ in model(depth: depth - 1) })
    case 4, 5: return .choice((0..<2 + below(2)).map { _ in model(depth: depth - 1) })
    case 6, 7:
      let minimum = below(3)
      let maximum = below(2) == 0 ? nil : minimum + below(3)
      return .repetition(model(depth: depth - 1), minimum, maximum, lazy: below(4) == 0)
    case 8: return .ignoringCase(below(4) != 0, model(depth: depth - 1))
    default: return leaf()
    }
  }

  private mutating func leaf() -> RegexModel {
    switch below(12) {
    case 0: return .any(newlineToo: below(3) == 0)
    case 1, 2:
      let ranges = (0...below(2)).map { _ in
        let (first, second) = (scalar(), below(2) == 0 ? scalar() : nil)
        return second.map { min(first, $0)...max(first, $0) } ?? first...first
      }
      return .scalars(ranges, inverted: below(3) == 0)
    case 3: return .kind("dDwWsS".randomElement(using: &random) ?? "d")
    case 4, 5: return .place("^$bB".randomElement(using: &random) ?? "b")
    default: return .scalar(scalar())
    }
  }

  /// A text; now and then with bytes that are not UTF-8.
  mutating func text() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<below(14) { bytes += Array(String(scalar()).utf8) }
    if below(4) == 0 {
      for _ in 0...below(2) {
        let stray: [UInt8] = [0x80, 0xbf, 0xc3, 0xc0, 0xed, 0xa0, 0xe6, 0xf0, 0xf4, 0x90, 0xff]
        bytes.insert(stray[below(stray.count)], at: below(bytes.count + 1))
      }
    }
    return bytes
  }

  /// A text that matches, except that places were not looked at and classes are guessed.
  mutating func text(like model: RegexModel) -> [UInt8] {
    switch model {
    case .scalar(let scalar): return Array(String(scalar).utf8)
    case .any, .scalars(_, inverted: true): return Array(String(scalar()).utf8)
    case .scalars(let ranges, _): return Array(String(ranges[below(ranges.count)].upperBound).utf8)
    case .kind(let letter): return Array((letter == "d" ? "7" : letter == "s" ? " " : "a").utf8)
    case .place: return []
    case .sequence(let parts): return parts.flatMap { text(like: $0) }
    case .choice(let parts): return text(like: parts[below(parts.count)])
    case .repetition(let part, let minimum, _, _):
      return (0..<minimum + below(2)).flatMap { _ in text(like: part) }
    case .ignoringCase(_, let part):
      let folded = String(decoding: text(like: part), as: UTF8.self)
      return Array((below(2) == 0 ? folded.uppercased() : folded).utf8)
    }
  }
}
