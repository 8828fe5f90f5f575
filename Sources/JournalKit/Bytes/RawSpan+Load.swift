// Reading single values out of borrowed bytes. In this toolchain every load from a `RawSpan`, and the
// way from an array to one, is marked unsafe: these few checked doors are the only places that need it.

extension RawSpan {
  /// The byte at `offset`, which must be in bounds.
  @inlinable @inline(__always)
  package subscript(offset: Int) -> UInt8 {
    precondition(offset >= 0 && offset < byteCount)
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The little-endian integer at `offset`, which needs no alignment but must be in bounds.
  @inlinable @inline(__always)
  package func littleEndian<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, at offset: Int
  ) -> T {
    precondition(offset >= 0 && offset <= byteCount - MemoryLayout<T>.size)
    return unsafe T(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: T.self))
  }

  /// A copy of these bytes.
  @inlinable
  package func toArray() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }
}

extension Array where Element == UInt8 {
  /// The array's bytes, borrowed.
  @inlinable
  package var rawSpan: RawSpan {
    @_lifetime(borrow self)
    get { unsafe span.bytes }
  }
}
