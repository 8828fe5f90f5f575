/// What the patterns of a column of texts say about a text that is sought in it.
struct SearchedPatterns {
  /// By code.
  let verdicts: [PatternVerdict]
  /// The codes of those that can have it, ascending, when they are few enough for their granules to be listed.
  let possibleCodes: [Int]?
  /// The codes of those that can have it, when they are few enough to be looked for one by one.
  let fewCodes: [Int]?
  /// Whether there are some that have it for certain.
  let hasClear: Bool
  /// Whether there are some of which only the texts tell.
  let hasUnclear: Bool

  /// So many are looked for one by one.
  private static let fewCount = 4
  /// The granules of so many are listed.
  private static let listedCount = 64

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
      if codes.count <= Self.listedCount { codes.append(code) }
    }
    possibleCodes = codes.count <= Self.listedCount ? codes : nil
    fewCodes = codes.count <= Self.fewCount ? codes : nil
    hasClear = clearCount > 0
    hasUnclear = unclearCount > 0
  }
}
