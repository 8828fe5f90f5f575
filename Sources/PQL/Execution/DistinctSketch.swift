internal import SegmentIndex

/// Counts the different ones of the values that it is fed, in any order.
///
/// Up to `exactLimit` it keeps them all. After that it keeps that many of the smallest hashes: the nearer
/// the largest of them is to zero, the more values there are (Bar-Yossef and others, "Counting Distinct
/// Elements in a Data Stream", 2002). The standard error is one percent. The hash is fixed, so that an
/// answer is the same in every run.
package struct DistinctSketch: Sendable {
  package static let exactLimit = 10_000

  private var values = HashedValues()
  private var hashes: Set<UInt64> = []
  /// Larger hashes no longer matter.
  private var bound = UInt64.max
  /// Whether hashes stand for the values.
  package private(set) var isApproximate = false

  package init() {}

  /// About how many bytes the values take.
  var byteCount: Int { values.byteCount + hashes.capacity * 12 }

  package mutating func add(_ value: Value) {
    guard !isApproximate else { return insert(value.fixedHash) }
    guard values.insert(value), values.count > Self.exactLimit else { return }
    approximate()
  }

  /// Adds all that was added to `other`.
  package mutating func add(_ other: DistinctSketch) {
    if !other.isApproximate {
      other.values.forEach { add($0) }
      return
    }
    if !isApproximate { approximate() }
    bound = min(bound, other.bound)
    for hash in other.hashes { insert(hash) }
  }

  private mutating func approximate() {
    isApproximate = true
    values.forEach { hashes.insert($0.fixedHash) }
    values = HashedValues()
  }

  private mutating func insert(_ hash: UInt64) {
    guard hash <= bound, hashes.insert(hash).inserted, hashes.count > 2 * Self.exactLimit
    else { return }
    let smallest = hashes.sorted().prefix(Self.exactLimit)
    hashes = Set(smallest)
    bound = smallest.last ?? .max
  }

  /// How many different values there were, or about how many.
  package var count: Int64 {
    guard isApproximate else { return Int64(values.count) }
    guard hashes.count >= Self.exactLimit else { return Int64(hashes.count) }
    let largest = hashes.sorted()[Self.exactLimit - 1]
    let share = (Double(largest) + 1) / 0x1p64
    return Int64((Double(Self.exactLimit - 1) / share).rounded())
  }
}

extension Value {
  /// A hash that is the same in every run, and for equal values the same.
  fileprivate var fixedHash: UInt64 {
    var hash = FixedHash()
    feed(&hash)
    return hash.state
  }
}

/// Mixes words with the finalizer of SplitMix64 (Steele and others, 2014).
private struct FixedHash: ValueHash {
  private(set) var state: UInt64 = 0

  mutating func add(_ kind: UInt64, _ word: UInt64) {
    var mixed = (state ^ word) &+ (kind &* 0x9e37_79b9_7f4a_7c15)
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    state = mixed ^ mixed >> 31
  }
}
