/// Reads values one after another from borrowed bytes, with every bound checked.
///
/// A read that does not fit returns nil and moves nothing, so a decoder of untrusted bytes turns nil into
/// its own error at `offset`. All integers are little-endian; variable-length ones are LEB128.
@usableFromInline
package struct ByteReader: ~Escapable {
  @usableFromInline
  package let bytes: RawSpan
  /// The offset of the next byte to be read.
  @usableFromInline
  package private(set) var offset = 0

  @inlinable
  @_lifetime(copy bytes)
  package init(_ bytes: RawSpan) {
    self.bytes = bytes
  }

  @inlinable
  package var remaining: Int { bytes.byteCount - offset }

  @inlinable
  package mutating func byte() -> UInt8? {
    integer(UInt8.self)
  }

  @inlinable
  package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T? {
    guard remaining >= MemoryLayout<T>.size else { return nil }
    defer { offset += MemoryLayout<T>.size }
    return bytes.littleEndian(type, at: offset)
  }

  /// An unsigned LEB128 integer of at most ten bytes; nil also when it does not fit 64 bits.
  @inlinable
  package mutating func varint() -> UInt64? {
    // Most have one byte.
    guard offset < bytes.byteCount, bytes[offset] < 0x80 else { return longVarint() }
    defer { offset += 1 }
    return UInt64(bytes[offset])
  }

  @usableFromInline
  mutating func longVarint() -> UInt64? {
    var value: UInt64 = 0
    var at = offset
    for shift in stride(from: 0, through: 63, by: 7) {
      guard at < bytes.byteCount else { return nil }
      let byte = bytes[at]
      at += 1
      if shift == 63 && byte > 1 { return nil }
      value |= UInt64(byte & 0x7f) << UInt64(shift)
      if byte < 0x80 {
        offset = at
        return value
      }
    }
    return nil
  }

  /// A varint that must be at most `limit`: how a decoder reads a count before it allocates.
  @inlinable
  package mutating func count(atMost limit: Int) -> Int? {
    let start = offset
    guard let value = varint(), value <= UInt64(limit) else {
      offset = start
      return nil
    }
    return Int(value)
  }

  /// The next `count` bytes, borrowed.
  @inlinable
  @_lifetime(copy self)
  package mutating func span(_ count: Int) -> RawSpan? {
    guard count >= 0, count <= remaining else { return nil }
    defer { offset += count }
    return bytes.extracting(offset..<offset + count)
  }

  /// The next `count` bytes as a string; nil also when they are not valid UTF-8.
  @inlinable
  package mutating func string(_ count: Int) -> String? {
    let start = offset
    guard let part = span(count) else { return nil }
    guard count > 0 else { return "" }
    guard let text = part.validString() else {
      offset = start
      return nil
    }
    return text
  }

  /// A varint byte count, then that many bytes of UTF-8.
  @inlinable
  package mutating func prefixedString() -> String? {
    let start = offset
    guard let count = count(atMost: remaining), let text = string(count) else {
      offset = start
      return nil
    }
    return text
  }
}
