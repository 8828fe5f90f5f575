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

  /// Eight bytes as a little-endian integer, or what there is of them.
  @inlinable @inline(__always)
  package func word(_ index: Int) -> UInt64 {
    let start = index &* 8
    if start <= byteCount - 8 { return littleEndian(UInt64.self, at: start) }
    var word: UInt64 = 0
    for at in start..<Swift.max(start, byteCount) { word |= UInt64(self[at]) << UInt64(at % 8 * 8) }
    return word
  }

  /// How many bits are set in these words, of which the last may be cut short.
  @inlinable
  package func bitCount(atWord words: Range<Int>) -> Int {
    precondition(words.lowerBound >= 0 && words.upperBound <= (byteCount + 7) / 8)
    let whole = Swift.min(words.upperBound, byteCount / 8)
    var count: UInt64 = 0
    // A loop without checks becomes vector instructions.
    unsafe withUnsafeBytes { bytes in
      for index in words.lowerBound..<Swift.max(words.lowerBound, whole) {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index &* 8, as: UInt64.self)
        count &+= UInt64(truncatingIfNeeded: word.nonzeroBitCount)
      }
    }
    for index in Swift.max(words.lowerBound, whole)..<words.upperBound {
      count &+= UInt64(truncatingIfNeeded: word(index).nonzeroBitCount)
    }
    return Int(truncatingIfNeeded: count)
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
