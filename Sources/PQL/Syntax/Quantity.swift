/// What a word such as `1h30m` or `10KiB` amounts to.
package enum Quantity: Equatable {
  /// In nanoseconds or bytes.
  case exact(Int64)
  /// It has the form of a quantity, and is too large or has a fraction of the smallest unit.
  case unrepresentable

  /// A unit and how many of the smallest one it is.
  struct Unit {
    let name: String
    let scale: Int64
  }

  /// The units of durations, largest first; there is no month and no year, because their length varies.
  static let durationUnits = [
    Unit(name: "w", scale: 7 * 86_400_000_000_000), Unit(name: "d", scale: 86_400_000_000_000),
    Unit(name: "h", scale: 3_600_000_000_000), Unit(name: "m", scale: 60_000_000_000),
    Unit(name: "s", scale: 1_000_000_000), Unit(name: "ms", scale: 1_000_000),
    Unit(name: "us", scale: 1_000), Unit(name: "ns", scale: 1),
  ]

  /// The units of sizes, largest first.
  static let sizeUnits = [
    Unit(name: "TiB", scale: 1 << 40), Unit(name: "TB", scale: 1_000_000_000_000),
    Unit(name: "GiB", scale: 1 << 30), Unit(name: "GB", scale: 1_000_000_000),
    Unit(name: "MiB", scale: 1 << 20), Unit(name: "MB", scale: 1_000_000),
    Unit(name: "KiB", scale: 1 << 10), Unit(name: "KB", scale: 1_000), Unit(name: "B", scale: 1),
  ]

  /// Reads `1h30m`; nil when the text is not a duration.
  package static func duration(_ text: String) -> Quantity? {
    sum(of: text, in: durationUnits, atMost: .max)
  }

  /// Reads `1.5KiB`; nil when the text is not a size.
  package static func size(_ text: String) -> Quantity? {
    sum(of: text, in: sizeUnits, atMost: 1)
  }

  private static func sum(of text: String, in units: [Unit], atMost limit: Int) -> Quantity? {
    var rest = Array(text.utf8)[...]
    var total: Int64? = 0
    var partCount = 0
    while !rest.isEmpty {
      let whole = takeDigits(&rest)
      var fraction: ArraySlice<UInt8> = []
      if rest.first == UInt8(ascii: ".") {
        rest.removeFirst()
        fraction = takeDigits(&rest)
        guard !fraction.isEmpty else { return nil }
      }
      let name = rest.prefix { !isDigit($0) }
      rest.removeFirst(name.count)
      guard !whole.isEmpty, let unit = units.first(where: { $0.name.utf8.elementsEqual(name) })
      else { return nil }
      let part = value(whole, fraction, unit.scale)
      total = total.flatMap { sum in part.flatMap(sum.adding) }
      partCount += 1
    }
    guard 1...limit ~= partCount else { return nil }
    return total.map(Quantity.exact) ?? .unrepresentable
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
  }

  private static func takeDigits(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let digits = rest.prefix(while: isDigit)
    rest.removeFirst(digits.count)
    return digits
  }

  /// `whole.fraction` times `scale`, when that is a whole number that fits.
  private static func value(
    _ whole: ArraySlice<UInt8>, _ fraction: ArraySlice<UInt8>, _ scale: Int64
  ) -> Int64? {
    guard let units = Int64(String(decoding: whole, as: UTF8.self)),
      let product = units.multiplied(by: scale)
    else { return nil }
    guard !fraction.isEmpty else { return product }
    // Eighteen digits times the largest scale stay far below 2^127.
    guard fraction.count <= 18, let digits = Int128(String(decoding: fraction, as: UTF8.self))
    else { return nil }
    let denominator = fraction.reduce(into: Int128(1)) { power, _ in power *= 10 }
    let (quotient, remainder) = (digits * Int128(scale)).quotientAndRemainder(
      dividingBy: denominator)
    return remainder == 0 ? product.adding(Int64(quotient)) : nil
  }

  /// The shortest exact spelling of a duration, largest unit first. Weeks are written as days, and the
  /// sign, if any, stands in front of the whole.
  static func durationText(_ nanoseconds: Int64) -> String {
    var rest = nanoseconds.magnitude
    guard rest > 0 else { return "0s" }
    var text = nanoseconds < 0 ? "-" : ""
    for unit in durationUnits.dropFirst() where rest >= UInt64(unit.scale) {
      text += "\(rest / UInt64(unit.scale))\(unit.name)"
      rest %= UInt64(unit.scale)
    }
    return text
  }

  /// A size in the largest unit that divides it.
  static func sizeText(_ bytes: Int64) -> String {
    guard bytes != 0, let unit = sizeUnits.first(where: { bytes % $0.scale == 0 })
    else { return "0B" }
    return "\(bytes / unit.scale)\(unit.name)"
  }
}

extension Int64 {
  /// The sum, or nil when it overflows.
  func adding(_ other: Int64) -> Int64? {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? nil : sum
  }

  /// The difference, or nil when it overflows.
  func subtracting(_ other: Int64) -> Int64? {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? nil : difference
  }

  /// The product, or nil when it overflows.
  func multiplied(by other: Int64) -> Int64? {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : product
  }
}
