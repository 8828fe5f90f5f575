import PQL
import TestSupport
import Testing

@Suite struct ByteSearchTests {
  @Test(
    arguments: [
      ("", "", 0, 0), ("", "ab", 2, 2), ("", "ab", 3, nil), ("a", "", 0, nil), ("ab", "xxab", 0, 2),
      ("ab", "abab", 1, 2), ("ab", "abab", 3, nil), ("ab", "a", 0, nil), ("aa", "aaa", 1, 1),
    ] as [(String, String, Int, Int?)])
  func finds(_ needle: String, _ text: String, _ start: Int, _ expected: Int?) {
    let search = ByteSearch(Array(needle.utf8))
    #expect(firstIndex(search, Array(text.utf8), start) == expected)
  }

  private func firstIndex(_ search: ByteSearch, _ text: [UInt8], _ start: Int) -> Int? {
    search.firstIndex(in: text.span, from: start)
  }

  @Test func caseIsThatOfASCIIOnly() {
    let search = ByteSearch(Array("[aÉ{".utf8), ignoringCase: true)
    #expect(firstIndex(search, Array("{A\u{c9}{".utf8), 0) == nil)
    #expect(firstIndex(search, Array("x[AÉ{".utf8), 0) == 1)
    #expect(firstIndex(search, Array("x[Aé{".utf8), 0) == nil)
    #expect(search == ByteSearch(Array("[AÉ{".utf8), ignoringCase: true))
    #expect(search != ByteSearch(Array("[aÉ{".utf8)))
  }

  /// Against the plainest definition, at every length around the widths of blocks, on texts of few letters,
  /// where near misses are many.
  @Test func agreesWithTheDefinition() throws {
    let alphabet = Array("abAB@`".utf8)
    for seed in 0..<3_000 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      func bytes(_ count: Int, _ variety: Int) -> [UInt8] {
        (0..<count).map { _ in alphabet[Int.random(in: 0..<variety, using: &random)] }
      }
      let ignoringCase = Bool.random(using: &random)
      let needle = bytes(Int.random(in: 1...9, using: &random), 6)
      var text = bytes(
        Int.random(in: 0...110, using: &random), Int.random(in: 1...6, using: &random))
      if Bool.random(using: &random) {
        text.insert(contentsOf: needle, at: Int.random(in: 0...text.count, using: &random))
      }
      let start = Int.random(in: 0...text.count, using: &random)
      let search = ByteSearch(needle, ignoringCase: ignoringCase)
      let expected = (start..<max(start, text.count - needle.count + 1)).first { place in
        needle.indices.allSatisfy {
          let (left, right) = (text[place + $0], needle[$0])
          return left == right || ignoringCase && lowercased(left) == lowercased(right)
        }
      }
      try #require(
        firstIndex(search, text, start) == expected, "seed \(seed): \(needle) in \(text)")
    }
  }

  private func lowercased(_ byte: UInt8) -> UInt8 {
    0x41...0x5a ~= byte ? byte + 0x20 : byte
  }

  /// Near misses all over the text: comparing at each place would be a thousand million steps.
  @Test func longNearMissesAreQuick() throws {
    let part = [UInt8](repeating: 0x61, count: 9_999)
    let needle = part + part
    let text = Array(repeatElement(part + [0x62], count: 10).joined())
    let search = ByteSearch(needle)
    #expect(firstIndex(search, text, 0) == nil)
    #expect(firstIndex(search, text + needle, 0) == text.count)
    #expect(firstIndex(search, text + [0x61] + needle, 5) == text.count)
    let mixed = ByteSearch(part + [0x42] + part, ignoringCase: true)
    #expect(firstIndex(mixed, text + [0x42] + text, 0) == 0)
  }
}
