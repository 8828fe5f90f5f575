internal import PQL

extension FuzzTarget {
  /// Any bytes before a line feed are a regular expression or are refused with a reason in them; on the bytes
  /// behind it the automaton, the automaton without room, and the simulation agree, in bounded steps.
  @Sendable static func regex(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    let pattern = String(decoding: parts[0], as: UTF8.self)
    let text = parts.count > 1 ? Array(parts[1].prefix(2_048)) : []
    let expression: RegularExpression
    do {
      expression = try RegularExpression(pattern)
    } catch {
      return try require(
        0 <= error.range.lowerBound && error.range.upperBound <= pattern.utf8.count,
        "\(error) points out of the expression")
    }
    let answers = try [RegexMatcher.automatonByteLimit, 2_000, 0].map { limit in
      let matcher = RegexMatcher(expression, automatonByteLimit: limit)
      let found = matcher.matches(text.span)
      // The literal that is looked for first takes steps that are not counted.
      try require(
        matcher.stepCount <= 8 * expression.stateCount * (text.count + 1),
        "\(matcher.stepCount) steps for \(expression.stateCount) states and \(text.count) bytes")
      try require(matcher.matches(text.span) == found, "a second look finds another answer")
      return found
    }
    try require(Set(answers).count == 1, "\(pattern) on \(text) is \(answers)")
  }

  /// A text is found in itself and in what it is part of, and ASCII as the plainest search finds it; the text
  /// stands before the first line feed, what it is looked for in behind it.
  @Sendable static func textSearch(_ bytes: [UInt8]) throws {
    let parts = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
    let needle = String(decoding: parts[0].prefix(64), as: UTF8.self)
    let text = parts.count > 1 ? Array(parts[1]) : []
    let search = TextSearch(needle)
    let found = search.isFound(in: text.span)
    try require(search.isFound(in: needle), "\(needle) is not found in itself")
    // A space combines with nothing before it.
    let longer = Array("x ".utf8) + text + Array(" x".utf8)
    try require(!found || search.isFound(in: longer.span), "\(needle) is lost in more text")
    if parts[0].allSatisfy({ $0 < 0x80 }), text.allSatisfy({ $0 < 0x80 }), parts[0].count <= 64 {
      let (folded, wanted) = (text.map(lowered), parts[0].map(lowered))
      let plain =
        folded.count >= wanted.count
        && (0...folded.count - wanted.count).contains { folded[$0...].starts(with: wanted) }
      try require(found == plain, "\(needle) in \(text) is \(found)")
    }
    _ = TextSearch(needle, isPattern: true).isFound(in: text.span)
    _ = Glob(needle).matches(text.span)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
  }
}
