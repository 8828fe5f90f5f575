/// Ways to compute CRC-32C in software. All give the same result.
package enum Checksum {
  /// Table `n` says what a byte that is followed by `n` zero bytes leaves in an empty register.
  nonisolated(unsafe) private static let tables: UnsafePointer<UInt32> = {
    let tables = UnsafeMutablePointer<UInt32>.allocate(capacity: 16 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82f6_3b78 : crc >> 1 }
      tables[byte] = crc
    }
    for index in 256..<16 * 256 {
      let shorter = tables[index - 256]
      tables[index] = tables[Int(shorter & 0xff)] ^ (shorter >> 8)
    }
    return UnsafePointer(tables)
  }()

  /// What a register becomes over `laneLength` zero bytes, and over twice as many, by its four bytes.
  private static let laneLength = 56
  nonisolated(unsafe) private static let overLanes: [UnsafePointer<UInt32>] = (1...2).map { lanes in
    let table = UnsafeMutablePointer<UInt32>.allocate(capacity: 4 * 256)
    for index in 0..<4 * 256 {
      var register = UInt32(index & 0xff) << UInt32(8 * (index >> 8))
      for _ in 0..<lanes * laneLength { register = tables[Int(register & 0xff)] ^ (register >> 8) }
      table[index] = register
    }
    return UnsafePointer(table)
  }

  /// A byte at a time, with one table.
  package static func bytewise(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let table = tables
    var crc = ~0 as UInt32
    for byte in bytes { crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
    return ~crc
  }

  /// Eight bytes at a time, with eight tables.
  package static func slicingBy8(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let table = tables
    var crc = ~0 as UInt32
    var offset = 0
    while offset + 8 <= bytes.count {
      crc = step(table, crc, bytes, offset)
      offset &+= 8
    }
    return ~rest(table, crc, bytes, offset)
  }

  /// Sixteen bytes at a time, with sixteen tables.
  package static func slicingBy16(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let table = tables
    var crc = ~0 as UInt32
    var offset = 0
    while offset + 16 <= bytes.count {
      crc =
        fold(table, 12, word(bytes, offset) ^ crc) ^ fold(table, 8, word(bytes, offset + 4))
        ^ fold(table, 4, word(bytes, offset + 8)) ^ fold(table, 0, word(bytes, offset + 12))
      offset &+= 16
    }
    return ~rest(table, crc, bytes, offset)
  }

  /// Two lanes side by side, eight bytes at a time each.
  package static func twoLanes(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let table = tables
    let shift = overLanes[0]
    var crc = ~0 as UInt32
    var offset = 0
    while offset + 2 * laneLength <= bytes.count {
      var second = 0 as UInt32
      for at in stride(from: offset, to: offset + laneLength, by: 8) {
        crc = step(table, crc, bytes, at)
        second = step(table, second, bytes, at + laneLength)
      }
      crc = advanced(shift, crc) ^ second
      offset &+= 2 * laneLength
    }
    return ~rest(table, crc, bytes, offset)
  }

  /// Three lanes side by side, eight bytes at a time each: the journal's.
  package static func threeLanes(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let table = tables
    let (one, two) = (overLanes[0], overLanes[1])
    var crc = ~0 as UInt32
    var offset = 0
    while offset + 3 * laneLength <= bytes.count {
      var (second, third) = (0 as UInt32, 0 as UInt32)
      for at in stride(from: offset, to: offset + laneLength, by: 8) {
        crc = step(table, crc, bytes, at)
        second = step(table, second, bytes, at + laneLength)
        third = step(table, third, bytes, at + 2 * laneLength)
      }
      crc = advanced(two, crc) ^ advanced(one, second) ^ third
      offset &+= 3 * laneLength
    }
    return ~rest(table, crc, bytes, offset)
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    UInt32(
      littleEndian: bytes.baseAddress.unsafelyUnwrapped.loadUnaligned(
        fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  private static func fold(
    _ table: UnsafePointer<UInt32>, _ distance: Int, _ word: UInt32
  ) -> UInt32 {
    table[(distance + 3) << 8 + Int(word & 0xff)]
      ^ table[(distance + 2) << 8 + Int(word >> 8 & 0xff)]
      ^ table[(distance + 1) << 8 + Int(word >> 16 & 0xff)]
      ^ table[distance << 8 + Int(word >> 24)]
  }

  @inline(__always)
  private static func step(
    _ table: UnsafePointer<UInt32>, _ crc: UInt32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
  ) -> UInt32 {
    fold(table, 4, word(bytes, offset) ^ crc) ^ fold(table, 0, word(bytes, offset + 4))
  }

  @inline(__always)
  private static func advanced(_ table: UnsafePointer<UInt32>, _ register: UInt32) -> UInt32 {
    table[Int(register & 0xff)] ^ table[256 + Int(register >> 8 & 0xff)]
      ^ table[512 + Int(register >> 16 & 0xff)] ^ table[768 + Int(register >> 24)]
  }

  /// The bytes from `offset` on, in steps of eight and then one by one.
  @inline(__always)
  private static func rest(
    _ table: UnsafePointer<UInt32>, _ crc: UInt32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
  ) -> UInt32 {
    var crc = crc
    var offset = offset
    while offset + 8 <= bytes.count {
      crc = step(table, crc, bytes, offset)
      offset &+= 8
    }
    while offset < bytes.count {
      crc = table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[offset])] ^ (crc >> 8)
      offset &+= 1
    }
    return crc
  }
}
