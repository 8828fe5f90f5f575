// Bulk copies into bytes of fixed length, for decoders: the bounds are checked once for each copy.

extension Array where Element == UInt8 {
  /// Appends `source`.
  @inlinable
  package mutating func append(_ source: RawSpan) {
    unsafe source.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  /// Copies `source` over the bytes from `offset` on, where it must fit.
  @inlinable
  package mutating func overwrite(at offset: Int, with source: RawSpan) {
    let count = source.byteCount
    precondition(offset >= 0 && count <= self.count - offset)
    guard count > 0 else { return }
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + count])
        unsafe rest.copyMemory(from: source)
      }
    }
  }

  /// Fills the `count` bytes from `offset` on with the bytes `distance` before each, front to back: a
  /// distance shorter than the count repeats what lies between.
  @inlinable
  package mutating func `repeat`(distance: Int, at offset: Int, count: Int) {
    precondition(distance > 0 && distance <= offset && count >= 0 && count <= self.count - offset)
    unsafe withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      let target = unsafe base + offset
      let source = unsafe target - distance
      var done = 0
      // Eight at a time is right as long as no step reads what the same step writes.
      if distance >= 8 {
        while done <= count - 8 {
          let word = unsafe source.loadUnaligned(fromByteOffset: done, as: UInt64.self)
          unsafe target.storeBytes(of: word, toByteOffset: done, as: UInt64.self)
          done += 8
        }
      }
      while done < count {
        let byte = unsafe source.load(fromByteOffset: done, as: UInt8.self)
        unsafe target.storeBytes(of: byte, toByteOffset: done, as: UInt8.self)
        done += 1
      }
    }
  }
}
