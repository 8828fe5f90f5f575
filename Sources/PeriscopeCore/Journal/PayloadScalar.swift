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

// A number that is not whole: the fewest digits that read back as the same number of its type; a whole number has no fraction.
// Below a limit there are fractions, every whole number is one of the type, and none is described with an exponent. The limit
// and the conversions stand in each type: for any type of a kind, they are calls into the standard library.

extension Float: PayloadScalar {
  func write(to text: TextBuffer) {
    guard magnitude < 0x1p23, self != 0 else { return writeDescription(to: text) }
    let whole = Int64(self)
    if Float(whole) == self { text.append(whole) } else { text.append(raw: description) }
  }
}

extension Double: PayloadScalar {
  func write(to text: TextBuffer) {
    guard magnitude < 0x1p52, self != 0 else { return writeDescription(to: text) }
    let whole = Int64(self)
    if Double(whole) == self { text.append(whole) } else { text.append(self) }
  }
}

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// Writes zero, a number that is whole because it is so large, and what is no number for JSON.
  fileprivate func writeDescription(to text: TextBuffer) {
    guard isFinite else {
      return text.append(quoted: isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity")
    }
    let digits = description
    text.append(raw: digits.hasSuffix(".0") ? String(digits.dropLast(2)) : digits)
  }
}
