/// Finds percentiles of the numbers and durations that it is fed, in any order. Durations among numbers count as their
/// nanoseconds.
///
/// Up to `exactLimit` values it keeps them all, and each result is one of them: the smallest that at
/// least that share of the values does not exceed. After that it counts values in buckets that share
/// sign, exponent and seven bits of significand, whose middle is less than half a percent off.
package struct PercentileSketch: Sendable {
  package static let exactLimit = 65_536

  private var wholes: [Int64] = []
  private var doubles: [Double] = []
  private var buckets: [Int32: Int] = [:]
  private var count = 0
  private var hasNumbers = false

  package init() {}

  /// Whether values were counted in buckets.
  package var isApproximate: Bool { !buckets.isEmpty }

  /// About how many bytes the values take.
  var byteCount: Int { (wholes.capacity + doubles.capacity) * 8 + buckets.capacity * 24 }

  /// Adds a number or a duration; other values and NaN change nothing.
  package mutating func add(_ value: Value) {
    switch value {
    case .int(let value), .size(let value): add(value)
    case .duration(let value): add(duration: value)
    case .double(let value) where !value.isNaN:
      hasNumbers = true
      count += 1
      if keepsAll() { doubles.append(value) } else { fill(Self.bucket(value)) }
    default: break
    }
  }

  /// Adds a duration.
  mutating func add(duration value: Int64) {
    count += 1
    if keepsAll() { wholes.append(value) } else { fill(Self.bucket(Double(value))) }
  }

  /// Adds all that was added to `other`.
  package mutating func add(_ other: PercentileSketch) {
    hasNumbers = hasNumbers || other.hasNumbers
    let kept = other.wholes.count + other.doubles.count
    if !isApproximate, !other.isApproximate, count + kept <= Self.exactLimit {
      wholes += other.wholes
      doubles += other.doubles
    } else {
      approximate()
      fill(other.wholes) { Self.bucket(Double($0)) }
      fill(other.doubles) { Self.bucket($0) }
      buckets.merge(other.buckets, uniquingKeysWith: +)
    }
    count += other.count
  }

  /// Adds a whole number.
  mutating func add(_ value: Int64) {
    hasNumbers = true
    add(duration: value)
  }

  /// Whether there is room for one more value; when there is no longer, all go into buckets.
  private mutating func keepsAll() -> Bool {
    guard !isApproximate else { return false }
    if wholes.count + doubles.count < Self.exactLimit { return true }
    approximate()
    return false
  }

  private mutating func approximate() {
    fill(wholes) { Self.bucket(Double($0)) }
    fill(doubles) { Self.bucket($0) }
    wholes = []
    doubles = []
  }

  private mutating func fill(_ bucket: Int32) {
    buckets[bucket, default: 0] += 1
  }

  /// Counts many values, of which mostly many are in one bucket.
  @inline(__always)
  private mutating func fill<Element>(_ values: [Element], _ bucket: (Element) -> Int32) {
    var (least, greatest) = (Int32.max, Int32.min)
    for value in values {
      let bucket = bucket(value)
      least = min(least, bucket)
      greatest = max(greatest, bucket)
    }
    guard !values.isEmpty else { return }
    // Few decades have fewer buckets than there are values.
    guard Int(greatest) - Int(least) < 1 << 14 else {
      for value in values { fill(bucket(value)) }
      return
    }
    var counts = [Int](repeating: 0, count: Int(greatest - least) + 1)
    for value in values { counts[Int(bucket(value) - least)] += 1 }
    for (index, count) in counts.enumerated() where count > 0 {
      buckets[least + Int32(index), default: 0] += count
    }
  }

  /// The percentiles, each between 0 and 100; nil when there were no values.
  package consuming func results(_ percents: [Double]) -> [Value?] {
    guard count > 0 else { return percents.map { _ in nil } }
    // In this order: a hundredth is no binary fraction, and its error would be rounded up.
    let ranks = percents.map { percent in
      min(max(Int((percent * Double(count) / 100).rounded(.up)), 1), count)
    }
    if isApproximate { return ranks.map { approximation($0) } }
    if doubles.isEmpty {
      return wholes.selecting(ranks).map(hasNumbers ? Value.int : Value.duration)
    }
    let values = wholes.map(Value.int) + doubles.map(Value.double)
    let sorted = values.sorted { Value.order($0, $1) == .before }
    return ranks.map { sorted[$0 - 1] }
  }

  private func approximation(_ rank: Int) -> Value? {
    var seen = 0
    for (bucket, count) in buckets.sorted(by: { $0.key < $1.key }) {
      seen += count
      guard seen >= rank else { continue }
      let middle = Self.middle(of: bucket)
      return hasNumbers ? .double(middle) : .duration(Self.nearest(middle))
    }
    return nil
  }

  /// The bucket of a number; buckets order as the numbers do.
  private static func bucket(_ value: Double) -> Int32 {
    let top = Int32(truncatingIfNeeded: value.magnitude.bitPattern >> 45)
    return value.sign == .minus ? -top - 1 : top
  }

  private static func middle(of bucket: Int32) -> Double {
    let isNegative = bucket < 0
    let top = UInt64(isNegative ? -(bucket + 1) : bucket)
    guard top > 0 else { return 0 }
    let infinity = Double.infinity
    // What would be the middle of its bucket is no number.
    let middle =
      top == infinity.bitPattern >> 45 ? infinity : Double(bitPattern: top << 45 | 1 << 44)
    return isNegative ? -middle : middle
  }

  /// The whole number of 64 bits that is nearest. The middles of the outermost buckets of durations are beyond them all.
  private static func nearest(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
  }
}

