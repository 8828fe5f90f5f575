// Bytes that somebody else produces in place.

extension Array where Element == UInt8 {
  /// Makes these bytes `start` zeros and then what `body` produces, at most `capacity` bytes, and returns how many
  /// those are. Nil when `body` returned false: then these bytes are none.
  mutating func fill(
    from start: Int, capacity: Int, _ body: (inout OutputRawSpan) -> Bool
  ) -> Int? {
    removeAll(keepingCapacity: true)
    append(contentsOf: repeatElement(0, count: start + capacity))
    let length = unsafe withUnsafeMutableBytes { bytes -> Int? in
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
      var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
      let isWanted = body(&output)
      let count = unsafe output.finalize(for: room)
      return isWanted ? count : nil
    }
    removeLast(length.map { capacity - $0 } ?? count)
    return length
  }

  /// Stores `value` as little-endian bytes at `offset`, where it must fit.
  mutating func store<T: FixedWidthInteger & BitwiseCopyable>(_ value: T, at offset: Int) {
    precondition(offset >= 0 && offset <= count - MemoryLayout<T>.size)
    unsafe withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: value.littleEndian, toByteOffset: offset, as: T.self)
    }
  }
}
