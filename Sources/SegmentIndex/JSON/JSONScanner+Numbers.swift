internal import JournalKit

extension JSONScanner {
  /// Reads a number: an integer when it is written as one and fits 64 bits, else the nearest double.
  public mutating func readNumber() throws(JSONError) -> JSONNumber {
    let number = try scanNumber()
    guard let value = number.exactInteger else { return .double(double(of: number)) }
    return .int(value)
  }

  /// Reads a number that is written as an integer and fits 64 bits.
  public mutating func readInt() throws(JSONError) -> Int64 {
    skipSpace()
    let start = position
    guard case .int(let value) = try readNumber()
    else { throw JSONError(offset: start, reason: "expected a 64-bit integer") }
    return value
  }

  /// Reads any number as the nearest double; one too large is an infinity.
  public mutating func readDouble() throws(JSONError) -> Double {
    let number = try scanNumber()
    return double(of: number)
  }

  /// Validates a number and moves past it.
  mutating func scanNumber() throws(JSONError) -> ScannedNumber {
    skipSpace()
    var number = ScannedNumber(start: position)
    if position < bytes.byteCount, bytes[position] == UInt8(ascii: "-") {
      number.isNegative = true
      position += 1
    }
    let digits = position
    try scanDigits(into: &number)
    if bytes[digits] == UInt8(ascii: "0"), position > digits + 1 {
      position = digits
      throw error("a number begins with a zero")
    }
    if position < bytes.byteCount, bytes[position] == UInt8(ascii: ".") {
      position += 1
      let fraction = position
      try scanDigits(into: &number)
      number.isInteger = false
      number.exponent = fraction - position
    }
    if position < bytes.byteCount, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      number.isInteger = false
      try scanExponent(into: &number)
    }
    number.end = position
    return number
  }

  /// As `scanNumber`, where nobody asks what the number is.
  @inline(__always)
  mutating func skipNumber() throws(JSONError) {
    // Nearly always there are a few digits, perhaps a point and some more. Anything else is looked at closely.
    var at = position
    guard at <= bytes.byteCount - 24 else { return _ = try scanNumber() }
    let (whole, _) = bytes.digits(at: at)
    guard 1...7 ~= whole, whole == 1 || bytes[at] != UInt8(ascii: "0")
    else { return _ = try scanNumber() }
    at += whole
    if bytes[at] == UInt8(ascii: ".") {
      let (fraction, _) = bytes.digits(at: at + 1)
      guard 1...7 ~= fraction else { return _ = try scanNumber() }
      at += 1 + fraction
    }
    guard bytes[at] | 0x20 != UInt8(ascii: "e") else { return _ = try scanNumber() }
    position = at
  }

  /// One or more digits, gathered into the number's significand.
  @inline(__always)
  private mutating func scanDigits(into number: inout ScannedNumber) throws(JSONError) {
    let start = position
    while position <= bytes.byteCount - 8, number.hasRoomForEight {
      let (count, value) = bytes.digits(at: position)
      number.append(value, digits: count)
      position += count
      if count < 8 { break }
    }
    while position < bytes.byteCount {
      let digit = bytes[position] &- 0x30
      guard digit < 10 else { break }
      number.append(digit)
      position += 1
    }
    guard position > start else { throw error("expected a digit") }
  }

  private mutating func scanExponent(into number: inout ScannedNumber) throws(JSONError) {
    var isNegative = false
    if position < bytes.byteCount,
      bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
    {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position += 1
    }
    var digits = ScannedNumber(start: position)
    try scanDigits(into: &digits)
    // Whatever is beyond this range takes the slow path, which looks at the text again.
    let magnitude = digits.isExact && digits.significand < 10_000 ? Int(digits.significand) : 10_000
    number.exponent += isNegative ? -magnitude : magnitude
  }

  private func double(of number: ScannedNumber) -> Double {
    if let value = number.exactDouble { return value }
    let text = bytes.extracting(number.start..<number.end).repairedString()
    guard let value = Double(text) else { preconditionFailure("\(text) was scanned as a number") }
    return value
  }
}

/// A number that was found valid: where it is, and what its digits came to on the way.
struct ScannedNumber {
  var start: Int
  var end = 0
  var isNegative = false
  /// Written without fraction and exponent.
  var isInteger = true
  /// All digits as one integer, unless it overflowed.
  var significand: UInt64 = 0
  var isExact = true
  /// The power of ten that the significand is multiplied with.
  var exponent = 0

  init(start: Int) {
    self.start = start
  }

  /// Whether eight more digits make no more than 64 bits of the significand.
  @inline(__always)
  var hasRoomForEight: Bool { significand < 100_000_000_000 }

  /// Appends at most eight digits that there is room for.
  @inline(__always)
  mutating func append(_ value: UInt64, digits count: Int) {
    significand = significand &* wholePowersOfTen[count] &+ value
  }

  @inline(__always)
  mutating func append(_ digit: UInt8) {
    // No digit makes more than 64 bits of this.
    if significand < 1 << 60 {
      significand = significand &* 10 &+ UInt64(digit)
      return
    }
    let (product, overflow) = significand.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    significand = sum
    isExact = isExact && !overflow && !carry
  }

  /// The value of a number written as an integer that fits 64 bits.
  var exactInteger: Int64? {
    guard isInteger, isExact else { return nil }
    guard isNegative else { return Int64(exactly: significand) }
    return significand <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- significand) : nil
  }

  /// The value, where double arithmetic gives the correctly rounded result at once: significand and
  /// power of ten are both exact doubles, so there is only one rounding (Clinger, 1990).
  var exactDouble: Double? {
    guard isExact, significand <= 1 << 53, abs(exponent) <= 22 else { return nil }
    let value = Double(significand)
    let power = powersOfTen[abs(exponent)]
    let magnitude = exponent < 0 ? value / power : value * power
    return isNegative ? -magnitude : magnitude
  }
}

/// The powers of ten that are exact doubles.
private let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
  1e18, 1e19, 1e20, 1e21, 1e22,
]
