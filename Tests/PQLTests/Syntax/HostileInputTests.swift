import PQL
import TestSupport
import Testing

/// Any bytes give a query that reads back, or diagnostics that point into the text.
@Suite struct HostileInputTests {
  private func check(_ bytes: [UInt8], _ comment: @autoclosure () -> Comment) throws {
    do throws(Diagnostics) {
      let query = try Query(utf8: bytes)
      let text = query.description
      try require(text, is: query, comment())
    } catch {
      try #require(!error.all.isEmpty && error.all.count <= Diagnostics.limit, comment())
      for diagnostic in error.all {
        let range = diagnostic.range
        try #require(0 <= range.lowerBound && range.upperBound <= bytes.count, comment())
        try #require(isBoundary(range.lowerBound, in: bytes), comment())
        try #require(isBoundary(range.upperBound, in: bytes), comment())
      }
      let rendered = error.rendered(query: String(decoding: bytes, as: UTF8.self))
      let allowed = rendered.unicodeScalars.allSatisfy {
        $0.value >= 0x20 && $0.value != 0x7f || $0 == "\n"
      }
      try #require(allowed, comment())
      try checkEdits(error, bytes, comment())
    }
  }

  private func require(_ text: String, is query: Query, _ comment: Comment) throws(Diagnostics) {
    do throws(Diagnostics) {
      let again = try Query(text)
      #expect(again == query, comment)
      #expect(again.description == text, comment)
    } catch {
      Issue.record("own output refused: \(text): \(error)")
    }
  }

  /// Every edit that a diagnostic offers leaves a query that is right, or wrong in other ways.
  private func checkEdits(_ problems: Diagnostics, _ bytes: [UInt8], _ comment: Comment) throws {
    for diagnostic in problems.all {
      for help in diagnostic.helps where !help.edits.isEmpty {
        var edited = bytes
        for edit in help.edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
          edited.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
        }
        do throws(Diagnostics) {
          _ = try Query(utf8: edited)
        } catch {
          let sameStart = error.all.contains {
            $0.code == diagnostic.code && $0.range == diagnostic.range
          }
          let fixed = String(decoding: edited, as: UTF8.self)
          try #require(!sameStart, "\(comment) `\(fixed)` still has \(diagnostic)")
        }
      }
    }
  }

  private func isBoundary(_ position: Int, in bytes: [UInt8]) -> Bool {
    position == bytes.count || bytes[position] & 0xc0 != 0x80
      || String(validating: bytes, as: UTF8.self) == nil
  }

  @Test func randomBytes() throws {
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let bytes = random.bytes(Int.random(in: 0...40, using: &random))
      try check(bytes, "seed \(seed)")
    }
  }

  @Test func randomWords() throws {
    for seed in 0..<6_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var text = ""
      for _ in 0..<Int.random(in: 1...10, using: &random) {
        text += QueryExamples.vocabulary.randomElement(using: &random) ?? ""
        text += ["", " ", " ", " "].randomElement(using: &random) ?? ""
      }
      try check(Array(text.utf8), "seed \(seed): \(text)")
    }
  }

  @Test func mutatedQueries() throws {
    for seed in 0..<4_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var bytes = Array((QueryExamples.accepted.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: position)
        case 1: bytes[position] = UInt8.random(in: 0x20...0x7e, using: &random)
        case 2:
          bytes.insert(
            contentsOf: "()|\"'=- ".utf8.randomElement(using: &random).map { [$0] } ?? [],
            at: position)
        default:
          bytes.insert(contentsOf: bytes[position..<min(bytes.count, position + 8)], at: position)
        }
        if bytes.isEmpty { bytes = [0x20] }
      }
      try check(bytes, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
    }
  }
}
