import PQL
import Testing

@Suite struct CaseFoldingTests {
  /// The tables leave out blocks of scalars that have no case; that must be true of every one of them.
  @Test func tablesAgreeWithTheProperties() {
    let folding = CaseFolding.shared
    var foldedCount = 0
    for value in 0...0x10_ffff as ClosedRange<UInt32> {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let folded = folding.folded(value)
      if folded != value { foldedCount += 1 }
      // Only scalars with mappings can fold.
      guard folded != value || scalar.properties.changesWhenCaseMapped else { continue }
      #expect(folded == RegexModel.folded(scalar).value, "U+\(String(value, radix: 16))")
      #expect(folding.variants(of: value).contains(value))
    }
    #expect(foldedCount > 1_400)
  }

  @Test func variantsAreThoseThatFoldTogether() {
    let folding = CaseFolding.shared
    #expect(folding.variants(of: 0x6b).sorted() == [0x4b, 0x6b, 0x212a])
    #expect(folding.variants(of: 0x3a3).sorted() == [0x3a3, 0x3c2, 0x3c3])
    #expect(folding.variants(of: 0x131) == [0x131])
    #expect(folding.variants(of: 0x35) == [0x35])
    #expect(folding.variable == folding.variable.sorted())
  }
}
