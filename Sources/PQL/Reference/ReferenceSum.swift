/// A sum of finite numbers, all of whose bits are kept until it is rounded once.
///
/// It is one long integer, counted in units of the least positive double: digits of 32 bits, the lowest first, the
/// sign in the highest.
struct ReferenceSum {
  /// The largest double is below 2^2098 units, and some more digits hold the carries of 2^60 summands.
  private var digits = [Int64](repeating: 0, count: 68)
  private static let base: Int64 = 1 << 32

  /// The exponent of the unit.
  private static let least = -1_074

  mutating func add(_ value: Double) {
    guard value != 0 else { return }
    // A finite double is a whole number times a power of two that is not below the unit.
    let exponent = max(Int(value.exponent) - 52, Self.least)
    let whole = Int64(value.magnitude.scaled(by: -exponent))
    add(whole, times: exponent - Self.least, isNegative: value < 0)
  }

  mutating func add(_ value: Int64) {
    let magnitude = value.magnitude
    add(Int64(magnitude >> 32), times: 32 - Self.least, isNegative: value < 0)
    add(Int64(magnitude & 0xffff_ffff), times: -Self.least, isNegative: value < 0)
  }

  /// Adds a number below 2^53 times a power of two.
  private mutating func add(_ whole: Int64, times power: Int, isNegative: Bool) {
    let (digit, shift) = (power / 32, power % 32)
    let shifted = UInt128(whole) << UInt128(shift)
    for part in 0..<3 {
      let bits = Int64((shifted >> UInt128(32 * part)) & 0xffff_ffff)
      digits[digit + part] += isNegative ? -bits : bits
    }
    carry()
  }

  /// Makes every digit but the highest one of 0 to 2^32 - 1.
  private mutating func carry() {
    for index in 0..<digits.count - 1 {
      let rest = digits[index] & (Self.base - 1)
      digits[index + 1] += (digits[index] - rest) / Self.base
      digits[index] = rest
    }
  }

  /// The sum divided by 2^`scale`, rounded to the nearest double, a tie to the even one.
  func rounded(scale: Int = 0) -> Double {
    var magnitude = self
    let isNegative = digits[digits.count - 1] < 0
    if isNegative {
      magnitude.digits = digits.map { -$0 }
      magnitude.carry()
    }
    guard let top = magnitude.topBit else { return 0 }
    // The lowest bit that a double of this size has.
    let lowest = max(top - 52, 0)
    var significand: UInt64 = 0
    for bit in stride(from: top, through: lowest, by: -1) {
      significand = significand << 1 | (magnitude.bit(bit) ? 1 : 0)
    }
    let half = lowest > 0 && magnitude.bit(lowest - 1)
    let more = lowest > 1 && (0..<lowest - 1).contains { magnitude.bit($0) }
    if half, more || significand & 1 == 1 { significand += 1 }
    let value = Double(significand).scaled(by: lowest + Self.least - scale)
    return isNegative ? -value : value
  }

  private var topBit: Int? {
    (0..<digits.count * 32).last { bit($0) }
  }

  private func bit(_ index: Int) -> Bool {
    digits[index / 32] >> Int64(index % 32) & 1 == 1
  }
}

extension Double {
  /// The number times 2^`exponent`, which may take two steps because one factor might not fit a double.
  fileprivate func scaled(by exponent: Int) -> Double {
    let half = exponent / 2
    return self * Double(sign: .plus, exponent: half, significand: 1)
      * Double(sign: .plus, exponent: exponent - half, significand: 1)
  }
}
