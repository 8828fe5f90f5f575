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
    add(value, value.fixedHash)
  }

  private mutating func add(_ value: Value, _ hash: UInt64) {
    guard !isApproximate else { return insert(hash) }
    guard values.insert(value, hash), values.count > Self.exactLimit else { return }
    approximate()
  }

  /// Adds all that was added to `other`.
  package mutating func add(_ other: DistinctSketch) {
    if !other.isApproximate {
      for (value, hash) in other.values.all { add(value, hash) }
      return
    }
    if !isApproximate { approximate() }
    bound = min(bound, other.bound)
    for hash in other.hashes { insert(hash) }
  }

  private mutating func approximate() {
    isApproximate = true
    hashes = Set(values.all.map(\.hash))
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
private struct HashedValues: Sendable {
  private(set) var all: [(value: Value, hash: UInt64)] = []
  /// At the place that a hash names, or the next that is free, the number of its value, counted from 1; 0 where there is
  /// none. At most half of the places are taken; how many there are is a power of two.
  private var numbers: [UInt32] = []

  var count: Int { all.count }

  /// Adds a value; false when it is there.
  mutating func insert(_ value: Value, _ hash: UInt64) -> Bool {
    if all.count * 2 >= numbers.count { grow() }
    var place = firstPlace(hash)
    while numbers[place] != 0 {
      let number = Int(numbers[place]) - 1
      if all[number].hash == hash, all[number].value.isSame(as: value) { return false }
      place = (place + 1) & (numbers.count - 1)
    }
    all.append((value, hash))
    numbers[place] = UInt32(all.count)
    return true
  }

  private func firstPlace(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash) & (numbers.count - 1)
  }

  private mutating func grow() {
    numbers = [UInt32](repeating: 0, count: max(16, numbers.count * 2))
    for index in all.indices {
      var place = firstPlace(all[index].hash)
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

  private func feed(_ hash: inout FixedHash) {
    switch canonical {
    case .bool(let value): hash.add(1, value ? 1 : 0)
    case .int(let value), .size(let value): hash.add(2, UInt64(bitPattern: value))
    case .double(let value): hash.add(3, value.isNaN ? 0 : value.bitPattern)
    case .string(let text): hash.add(4, text)
    case .duration(let value): hash.add(5, UInt64(bitPattern: value))
    case .time(let value): hash.add(6, UInt64(bitPattern: value))
    case .level(let level): hash.add(7, level.name)
    case .uuid(let id):
      hash.add(8, UInt64(truncatingIfNeeded: id.bits))
      hash.add(8, UInt64(truncatingIfNeeded: id.bits >> 64))
    case .json(let text): hash.add(9, text)
    case .list(let values):
      hash.add(10, UInt64(values.count))
      for value in values { value.feed(&hash) }
    }
  }
}

/// Mixes words with the finalizer of SplitMix64 (Steele and others, 2014).
private struct FixedHash {
  private(set) var state: UInt64 = 0

  /// Adds a word; `kind` keeps values of different types apart.
  mutating func add(_ kind: UInt64, _ word: UInt64) {
    var mixed = (state ^ word) &+ (kind &* 0x9e37_79b9_7f4a_7c15)
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    state = mixed ^ mixed >> 31
  }

  mutating func add(_ kind: UInt64, _ text: String) {
    let bytes = text.utf8.span
    var word: UInt64 = 0
    var count: UInt64 = 0
    for index in bytes.indices {
      word = word << 8 | UInt64(bytes[index])
      count += 1
      if count % 8 == 0 {
        add(kind, word)
        word = 0
      }
    }
    add(kind, word)
    add(kind, count)
  }
}
