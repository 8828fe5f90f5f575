/// Appends values to a growing array of bytes, in the encodings that `ByteReader` reads.
@usableFromInline
package struct ByteWriter: Sendable {
  @usableFromInline
  package var bytes: [UInt8] = []

  @inlinable
  package init() {}

  @inlinable
  package var count: Int { bytes.count }

  @inlinable
  package mutating func byte(_ value: UInt8) {
    bytes.append(value)
  }

  @inlinable @inline(__always)
  package mutating func integer<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
    bytes.append(littleEndian: value)
  }

  @inlinable
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  @inlinable
  package mutating func append(_ span: RawSpan) {
    bytes.append(span)
  }

  /// A varint byte count, then the UTF-8 bytes.
  @inlinable
  package mutating func prefixedString(_ text: String) {
    varint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Zeros up to the next multiple of `alignment`, a power of two.
  @inlinable
  package mutating func pad(to alignment: Int) {
    while bytes.count & (alignment - 1) != 0 { bytes.append(0) }
  }
}
