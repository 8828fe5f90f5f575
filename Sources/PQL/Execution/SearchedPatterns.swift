/// What the patterns of a column of texts say about a text that is sought in it.
struct SearchedPatterns {
  /// By code.
  let verdicts: [PatternVerdict]
  /// The codes of those that can have it, when they are few enough to be looked for one by one.
  let fewCodes: [Int]?
  /// Whether there are some that have it for certain.
  let hasClear: Bool
  /// Whether there are some of which only the texts tell.
  let hasUnclear: Bool

  /// So many are looked for one by one.
  private static let fewCount = 4

  init(_ verdicts: [PatternVerdict]) {
    self.verdicts = verdicts
    var codes: [Int] = []
    var (clearCount, unclearCount) = (0, 0)
    for (code, verdict) in verdicts.enumerated() {
      switch verdict {
      case .never: continue
      case .perhaps: unclearCount += 1
      case .always: clearCount += 1
      }
      if codes.count <= Self.fewCount { codes.append(code) }
    }
    fewCodes = codes.count <= Self.fewCount ? codes : nil
    hasClear = clearCount > 0
    hasUnclear = unclearCount > 0
  }
}
