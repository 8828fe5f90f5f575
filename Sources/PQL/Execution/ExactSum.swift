/// A sum that is rounded once, at the end, so that the order of the summands does not matter.
///
/// Whole numbers and durations are added in 128 bits. Doubles are kept as a list of partial sums that
/// do not overlap (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997).
package struct ExactSum: Sendable {
  private var whole: Int128 = 0
  private var partials: [Double] = []
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
      add(value)
    default: break
    }
  }

  private mutating func add(_ value: Double) {
    var rest = value
    var kept = 0
    for var partial in partials {
      if rest.magnitude < partial.magnitude { swap(&rest, &partial) }
      let sum = rest + partial
      let error = partial - (sum - rest)
      if error != 0 {
        partials[kept] = error
        kept += 1
      }
      rest = sum
    }
    partials.removeSubrange(kept...)
    partials.append(rest)
  }

  /// The sum of the numbers, or of the durations when there were no numbers; nil when there was neither,
  /// or when it does not fit.
  package var total: Value? {
    if numberCount > 0 {
      return hasDoubles ? finite(sumOfDoubles) : Int64(exactly: whole).map(Value.int)
    }
    return durationCount > 0 ? Int64(exactly: durations).map(Value.duration) : nil
  }

  /// The mean of what `total` sums.
  var mean: Value? {
    if numberCount > 0 {
      let sum = hasDoubles ? sumOfDoubles : Double(whole)
      return finite(sum / Double(numberCount))
    }
    guard durationCount > 0 else { return nil }
    return Int64(exactly: durations / Int128(durationCount)).map(Value.duration)
  }

  private func finite(_ value: Double) -> Value? {
    value.isFinite ? .double(value) : nil
  }

  /// All numbers together, correctly rounded.
  private var sumOfDoubles: Double {
    var all = self
    // A 128-bit number is the sum of doubles that hold 32 bits of it each.
    for shift in stride(from: 0, to: 128, by: 32) {
      let part = (whole.magnitude >> UInt128(shift)) & 0xffff_ffff
      let scaled = Double(UInt64(part)) * Double(sign: .plus, exponent: shift, significand: 1)
      all.add(whole < 0 ? -scaled : scaled)
    }
    return all.partials.roundedSum
  }
}

extension [Double] {
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
