/// Bytes that every text has in which an expression matches, so that most other texts can be passed over
/// without running it.
struct RegexLiteral {
  let search: ByteSearch
  /// Whether the expression is these bytes and nothing else.
  let isWhole: Bool

  /// The longest literal of the tree; nil if it has none.
  init?(_ tree: RegexTree) {
    var finder = RegexLiteralFinder()
    finder.visit(tree)
    finder.endRun()
    guard let best = finder.best else { return nil }
    search = ByteSearch(best.bytes, ignoringCase: best.ignoresCase)
    isWhole = finder.isWhole && !(best.ignoresCase && best.hasExactLetters)
  }
}

private struct RegexLiteralFinder {
  /// Scalars that stand one after another.
  struct Run {
    var bytes: [UInt8] = []
    /// Whether a letter stands for both its cases.
    var ignoresCase = false
    /// Whether a letter stands only for itself.
    var hasExactLetters = false
  }

  private(set) var best: Run?
  private var run = Run()
  /// Whether nothing but scalars was seen.
  private(set) var isWhole = true

  mutating func endRun() {
    // Of two of one length the exact one is rarer.
    let isBetter = best.map {
      ($0.bytes.count, $0.ignoresCase ? 0 : 1) < (run.bytes.count, run.ignoresCase ? 0 : 1)
    }
    if isBetter ?? !run.bytes.isEmpty { best = run }
    run = Run()
  }

  mutating func visit(_ tree: RegexTree) {
    switch tree {
    case .scalar(let set):
      if let scalar = set.only {
        run.bytes += UTF8.encode(scalar).map { Array($0) } ?? []
        run.hasExactLetters = run.hasExactLetters || scalar.isASCIILetter
      } else if let letter = set.letterInBothCases {
        run.bytes.append(letter)
        run.ignoresCase = true
      } else {
        breakRun()
      }
    // A place takes no room.
    case .assertion: isWhole = false
    case .sequence(let parts): for part in parts { visit(part) }
    case .choice: breakRun()
    case .repetition(let part, let minimum, _):
      breakRun()
      if minimum > 0 {
        visit(part)
        endRun()
      }
    }
  }

  private mutating func breakRun() {
    isWhole = false
    endRun()
  }
}

extension ScalarSet {
  /// The lower-case letter, when the set is a letter of ASCII in both cases.
  fileprivate var letterInBothCases: UInt8? {
    guard ranges.count == 2, ranges.allSatisfy({ $0.count == 1 }),
      let upper = UInt8(exactly: ranges[0].lowerBound), ranges[1].lowerBound == upper | 0x20,
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= upper
    else { return nil }
    return upper | 0x20
  }
}
