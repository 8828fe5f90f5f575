/// A text in the form in which texts are compared when neither case nor spelling matters: normal form C,
/// and then every scalar's case folded. Bytes that are not UTF-8 stay as they are.
package func foldedText(_ text: Span<UInt8>) -> [UInt8] {
  // The tables take milliseconds to make, and most questions never need them.
  if text.isASCII {
    return text.indices.map {
      UInt8(ascii: "A")...UInt8(ascii: "Z") ~= text[$0] ? text[$0] | 0x20 : text[$0]
    }
  }
  /// Stands for a byte that is not UTF-8, with the byte added.
  let strayByte: UInt32 = 0x11_0000
  let (form, folding) = (CanonicalForm.shared, CaseFolding.shared)
  var scalars: [UInt32] = []
  scalars.reserveCapacity(text.count)
  var isNormal = true
  var position = 0
  while position < text.count {
    guard let (scalar, length) = text.scalar(at: position) else {
      scalars.append(strayByte + UInt32(text[position]))
      position += 1
      continue
    }
    scalars.append(scalar.value)
    if isNormal { isNormal = form.isInert(scalar.value) }
    position += length
  }
  if !isNormal { scalars = form.normalized(scalars) }
  var result: [UInt8] = []
  result.reserveCapacity(text.count)
  for value in scalars {
    if let scalar = Unicode.Scalar(folding.folded(value)) {
      result.append(utf8: scalar)
    } else {
      result.append(UInt8(truncatingIfNeeded: value))
    }
  }
  return result
}

extension [UInt8] {
  /// Appends the encoding of a scalar.
  fileprivate mutating func append(utf8 scalar: Unicode.Scalar) {
    if scalar.isASCII {
      append(UInt8(scalar.value))
    } else if let encoded = UTF8.encode(scalar) {
      append(contentsOf: encoded)
    }
  }
}
