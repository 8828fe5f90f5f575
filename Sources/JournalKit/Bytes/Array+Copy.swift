// Bulk copies into bytes of fixed length, for decoders: the bounds are checked once for each copy.

extension Array where Element == UInt8 {
  /// Appends `source`.
  @inlinable
  package mutating func append(_ source: RawSpan) {
    let count = source.byteCount
    guard count <= 64 else {
      return unsafe source.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }
    append(addingCapacity: count) { output in
      unsafe output.withUnsafeMutableBufferPointer { target, initialized in
        unsafe source.withUnsafeBytes { source in
          guard let to = target.baseAddress, let from = source.baseAddress else { return }
          unsafe copyForward(from, to: UnsafeMutableRawPointer(to), count: count, distance: .max)
        }
        initialized = count
      }
    }
  }

  /// Appends the bytes of an integer, the lowest first.
  @inlinable @inline(__always)
  package mutating func append<T: FixedWidthInteger & BitwiseCopyable>(littleEndian value: T) {
    append(addingCapacity: MemoryLayout<T>.size) { output in
      unsafe output.withUnsafeMutableBufferPointer { target, initialized in
        let target = UnsafeMutableRawBufferPointer(target)
        unsafe target.storeBytes(of: value.littleEndian, as: T.self)
        initialized = MemoryLayout<T>.size
      }
    }
  }

  /// Copies `source` over the bytes from `offset` on, where it must fit.
  @inlinable
  package mutating func overwrite(at offset: Int, with source: RawSpan) {
    var bytes = mutableSpan
    bytes.overwrite(at: offset, with: source)
  }

  /// Copies the bytes of `range` over those from `offset` on, where they must fit; the two may overlap.
  package mutating func move(_ range: Range<Int>, to offset: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    precondition(offset >= 0 && range.count <= count - offset)
    unsafe withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      unsafe (base + offset).copyMemory(from: base + range.lowerBound, byteCount: range.count)
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
      unsafe copyForward(target - distance, to: target, count: count, distance: distance)
    }
  }
}

extension MutableSpan where Element == UInt8 {
  /// Copies `source` over the bytes from `offset` on, where it must fit.
  @inlinable @_lifetime(self: copy self)
  package mutating func overwrite(at offset: Int, with source: RawSpan) {
    let count = source.byteCount
    precondition(offset >= 0 && count <= self.count - offset)
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        if count > 32 {
          unsafe (to + offset).copyMemory(from: from, byteCount: count)
        } else {
          unsafe copyForward(from, to: to + offset, count: count, distance: .max)
        }
      }
    }
  }
}

extension MutableSpan where Element == UInt8 {
  /// Copies the bytes of `range` of `source` over those from `offset` on, where they must fit. Up to 15 bytes behind them
  /// may become anything.
  ///
  /// Where there is room, a short copy is always of sixteen bytes, and so takes no branch on its length.
  @inlinable @inline(__always) @_lifetime(self: copy self)
  package mutating func overwrite(
    at offset: Int, with source: RawSpan, _ range: Range<Int>
  ) {
    let room = 16
    guard range.count <= room, range.lowerBound <= source.byteCount - room,
      offset >= 0, offset <= self.count - room
    else { return overwrite(at: offset, with: source.extracting(range)) }
    unsafe withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { source in
        guard let to = target.baseAddress, let from = source.baseAddress else { return }
        unsafe copy(UInt64.self, from + range.lowerBound, to + offset, at: 0)
        unsafe copy(UInt64.self, from + range.lowerBound, to + offset, at: 8)
      }
    }
  }
}

/// Copies `count` bytes, front to back, where the source begins `distance` before the target or does not
/// overlap with it.
///
/// Short copies are the usual ones, and a call of the C library's costs more than they do. Steps of eight or
/// four bytes are right as long as none reads what it writes itself; the last step may overlap the one
/// before, because it then writes the same bytes again.
@inlinable @inline(__always)
package func copyForward(
  _ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int, distance: Int
) {
  if distance >= 8, count >= 8 {
    var done = 0
    while done < count - 8 {
      unsafe copy(UInt64.self, source, target, at: done)
      done += 8
    }
    unsafe copy(UInt64.self, source, target, at: count - 8)
  } else if distance >= 4, count >= 4 {
    var done = 0
    while done < count - 4 {
      unsafe copy(UInt32.self, source, target, at: done)
      done += 4
    }
    unsafe copy(UInt32.self, source, target, at: count - 4)
  } else {
    for done in 0..<count { unsafe copy(UInt8.self, source, target, at: done) }
  }
}

/// Copies the bytes of one integer.
@inlinable @inline(__always)
package func copy<T: FixedWidthInteger & BitwiseCopyable>(
  _ type: T.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutableRawPointer, at offset: Int
) {
  let word = unsafe source.loadUnaligned(fromByteOffset: offset, as: type)
  unsafe target.storeBytes(of: word, toByteOffset: offset, as: type)
}
