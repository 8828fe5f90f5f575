/// A sum that is rounded once, at the end, so that the order of the summands does not matter.
///
/// Whole numbers and durations are added in 128 bits. Doubles are kept as a list of partial sums that
/// do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
package struct ExactSum: Sendable {
  private var whole: Int128 = 0
  private var partials: [Double] = []
  /// The same for the numbers that are so large that sums of them might not be finite on the way; scaled
  /// down by 2^64.
  private var largePartials: [Double] = []
  private var numberCount = 0
  private var hasDoubles = false
  private var durations: Int128 = 0
  private var durationCount = 0

  package init() {}

  /// Adds a number or a duration; other values, NaN and infinities change nothing.
  package mutating func add(_ value: Value) {
    switch value {
    case .int(let value), .size(let value):
      whole += Int128(value)
      numberCount += 1
    case .duration(let value):
      durations += Int128(value)
      durationCount += 1
    case .double(let value) where value.isFinite:
      hasDoubles = true
      numberCount += 1
      if value.magnitude < 0x1p960 {
        partials.add(value)
      } else {
        largePartials.add(value * 0x1p-64)
      }
    default: break
    }
  }

  /// Adds `count` whole numbers, which together are `total`.
  mutating func add(wholes total: Int128, count: Int) {
    whole += total
    numberCount += count
  }

  /// Adds `count` durations, which together are `total`.
  mutating func add(durations total: Int128, count: Int) {
    durations += total
    durationCount += count
  }

  /// Adds all that was added to `other`.
  mutating func add(_ other: ExactSum) {
    whole += other.whole
    numberCount += other.numberCount
    hasDoubles = hasDoubles || other.hasDoubles
    durations += other.durations
    durationCount += other.durationCount
    for partial in other.partials { partials.add(partial) }
    for partial in other.largePartials { largePartials.add(partial) }
  }

  /// The sum of the numbers, or of the durations when there were no numbers; nil when there was neither,
  /// or when it does not fit.
  package var total: Value? {
    if numberCount > 0 {
      guard hasDoubles else { return Int64(exactly: whole).map(Value.int) }
      let (sum, scale) = sumOfDoubles
      return finite(sum * scale)
    }
    return durationCount > 0 ? Int64(exactly: durations).map(Value.duration) : nil
  }

  /// The mean of what `total` sums.
  package var mean: Value? {
    if numberCount > 0 {
      let (sum, scale) = hasDoubles ? sumOfDoubles : (Double(whole), 1)
      return finite(sum / Double(numberCount) * scale)
    }
    guard durationCount > 0 else { return nil }
    return Int64(exactly: durations / Int128(durationCount)).map(Value.duration)
  }

  private func finite(_ value: Double) -> Value? {
    value.isFinite ? .double(value) : nil
  }

  /// All numbers together, correctly rounded, and what to multiply it by.
  private var sumOfDoubles: (sum: Double, scale: Double) {
    var small = partials
    // A 128-bit number is the sum of doubles that hold 32 bits of it each.
    for shift in stride(from: 0, to: 128, by: 32) {
      let part = (whole.magnitude >> UInt128(shift)) & 0xffff_ffff
      let scaled = Double(UInt64(part)) * Double(sign: .plus, exponent: shift, significand: 1)
      small.add(whole < 0 ? -scaled : scaled)
    }
    guard largePartials.contains(where: { $0 != 0 }) else { return (small.roundedSum, 1) }
    // What is left of large numbers is above 2^800, so that of tiny ones only the sign matters.
    var all = largePartials
    for partial in small {
      let scaled = partial * 0x1p-64
      let least = Double(signOf: partial, magnitudeOf: .leastNonzeroMagnitude)
      all.add(scaled == 0 && partial != 0 ? least : scaled)
    }
    return (all.roundedSum, 0x1p64)
  }
}

extension [Double] {
  /// Adds a number to partial sums that do not overlap, smallest first.
  fileprivate mutating func add(_ value: Double) {
    var rest = value
    var kept = 0
    for var partial in self {
      if rest.magnitude < partial.magnitude { swap(&rest, &partial) }
      let sum = rest + partial
      let error = partial - (sum - rest)
      if error != 0 {
        self[kept] = error
        kept += 1
      }
      rest = sum
    }
    removeSubrange(kept...)
    append(rest)
  }

  /// The sum of partial sums that do not overlap, smallest first.
  fileprivate var roundedSum: Double {
    var index = count
    guard index > 0 else { return 0 }
    index -= 1
    var high = self[index]
    var low = 0.0
    while index > 0, low == 0 {
      index -= 1
      let before = high
      high = before + self[index]
      low = self[index] - (high - before)
    }
    // Half-way cases round by the sign of what is left.
    if index > 0, (low < 0) == (self[index - 1] < 0), low != 0, self[index - 1] != 0 {
      let doubled = low * 2
      let candidate = high + doubled
      if doubled == candidate - high { high = candidate }
    }
    return high
  }
}
