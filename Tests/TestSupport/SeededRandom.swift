/// A repeatable source of randomness (SplitMix64; Steele, Lea and Flood, 2014).
///
/// Its description names the seed: put the generator into a test's comments, so that a failure prints
/// how to repeat it.
package struct SeededRandom: RandomNumberGenerator, CustomStringConvertible {
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// `count` random bytes.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  package var description: String { "seed \(seed)" }
}
