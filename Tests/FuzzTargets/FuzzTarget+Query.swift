internal import PQL

extension FuzzTarget {
  /// Any bytes are a query that prints and reads back, or are refused with diagnostics that point into them, can
  /// be shown, and whose edits do what they say.
  @Sendable static func query(_ bytes: [UInt8]) throws {
    let query: Query
    do throws(Diagnostics) {
      query = try Query(utf8: bytes)
    } catch {
      return try check(error, of: bytes)
    }
    try readsBack(query)
    try cancelsNegations(query, bytes)
    bindsOrNot(query)
  }

  /// A tree made of choices prints as text that reads back as the tree.
  @Sendable static func queryTree(_ bytes: [UInt8]) throws {
    var generator = TreeGenerator(random: ByteChoices(bytes))
    try readsBack(Query(tree: generator.query()))
  }

  private static func readsBack(_ query: Query) throws {
    let text = query.description
    do {
      let again = try Query(text)
      try require(again == query && again.tree == query.tree, "\(text) is read otherwise")
      try require(again.description == text, "\(text) is printed otherwise")
    } catch let error as Diagnostics {
      // What is spelled out can be longer than what was written.
      try require(
        error.all.allSatisfy { $0.code.rawValue.hasPrefix("L") },
        "own output refused: \(text): \(error)")
    }
  }

  /// What is refused twice is what it was. (That a reader forgets a negation, reading back does not show.)
  private static func cancelsNegations(_ query: Query, _ bytes: [UInt8]) throws {
    // A comment may stand at the end, and a byte order mark in front.
    let text = Array("not not (".utf8) + bytes + Array("\n)".utf8)
    guard query.tree.stages.isEmpty, let twice = try? Query(utf8: text) else { return }
    try require(twice == query, "\(query) is not \(twice)")
  }

  /// Binding ends, and what it accepts runs on no records.
  private static func bindsOrNot(_ query: Query) {
    var context = QueryContext(now: 1_788_220_800_000_000_000)
    context.parameters = ["p": .int(1), "user": .string("a*")]
    guard let bound = try? Binder.bind(query.tree, context, Catalog()) else { return }
    _ = ReferenceEvaluator(records: []).run(bound)
  }

  private static func check(_ problems: Diagnostics, of bytes: [UInt8]) throws {
    try require(!problems.all.isEmpty, "refused without a reason")
    let text = String(decoding: bytes, as: UTF8.self)
    let shown = problems.rendered(query: text)
    try require(
      shown.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f || $0 == "\n" },
      "a message holds a control character")
    for problem in problems.all {
      try require(
        0 <= problem.range.lowerBound && problem.range.upperBound <= bytes.count,
        "\(problem) points out of the text")
      for help in problem.helps where !help.edits.isEmpty {
        var edited = bytes
        for edit in help.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
          edited.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
        }
        do {
          _ = try Query(utf8: edited)
        } catch {
          // In `~===`, what follows the mended operator makes the same problem again: one edit less is left.
          try require(
            edited.count < bytes.count
              || !error.all.contains { $0.code == problem.code && $0.range == problem.range },
            "the edit of \(problem) changes nothing")
        }
      }
    }
  }
}

/// Random numbers that are the bytes of an input, so that a search that changes the input changes single
/// choices. After its end they are always the same few, none of them zero for ever: whoever draws below a bound
/// draws again when the number is not fair.
struct ByteChoices: RandomNumberGenerator {
  private var rest: ArraySlice<UInt8>
  private var drawn: UInt64 = 0

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  /// Small numbers in a range come of the high bits, so one byte is enough for each.
  mutating func next() -> UInt64 {
    if let byte = rest.popFirst() { return UInt64(byte) << 56 }
    drawn &+= 0x9e37_79b9_7f4a_7c15
    return drawn
  }
}
