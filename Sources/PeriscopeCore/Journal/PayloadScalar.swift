import JournalKit

/// A type whose values are written with one call.
protocol PayloadScalar: Encodable {
  func write(to text: TextBuffer)
}

extension Bool: PayloadScalar {
  func write(to text: TextBuffer) { text.append(self) }
}

extension String: PayloadScalar {
  func write(to text: TextBuffer) { text.append(quoted: self) }
}

extension PayloadScalar where Self: FixedWidthInteger {
  @inline(__always)
  func write(to text: TextBuffer) {
    if let value = Int64(exactly: self) {
      text.append(value)
    } else {
      text.append(raw: description)
    }
  }
}

extension Int: PayloadScalar {}
extension Int8: PayloadScalar {}
extension Int16: PayloadScalar {}
extension Int32: PayloadScalar {}
extension Int64: PayloadScalar {}
extension Int128: PayloadScalar {}
extension UInt: PayloadScalar {}
extension UInt8: PayloadScalar {}
extension UInt16: PayloadScalar {}
extension UInt32: PayloadScalar {}
extension UInt64: PayloadScalar {}
extension UInt128: PayloadScalar {}

extension PayloadScalar where Self: BinaryFloatingPoint & LosslessStringConvertible {
  /// The fewest digits that read back as the same number of this type; a whole number without a fraction.
  @inline(__always)
  fileprivate func write(to text: TextBuffer, _ fraction: (TextBuffer) -> Void) {
    // Below that there are fractions, every whole number is one of this type, and none is described with an exponent.
    let limit = Self(UInt64(1) << UInt64(Self.significandBitCount))
    if magnitude < limit, self != 0 {
      let whole = Int64(self)
      return Self(whole) == self ? text.append(whole) : fraction(text)
    }
    guard isFinite else {
      return text.append(quoted: isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity")
    }
    let digits = description
    text.append(raw: digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }
}

extension Float: PayloadScalar {
  func write(to text: TextBuffer) {
    write(to: text) { $0.append(raw: description) }
  }
}

extension Double: PayloadScalar {
  func write(to text: TextBuffer) {
    write(to: text) { $0.append(self) }
  }
}
