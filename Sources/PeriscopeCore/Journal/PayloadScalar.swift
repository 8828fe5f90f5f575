import SegmentIndex

/// A type whose values are written with one call.
protocol PayloadScalar: Encodable {
  func write(to json: inout JSONWriter)
}

extension Bool: PayloadScalar {
  func write(to json: inout JSONWriter) { json.value(self) }
}

extension String: PayloadScalar {
  func write(to json: inout JSONWriter) { json.value(self) }
}

extension PayloadScalar where Self: FixedWidthInteger {
  @inline(__always)
  func write(to json: inout JSONWriter) {
    if let value = Int64(exactly: self) { json.value(value) } else { json.number(description) }
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
  func write(to json: inout JSONWriter) {
    guard isFinite else { return json.value(Double(self)) }
    let text = description
    json.number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

extension Float: PayloadScalar {}
extension Double: PayloadScalar {}
