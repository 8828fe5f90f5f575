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

  /// About how many bytes the values take, without long texts.
  var byteCount: Int { values.count * 2 * MemoryLayout<Value>.stride + hashes.count * 16 }

  package mutating func add(_ value: Value) {
    guard !isApproximate else { return insert(value.fixedHash) }
    guard values.insert(value), values.count > Self.exactLimit else { return }
    approximate()
  }

  /// Adds all that was added to `other`.
  package mutating func add(_ other: DistinctSketch) {
    if !other.isApproximate {
      for value in other.values.all { add(value) }
      return
    }
    if !isApproximate { approximate() }
    bound = min(bound, other.bound)
    for hash in other.hashes { insert(hash) }
  }

  private mutating func approximate() {
    isApproximate = true
    hashes = Set(values.all.map(\.fixedHash))
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

/// Different values, found by hashes that equal ones have in common.
///
/// The hash is another in each process: whoever logs must not be able to choose values that all want the same place.
private struct HashedValues: Sendable {
  private(set) var all: [Value] = []
  /// The last bits of the values' hashes.
  private var hashes: [UInt32] = []
  /// At the place that a hash names, or the next that is free, the number of its value, counted from 1; 0 where there is
  /// none. At most half of the places are taken; how many there are is a power of two.
  private var numbers: [UInt32] = []

  var count: Int { all.count }

  /// Adds a value; false when it is there.
  mutating func insert(_ value: Value) -> Bool {
    if all.count * 2 >= numbers.count { grow() }
    let hash = UInt32(truncatingIfNeeded: value.hashValue)
    var place = firstPlace(hash)
    while numbers[place] != 0 {
      let number = Int(numbers[place]) - 1
      if hashes[number] == hash, all[number].isSame(as: value) { return false }
      place = (place + 1) & (numbers.count - 1)
    }
    all.append(value)
    hashes.append(hash)
    numbers[place] = UInt32(all.count)
    return true
  }

  private func firstPlace(_ hash: UInt32) -> Int {
    Int(hash) & (numbers.count - 1)
  }

  private mutating func grow() {
    numbers = [UInt32](repeating: 0, count: max(16, numbers.count * 2))
    for index in all.indices {
      var place = firstPlace(hashes[index])
      while numbers[place] != 0 { place = (place + 1) & (numbers.count - 1) }
      numbers[place] = UInt32(index + 1)
    }
  }
}

extension Value {
  /// Whether both are equal, quickly for texts.
  fileprivate func isSame(as other: Value) -> Bool {
    guard case .string(let left) = self, case .string(let right) = other else {
      return self == other
    }
    let (first, second) = (left.utf8.span, right.utf8.span)
    guard first.count == second.count else { return false }
    for index in first.indices where first[index] != second[index] { return false }
    return true
  }

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
