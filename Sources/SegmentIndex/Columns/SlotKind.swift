internal import JournalKit

/// How a number stands for a piece of text that varies: the same number always gives the same text.
package enum SlotKind: Equatable, Sendable {
  /// Decimal digits without leading zeros.
  case number
  /// So many decimal digits.
  case digits(Int)
  /// So many hexadecimal digits in lower case.
  case hex(Int)
  /// So many hexadecimal digits in upper case.
  case upperHex(Int)
  /// A number with so many digits behind the point, of which zeros at the end are left out down to `least`. A
  /// point without digits is left out too.
  case fraction(scale: Int, least: Int)
  /// As `fraction`, but each number brings its own count of digits: sixteen times the number without its point,
  /// plus that count.
  case scaled
  /// Any text, which is kept elsewhere; the number is its length.
  case text

  /// The most digits of a slot: longer runs fill several slots.
  static let maximumDigitCount = 16
  /// The most digits behind a point.
  static let maximumScale = 15
}

// MARK: - Coding

extension SlotKind {
  /// Reads a kind: its number, and for those that have one a parameter.
  init?(_ reader: inout ByteReader) {
    guard let number = reader.byte() else { return nil }
    switch number {
    case 1: self = .number
    case 2, 3, 4:
      guard let count = reader.byte().map({ Int($0) }), 1...Self.maximumDigitCount ~= count
      else { return nil }
      self = number == 2 ? .digits(count) : number == 3 ? .hex(count) : .upperHex(count)
    case 5:
      guard let byte = reader.byte(), byte & 15 <= byte >> 4 else { return nil }
      self = .fraction(scale: Int(byte >> 4), least: Int(byte & 15))
    case 6: self = .scaled
    case 7: self = .text
    default: return nil
    }
  }

  /// Writes what `init(_:)` reads.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .number: writer.byte(1)
    case .digits(let count): writer.bytes += [2, UInt8(count)]
    case .hex(let count): writer.bytes += [3, UInt8(count)]
    case .upperHex(let count): writer.bytes += [4, UInt8(count)]
    case .fraction(let scale, let least): writer.bytes += [5, UInt8(scale << 4 | least)]
    case .scaled: writer.byte(6)
    case .text: writer.byte(7)
    }
  }
}

// MARK: - Text

extension SlotKind {
  /// Whether it is a slot of text.
  @inline(__always)
  var isText: Bool { if case .text = self { true } else { false } }

  /// The most bytes that `write` writes.
  var maximumLength: Int {
    switch self {
    case .number: 20
    case .digits(let count), .hex(let count), .upperHex(let count): count
    case .fraction, .scaled: 22
    case .text: 0
    }
  }

  /// Writes the text that `number` stands for over the bytes from `offset` on, and returns where it ends. A slot
  /// of text writes nothing.
  @inline(__always)
  func write(_ number: UInt64, to output: inout MutableSpan<UInt8>, at offset: Int) -> Int {
    switch self {
    case .number: output.writeDecimal(number, at: offset)
    case .digits(let count): output.writeDigits(number, count: count, at: offset)
    case .hex(let count): output.writeHex(number, count: count, letterOffset: 0x57, at: offset)
    case .upperHex(let count): output.writeHex(number, count: count, letterOffset: 0x37, at: offset)
    case .fraction(let scale, let least):
      output.writeFraction(number, scale: scale, least: least, at: offset)
    case .scaled:
      output.writeFraction(
        number >> 4, scale: Int(number & 15), least: Int(number & 15), at: offset)
    case .text: offset
    }
  }

