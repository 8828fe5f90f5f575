import PQL
import TestSupport
import Testing

/// The standard library compares strings by canonical equivalence: two strings are equal there just when
/// their normal forms are the same here.
@Suite struct CanonicalFormTests {
  private let form = CanonicalForm.shared

  private func normalized(_ text: String) -> [UInt32] {
    form.normalized(text.unicodeScalars.map(\.value))
  }

  private func string(_ scalars: [UInt32]) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars.compactMap(Unicode.Scalar.init))
    return String(text)
  }

  @Test(arguments: [
    ("é", "é"), ("e\u{301}", "é"), ("e\u{302}\u{323}", "ệ"), ("ê\u{323}", "ệ"),
    ("é\u{323}\u{302}", "ẹ\u{301}\u{302}"),
    ("a\u{327}\u{301}", "á\u{327}"), ("e\u{334}\u{301}", "é\u{334}"), ("\u{212b}", "Å"),
    ("\u{212a}", "K"),
    ("\u{37e}", ";"), ("\u{1100}\u{1161}\u{11a8}", "각"), ("가\u{11a8}", "각"),
    ("각\u{11a8}", "각\u{11a8}"),
    ("\u{958}", "\u{915}\u{93c}"), ("\u{301}", "\u{301}"), ("e\u{20dd}\u{301}", "e\u{20dd}\u{301}"),
    ("\u{fa0e}", "\u{fa0e}"), ("\u{f900}", "\u{8c48}"), ("\u{2f800}", "\u{4e3d}"),
    ("か\u{3099}", "が"),
    ("ΐ", "ΐ"), ("", ""), ("\u{344}", "\u{308}\u{301}"), ("\u{1d15e}", "\u{1d157}\u{1d165}"),
  ])
  func normalizes(_ text: String, _ expected: String) {
    #expect(normalized(text) == expected.unicodeScalars.map(\.value))
  }

  /// The tables hold nothing that is not so, and single scalars have one form.
  @Test func scalarsEqualTheirNormalForm() {
    for value in 0...0x2_ffff as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if form.isInert(value) {
        // Only what has a mapping or a class is not inert.
        #expect(scalar.properties.canonicalCombiningClass == .notReordered, "\(scalar)")
      }
      let normal = form.normalized([value])
      guard normal != [value] else { continue }
      #expect(!form.isInert(value))
      #expect(string(normal) == String(scalar), "U+\(String(value, radix: 16))")
      #expect(form.normalized(normal) == normal, "U+\(String(value, radix: 16))")
    }
  }

  /// No two scalars are equivalent whose forms differ, so that no mapping of one scalar to one is missing.
  @Test func differentFormsAreDifferentStrings() {
    var seen: [String: UInt32] = [:]
    for range in [0x80...0x33ff, 0xa000...0xabff, 0xf900...0xffff, 0x2_f800...0x2_fa1f]
      as [ClosedRange<UInt32>]
    {
      for value in range {
        guard let scalar = Unicode.Scalar(value) else { continue }
        guard let other = seen.updateValue(value, forKey: String(scalar)) else { continue }
        #expect(
          form.normalized([other]) == form.normalized([value]), "U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func equivalenceIsThatOfTheStandardLibrary() throws {
    let alphabet: [Unicode.Scalar] = [
      "e", "é", "ê", "ẹ", "ế", "ệ", "a", "å", "\u{212b}", "\u{301}", "\u{302}", "\u{323}",
      "\u{327}",
      "\u{30a}", "\u{334}", "\u{345}", "\u{308}", "ι", "ϊ", "ΐ", "α", "ᾳ", "\u{1100}", "\u{1161}",
      "\u{11a8}",
      "가", "각", "\u{915}", "\u{93c}", "\u{958}", "\u{9c7}", "\u{9be}", "\u{9cb}", "\u{20dd}",
    ]
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      // Few letters each time, so that equivalent texts are many.
      let letters = (0..<5).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
      }
      var formOf: [String: [UInt32]] = [:]
      var textOf: [[UInt32]: String] = [:]
      for _ in 0..<60 {
        let scalars = (0..<Int.random(in: 1...4, using: &random)).map { _ in
          letters[Int.random(in: 0..<letters.count, using: &random)].value
        }
        let (text, normal) = (string(scalars), form.normalized(scalars))
        try #require(
          formOf.updateValue(normal, forKey: text) ?? normal == normal, "seed \(seed): \(scalars)")
        try #require(
          textOf.updateValue(text, forKey: normal) ?? text == text, "seed \(seed): \(scalars)")
        try #require(form.normalized(normal) == normal, "seed \(seed): \(scalars)")
      }
    }
  }

  /// A letter with very many marks must not take quadratic time.
  @Test func manyMarksAreQuick() {
    let marks = (0..<20_000).map { $0 % 2 == 0 ? 0x301 : 0x323 } as [UInt32]
    let normal = form.normalized([0x65] + marks)
    #expect(normal.count == 20_000)
    #expect(normal.first == 0x1eb9)
  }
}
