internal import JournalKit

/// A point in time, read in the ways of loggers: nanoseconds since
/// 1970-01-01T00:00:00Z, without leap seconds.
package struct Timestamp: Equatable, Sendable {
  package let nanoseconds: Int64

  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// What an epoch number counts.
  package enum Unit: Sendable {
    case seconds, milliseconds, microseconds, nanoseconds

    /// The power of ten that makes nanoseconds of it.
    var exponent: Int {
      switch self {
      case .seconds: 9
      case .milliseconds: 6
      case .microseconds: 3
      case .nanoseconds: 0
      }
    }

    /// The unit in which a present-day time has this many digits before the decimal point. Seconds
    /// have 12 digits from the year 5138 on; milliseconds had 11 until March 1973.
    init(integerDigits: Int) {
      switch integerDigits {
      case ...11: self = .seconds
      case ...14: self = .milliseconds
      case ...17: self = .microseconds
      default: self = .nanoseconds
      }
    }
  }

  /// From here on up a whole number counts nanoseconds, unless its unit is known.
  static let leastNanoseconds: Int64 = 100_000_000_000_000_000

  /// Reads text: an epoch number (see `init(number:unit:)`), or a date and time (see
  /// `init(calendar:)`).
  package init?(text: RawSpan, unit: Unit? = nil) {
    guard let time = Timestamp(number: text, unit: unit) ?? Timestamp(calendar: text) else {
      return nil
    }
    self = time
  }
}

// MARK: - Epoch numbers

extension Timestamp {
  /// Reads a number, `1767225600`, `1767225600.25` or `1.767e9`, digit by digit: the way through a
  /// double would lose what is finer than a quarter of a microsecond. What is finer than a
  /// nanosecond is cut off.
  ///
  /// - Parameter unit: nil to tell it by the number's size.
  package init?(number text: RawSpan, unit: Unit? = nil) {
    guard let number = DecimalNumber(text) else { return nil }
    let unit = unit ?? Unit(integerDigits: number.integerDigits)
    guard let nanoseconds = number.scaled(byPowerOfTen: unit.exponent) else { return nil }
    self.init(nanoseconds: nanoseconds)
  }
}

/// A decimal number as its significant digits and a power of ten.
private struct DecimalNumber {
  var isNegative = false
  /// The first 19 significant digits.
  var significand: UInt64 = 0
  /// How many digits `significand` has, leading zeros not counted.
  var digits = 0
  var exponent = 0

  /// The number of digits before the decimal point.
  var integerDigits: Int { digits + exponent }

  init?(_ text: RawSpan) {
    var at = 0
    if at < text.byteCount, text[at] == UInt8(ascii: "-") {
      isNegative = true
      at += 1
    }
    let start = at
    at = append(text, from: at)
    var found = at - start
    if at < text.byteCount, text[at] == UInt8(ascii: ".") {
      let fraction = at + 1
      let kept = exponent
      at = append(text, from: fraction)
      found += at - fraction
      // Digits that were counted stand after the point; those that were cut were added to it.
      exponent = kept - (at - fraction) + (exponent - kept)
    }
    guard found > 0 else { return nil }
    if at < text.byteCount, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      guard let power = Self.power(text, at: &at) else { return nil }
      exponent += power
    }
    guard at == text.byteCount else { return nil }
  }

  /// Appends the digits from `start` on and returns where they end. Past the nineteenth significant
  /// digit they only count towards the exponent.
  private mutating func append(_ text: RawSpan, from start: Int) -> Int {
    var at = start
    while at < text.byteCount {
      let digit = text[at] &- 0x30
      guard digit < 10 else { break }
      if digits < 19 {
        significand = significand * 10 + UInt64(digit)
        if significand > 0 { digits += 1 }
      } else {
        exponent += 1
      }
      at += 1
    }
    return at
  }

  /// A signed power of ten of at most three digits; nothing larger can be a time.
  private static func power(_ text: RawSpan, at: inout Int) -> Int? {
    var isNegative = false
    if at < text.byteCount, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
      isNegative = text[at] == UInt8(ascii: "-")
      at += 1
    }
    let start = at
    var power = 0
    while at < text.byteCount, text[at] &- 0x30 < 10, at - start < 3 {
      power = power * 10 + Int(text[at] - 0x30)
      at += 1
    }
    guard at > start else { return nil }
    return isNegative ? -power : power
  }

  /// The number times ten to the `power`, cut to an integer; nil when 64 bits cannot hold it.
  func scaled(byPowerOfTen power: Int) -> Int64? {
    var value = significand
    var power = exponent + power
    while power > 0, value > 0 {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      guard !overflow else { return nil }
      value = product
      power -= 1
    }
    while power < 0, value > 0 {
      value /= 10
      power += 1
    }
    guard let magnitude = Int64(exactly: value) else { return nil }
    return isNegative ? -magnitude : magnitude
  }
}