  /// What the text that `number` stands for means as a JSON number, for slots whose `isJSONNumber` is true; else
  /// nil or anything.
  package func jsonNumber(_ number: UInt64, isNegative: Bool) -> JSONNumber? {
    let (mantissa, scale, least): (UInt64, Int, Int)
    switch self {
    case .number: (mantissa, scale, least) = (number, 0, 0)
    case .fraction(let digits, let fewest): (mantissa, scale, least) = (number, digits, fewest)
    case .scaled: (mantissa, scale, least) = (number >> 4, Int(number & 15), Int(number & 15))
    case .digits, .hex, .upperHex, .text: return nil
    }
    let power = wholePowersOfTen[scale]
    if least == 0, mantissa % power == 0 {
      guard let whole = Int64(exactly: mantissa / power) else { return nil }
      return .int(isNegative ? -whole : whole)
    }
    // Both are exact doubles, so there is one rounding.
    let value = Double(mantissa) / Double(power)
    return .double(isNegative ? -value : value)
  }
}

extension TextPatterns.Slot {
  /// Whether every text that the slot can have is a JSON number, and `SlotKind.jsonNumber` exactly what it means.
  package var isJSONNumber: Bool {
    let span: UInt64 = width == 0 ? 0 : .max >> UInt64(64 - width)
    let (greatest, overflow) = base.addingReportingOverflow(span)
    guard !overflow else { return false }
    return switch kind {
    case .number: greatest <= Int64.max
    case .fraction: greatest <= 1 << 53
    case .scaled: greatest >> 4 <= 1 << 53
    case .digits, .hex, .upperHex, .text: false
    }
  }
}

/// The powers of ten up to the greatest scale.
let wholePowersOfTen: [UInt64] = [
  1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
  1_000_000_000_000_000,
]

extension UInt64 {
  /// How many decimal digits this has.
  @inline(__always)
  var decimalDigitCount: Int {
    var count = 1
    var limit: UInt64 = 10
    while self >= limit {
      count += 1
      guard count < 20 else { break }
      limit &*= 10
    }
    return count
  }
}

extension MutableSpan<UInt8> {
  @inline(__always)
  fileprivate mutating func writeDecimal(_ number: UInt64, at offset: Int) -> Int {
    writeDigits(number, count: number.decimalDigitCount, at: offset)
  }

  @inline(__always)
  fileprivate mutating func writeDigits(_ number: UInt64, count: Int, at offset: Int) -> Int {
    var rest = number
    var at = offset + count
    while at > offset + 1 {
      at -= 2
      let quotient = rest / 100
      let pair = UInt32(truncatingIfNeeded: rest &- quotient &* 100)
      // A tenth, of numbers below 100.
      let tens = (pair &* 103) &>> 10
      self[at] = 0x30 + UInt8(truncatingIfNeeded: tens)
      self[at + 1] = 0x30 + UInt8(truncatingIfNeeded: pair &- tens &* 10)
      rest = quotient
    }
    if at > offset { self[offset] = 0x30 + UInt8(truncatingIfNeeded: rest % 10) }
    return offset + count
  }

  @inline(__always)
  fileprivate mutating func writeHex(
    _ number: UInt64, count: Int, letterOffset: UInt8, at offset: Int
  ) -> Int {
    var rest = number
    var at = offset + count
    while at > offset {
      at -= 1
      let digit = UInt8(truncatingIfNeeded: rest & 15)
      self[at] = digit &+ (digit < 10 ? 0x30 : letterOffset)
      rest >>= 4
    }
    return offset + count
  }

  fileprivate mutating func writeFraction(
    _ number: UInt64, scale: Int, least: Int, at offset: Int
  ) -> Int {
    var mantissa = number
    var digits = scale
    while digits > least, mantissa % 10 == 0 {
      mantissa /= 10
      digits -= 1
    }
    guard digits > 0 else { return writeDecimal(mantissa, at: offset) }
    let (whole, rest) = mantissa.quotientAndRemainder(dividingBy: wholePowersOfTen[digits])
    let point = writeDecimal(whole, at: offset)
    self[point] = UInt8(ascii: ".")
    return writeDigits(rest, count: digits, at: point + 1)
  }
}