extension [Int64] {
  /// The elements that would have these ranks, counted from 1, if the array were sorted. Changes the order.
  fileprivate consuming func selecting(_ ranks: [Int]) -> [Int64] {
    var values = self
    // Beyond the last rank found, nothing is less than what is before it.
    var start = 0
    var selected = [Int64](repeating: 0, count: ranks.count)
    for place in ranks.indices.sorted(by: { ranks[$0] < ranks[$1] }) {
      let index = ranks[place] - 1
      values.select(index, from: Swift.min(start, index))
      selected[place] = values[index]
      start = index
    }
    return selected
  }

  /// Puts at `index` what would stand there if the elements from `start` on were sorted: nothing before it is
  /// greater, nothing after it less.
  private mutating func select(_ index: Int, from start: Int) {
    var low = start
    var high = count
    var turns = 0
    while high - low > 32 {
      // Each turn usually leaves less than two thirds. Where the order is so that it does not, sorting ends it.
      turns += 1
      guard turns < 64 else { break }
      let pivot = median(self[low], self[(low + high) / 2], self[high - 1])
      // Those below the pivot, those that are it, and those above.
      let equal = partition(low..<high) { $0 < pivot }
      if index < equal {
        high = equal
        continue
      }
      let above = partition(equal..<high) { $0 <= pivot }
      if index < above { return }
      low = above
    }
    self[low..<high].sort()
  }

  /// Moves the elements of `range` for which `isFirst` is true to its front; returns where the others begin.
  @inline(__always)
  private mutating func partition(_ range: Range<Int>, _ isFirst: (Int64) -> Bool) -> Int {
    var elements = mutableSpan
    var boundary = range.lowerBound
    // Always swapping is quicker than a branch that no processor can foresee.
    for index in range {
      let value = elements[index]
      elements[index] = elements[boundary]
      elements[boundary] = value
      boundary += isFirst(value) ? 1 : 0
    }
    return boundary
  }
}

private func median(_ first: Int64, _ second: Int64, _ third: Int64) -> Int64 {
  max(min(first, second), min(max(first, second), third))
}
