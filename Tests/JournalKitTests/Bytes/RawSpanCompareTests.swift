import JournalKit
import TestSupport
import Testing

@Suite struct RawSpanCompareTests {
  private static func bytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }

  private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.rawSpan.equals(right.rawSpan)
  }

  @Test func bytesAreEqualOnlyWhenAllAre() {
    var random = SeededRandom(seed: 8)
    for count in 0...40 {
      let bytes = Self.bytes(count, &random)
      #expect(Self.areEqual(bytes, bytes))
      #expect(!Self.areEqual(bytes, bytes + [0]))
      for position in bytes.indices {
        var other = bytes
        other[position] ^= 1 << UInt8(random.next() % 8)
        #expect(!Self.areEqual(bytes, other), "\(count) bytes, \(position)")
      }
    }
  }

  /// The hash as it is defined, a byte at a time: files depend on it.
  private static func hash(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
    func folded(_ left: UInt64, _ right: UInt64) -> UInt64 {
      let product = left.multipliedFullWidth(by: right)
      return product.high ^ product.low
    }
    var state = folded(
      seed ^ 0x9e37_79b9_7f4a_7c15, UInt64(bytes.count) ^ 0xe703_7ed1_a0b4_28db)
    var rest = bytes[...]
    while rest.count >= 8 {
      let word = rest.prefix(8).reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
      state = folded(state ^ word, 0xa076_1d64_78bd_642f)
      rest = rest.dropFirst(8)
    }
    let last = rest.reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    return folded(state ^ last, 0x8ebc_6af0_9c88_c6e3)
  }

  @Test func hashesAreThoseOfTheDefinition() {
    var random = SeededRandom(seed: 9)
    for count in 0...70 {
      let bytes = Self.bytes(count, &random)
      let seed = random.next()
      let hash = bytes.rawSpan.hash(seed: seed)
      #expect(hash == Self.hash(bytes, seed: seed), "\(count) bytes")
    }
  }
}
