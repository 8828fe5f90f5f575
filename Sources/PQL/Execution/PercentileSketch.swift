/// Finds one percentile of the numbers and durations that it is fed, in any order. Durations among numbers count as
/// their nanoseconds.
///
/// Up to `exactLimit` values it keeps them all, and the result is one of them: the smallest that at
/// least that share of the values does not exceed. After that it counts values in buckets that share
/// sign, exponent and seven bits of significand, whose middle is less than half a percent off.
package struct PercentileSketch: Sendable {
  package static let exactLimit = 65_536

  private let percent: Double
  private var wholes: [Int64] = []
  private var doubles: [Double] = []
  private var buckets: [Int32: Int] = [:]
  private var count = 0
  private var hasNumbers = false

  /// A sketch of this percentile, between 0 and 100.
  package init(_ percent: Double) {
    self.percent = percent
  }

  /// Whether values were counted in buckets.
  package var isApproximate: Bool { !buckets.isEmpty }

  /// About how many bytes the values take.
  var byteCount: Int { (wholes.count + doubles.count) * 8 + buckets.count * 32 }

  /// Adds a number or a duration; other values and NaN change nothing.
  package mutating func add(_ value: Value) {
    switch value {
    case .int(let value), .size(let value):
      hasNumbers = true
      add(value)
    case .duration(let value): add(value)
    case .double(let value) where !value.isNaN:
      hasNumbers = true
      count += 1
      if keepsAll() { doubles.append(value) } else { fill(Self.bucket(value)) }
    default: break
    }
  }

  private mutating func add(_ value: Int64) {
    count += 1
    if keepsAll() { wholes.append(value) } else { fill(Self.bucket(Double(value))) }
  }

  /// Whether there is room for one more value; when there is no longer, all go into buckets.
  private mutating func keepsAll() -> Bool {
    guard !isApproximate else { return false }
    if wholes.count + doubles.count < Self.exactLimit { return true }
    for value in wholes { fill(Self.bucket(Double(value))) }
    for value in doubles { fill(Self.bucket(value)) }
    wholes = []
    doubles = []
    return false
  }

  private mutating func fill(_ bucket: Int32) {
    buckets[bucket, default: 0] += 1
  }

  /// The percentile; nil when there were no values.
  package var result: Value? {
    guard count > 0 else { return nil }
    // In this order: a hundredth is no binary fraction, and its error would be rounded up.
    let rank = min(max(Int((percent * Double(count) / 100).rounded(.up)), 1), count)
    return isApproximate ? approximation(rank) : exactValue(rank)
  }

  private func exactValue(_ rank: Int) -> Value {
    let whole = hasNumbers ? Value.int : Value.duration
    if doubles.isEmpty { return whole(wholes.sorted()[rank - 1]) }
    let values = wholes.map(Value.int) + doubles.map(Value.double)
    return values.sorted { Value.order($0, $1) == .before }[rank - 1]
  }

  private func approximation(_ rank: Int) -> Value? {
    var seen = 0
    for (bucket, count) in buckets.sorted(by: { $0.key < $1.key }) {
      seen += count
      guard seen >= rank else { continue }
      let middle = Self.middle(of: bucket)
      return hasNumbers ? .double(middle) : Int64(exactly: middle.rounded()).map(Value.duration)
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
    let middle = Double(bitPattern: top << 45 | 1 << 44)
    return isNegative ? -middle : middle
  }
}
