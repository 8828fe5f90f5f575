import Foundation

/// A walk at random in rounds, each of which begins with nothing: a longer one takes more time, and no more memory.
///
/// `PERISCOPE_FUZZ_STEPS` sets the number of steps of all rounds together, which is one round otherwise. Each round has a
/// seed of its own, which a failure prints; `PERISCOPE_SEED` lets the first round have it.
package struct FuzzRounds: Sequence, IteratorProtocol {
  private let length: Int
  private var left: Int
  private var seed: UInt64

  /// Rounds of `length` steps.
  package init(of length: Int) {
    let environment = ProcessInfo.processInfo.environment
    self.length = length
    left = environment["PERISCOPE_FUZZ_STEPS"].flatMap(Int.init) ?? length
    seed = environment["PERISCOPE_SEED"].flatMap(UInt64.init) ?? 20_261_130
  }

  /// The next round's number of steps and randomness.
  package mutating func next() -> (steps: Int, random: SeededRandom)? {
    guard left > 0 else { return nil }
    let round = (Swift.min(left, length), SeededRandom(seed: seed))
    left -= length
    seed &+= 1
    return round
  }
}
