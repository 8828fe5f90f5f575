/// Finds one percentile of the numbers and durations that it is fed, in any order.
///
/// Up to `exactLimit` values it keeps them all, and the result is one of them: the smallest that at
/// least that share of the values does not exceed. After that it counts values in buckets that share
/// sign, exponent and seven bits of significand, whose middle is less than half a percent off.
struct PercentileSketch: Sendable {
  static let exactLimit = 65_536

  private let percent: Double
  private var values: [Value] = []
  private var buckets: [Int32: Int] = [:]
  private var count = 0
  private var hasDurations = false

  init(_ percent: Double) {
    self.percent = percent
  }

  var isApproximate: Bool { !buckets.isEmpty }

  /// Adds a number or a duration; other values and NaN change nothing.
  mutating func add(_ value: Value) {
    guard let number = value.number, !number.isNaN else { return }
    if case .duration = value { hasDurations = true }
    count += 1
    if buckets.isEmpty, values.count < Self.exactLimit { return values.append(value) }
    for value in values { buckets[Self.bucket(value.number ?? 0), default: 0] += 1 }
    values = []
    buckets[Self.bucket(number), default: 0] += 1
  }

  var result: Value? {
    guard count > 0 else { return nil }
    let rank = min(max(Int((percent / 100 * Double(count)).rounded(.up)), 1), count)
    guard isApproximate else {
      return values.sorted { Value.order($0, $1) == .before }[rank - 1]
    }
    var seen = 0
    for (bucket, count) in buckets.sorted(by: { $0.key < $1.key }) {
      seen += count
      guard seen >= rank else { continue }
      let middle = Self.middle(of: bucket)
      return hasDurations ? Int64(exactly: middle.rounded()).map(Value.duration) : .double(middle)
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
