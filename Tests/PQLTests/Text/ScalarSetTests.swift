import PQL
import TestSupport
import Testing

@Suite struct ScalarSetTests {
  /// Bounds where encodings change their length or their leading byte, and their neighbours.
  private static let edges: [UInt32] = [
    0, 0x40, 0x7f, 0x80, 0xc0, 0x7ff, 0x800, 0xfff, 0x1000, 0x103f, 0x1040, 0xd7ff, 0xd800, 0xdfff,
    0xe000,
    0xffff, 0x1_0000, 0x1_0fff, 0x1_1000, 0x3_ffff, 0x4_0000, 0xf_ffff, 0x10_0000, 0x10_ffff,
  ]

  private static func ranges(_ random: inout SeededRandom) -> [ClosedRange<UInt32>] {
    func bound() -> UInt32 {
      let edge = Int(edges.randomElement(using: &random) ?? 0)
      return UInt32(min(max(edge + Int.random(in: -2...2, using: &random), 0), 0x10_ffff))
    }
    return (0..<Int.random(in: 0...3, using: &random)).map { _ in
      let (first, second) = (bound(), bound())
      return min(first, second)...max(first, second)
    }
  }

  private static var probes: [Unicode.Scalar] {
    edges.flatMap { edge in (-3...3).compactMap { UInt32(exactly: Int(edge) + $0) } }
      .compactMap(Unicode.Scalar.init)
  }

  private func contains(_ ranges: [ClosedRange<UInt32>], _ scalar: Unicode.Scalar) -> Bool {
    ranges.contains { $0.contains(scalar.value) }
  }

  @Test func setsHoldWhatTheirRangesHold() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let (first, second) = (Self.ranges(&random), Self.ranges(&random))
      let (set, other) = (ScalarSet(first), ScalarSet(second))
      for scalar in Self.probes {
        let isIn = contains(first, scalar)
        try #require(contains(set.ranges, scalar) == isIn, "seed \(seed): \(scalar.value)")
        try #require(contains(set.inverted.ranges, scalar) != isIn, "seed \(seed): \(scalar.value)")
        try #require(
          contains(set.union(other).ranges, scalar) == (isIn || contains(second, scalar)),
          "seed \(seed): \(scalar.value)")
      }
      try #require(set.inverted.inverted == set, "seed \(seed)")
      try #require(!set.ranges.contains { $0.overlaps(0xd800...0xdfff) }, "seed \(seed)")
    }
  }

  /// The sequences take the encodings of the set's scalars, and as many as there are of them: so no others.
  @Test func sequencesAreTheEncodingsOfTheSet() throws {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let set = ScalarSet(Self.ranges(&random))
      let sequences = UTF8Sequences.of(set)
      for scalar in Self.probes {
        let encoding = Array(String(scalar).utf8)
        let isTaken = sequences.contains { sequence in
          sequence.count == encoding.count
            && zip(sequence, encoding).allSatisfy { $0.contains($1) }
        }
        try #require(isTaken == contains(set.ranges, scalar), "seed \(seed): \(scalar.value)")
      }
      let encodings = sequences.reduce(0) { $0 + $1.reduce(1) { $0 * $1.count } }
      try #require(encodings == set.ranges.reduce(0) { $0 + $1.count }, "seed \(seed)")
    }
  }
}
