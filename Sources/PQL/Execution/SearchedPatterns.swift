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

  init(_ verdicts: [PatternVerdict]) {
    self.verdicts = verdicts
    let codes = verdicts.indices.filter { verdicts[$0] != .never }
    fewCodes = codes.count <= 4 ? codes : nil
    hasClear = verdicts.contains(.always)
    hasUnclear = verdicts.contains(.perhaps)
  }
}
