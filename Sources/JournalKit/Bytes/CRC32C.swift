/// The Castagnoli cyclic redundancy check, as iSCSI and ext4 use it (RFC 3720, B.4).
///
/// It finds every burst of damage up to 32 bits, and others with a chance of all but one in 2^32.
///
/// Tables take eight or sixteen bytes per step, but each step has to wait for the one before. So longer input is
/// taken as three lanes side by side, whose registers a table of their own joins (measured for 350 bytes: 111 ns,
/// where steps of sixteen bytes alone need 195).
///
/// A value that was made from another finds the tables without asking for them, which would cost as much as twenty
/// bytes do.
package struct CRC32C: Equatable, Sendable {
  /// The register, kept inverted as the standard has it between updates.
  private var register: UInt32 = ~0
  private let tables = CRC32CTables.shared

  package init() {}

  package static func == (left: CRC32C, right: CRC32C) -> Bool { left.register == right.register }

  /// The checksum of everything so far.
  package var value: UInt32 { ~register }

  /// The checksum of `bytes`.
  package static func checksum(_ bytes: RawSpan) -> UInt32 {
    var crc = CRC32C()
    crc.update(bytes)
    return crc.value
  }

  /// Takes in `bytes`.
  package mutating func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// Takes in the eight little-endian bytes of `value`.
  package mutating func update(_ value: UInt64) {
    let table = unsafe tables.entries
    let low = UInt32(truncatingIfNeeded: value) ^ register
    let high = UInt32(truncatingIfNeeded: value >> 32)
    register = unsafe Self.fold(table, 4, low) ^ Self.fold(table, 0, high)
  }

  /// Takes in the sixteen little-endian bytes of two values, faster than one after the other.
  package mutating func update(_ first: UInt64, _ second: UInt64) {
    let table = unsafe tables.entries
    let front = first ^ UInt64(register)
    register =
      unsafe Self.fold(table, 12, UInt32(truncatingIfNeeded: front))
      ^ Self.fold(table, 8, UInt32(truncatingIfNeeded: front >> 32))
    register ^=
      unsafe Self.fold(table, 4, UInt32(truncatingIfNeeded: second))
      ^ Self.fold(table, 0, UInt32(truncatingIfNeeded: second >> 32))
  }

  /// Takes in the four little-endian bytes of `value`.
  package mutating func update(_ value: UInt32) {
    let table = unsafe tables.entries
    register = unsafe Self.fold(table, 0, value ^ register)
  }

  /// The number whose four little-endian bytes make `checksum` of what has been taken in so far.
  ///
  /// There is always exactly one: four last bytes pass through the check one to one. So a checksum
  /// over data whose last number is unknown tells that number, if the rest is undamaged.
  package func lastNumber(for checksum: UInt32) -> UInt32 {
    // One step forward is `table[(r ^ byte) & 0xff] ^ (r >> 8)`. The topmost byte of every table entry
    // is different, so it names the entry, and four steps of zero bytes can be taken back.
    var state = ~checksum
    for _ in 0..<4 {
      let index = unsafe tables.inverse[Int(state >> 24)]
      state = (unsafe state ^ tables.entries[Int(index)]) << 8 | index
    }
    return state ^ register
  }

  private mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard var next = bytes.baseAddress else { return }
    let table = unsafe tables.entries
    let end = unsafe next + bytes.count
    var crc = register
    while unsafe end - next >= 3 * Self.laneLength {
      crc = unsafe lanes(crc, next)
      unsafe next += 3 * Self.laneLength
    }
    while unsafe end - next >= 16 {
      let a = unsafe UInt32(littleEndian: next.loadUnaligned(as: UInt32.self)) ^ crc
      let b = unsafe UInt32(littleEndian: next.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
      let c = unsafe UInt32(littleEndian: next.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
      let d = unsafe UInt32(littleEndian: next.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
      crc = unsafe Self.fold(table, 12, a) ^ Self.fold(table, 8, b)
      crc ^= unsafe Self.fold(table, 4, c) ^ Self.fold(table, 0, d)
      unsafe next += 16
    }
    register = unsafe Self.rest(table, crc, next, count: end - next)
  }

  /// What `crc` becomes over the last bytes, fewer than sixteen. As in a longer step, none waits for another.
  @inline(__always)
  private static func rest(
    _ table: UnsafePointer<UInt32>, _ crc: UInt32, _ bytes: UnsafeRawPointer, count: Int
  ) -> UInt32 {
    var left = crc
    var folded: UInt32 = 0
    var distance = unsafe table + count << 8
    var offset = 0
    while offset < count {
      unsafe distance -= 256
      let byte = unsafe bytes.load(fromByteOffset: offset, as: UInt8.self)
      unsafe folded ^= distance[Int(byte ^ UInt8(truncatingIfNeeded: left))]
      left >>= 8
      offset &+= 1
    }
    return folded ^ left
  }

  /// A multiple of eight, small enough that an entry of a few hundred bytes has lanes, and large enough that
  /// joining them costs little.
  fileprivate static let laneLength = 56

  /// What `crc` becomes over three lanes of bytes, one behind the other at `start`.
  @inline(__always)
  private func lanes(_ crc: UInt32, _ start: UnsafeRawPointer) -> UInt32 {
    let table = unsafe tables.entries
    let length = Self.laneLength
    var (first, second, third) = (crc, 0 as UInt32, 0 as UInt32)
    for offset in stride(from: 0, to: length, by: 8) {
      unsafe first = Self.step(table, first, start + offset)
      unsafe second = Self.step(table, second, start + length + offset)
      unsafe third = Self.step(table, third, start + 2 * length + offset)
    }
    // The checksum of a concatenation: the register of the front, moved over zeros in place of the rest.
    return unsafe Self.advanced(tables.overTwoLanes, first)
      ^ Self.advanced(tables.overOneLane, second) ^ third
  }

  /// What `register` becomes over eight bytes.
  @inline(__always)
  private static func step(
    _ table: UnsafePointer<UInt32>, _ register: UInt32, _ bytes: UnsafeRawPointer
  ) -> UInt32 {
    let low = unsafe UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) ^ register
    let high = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    return unsafe fold(table, 4, low) ^ fold(table, 0, high)
  }

  /// What `register` becomes over as many zero bytes as `table` is for.
  @inline(__always)
  private static func advanced(_ table: UnsafePointer<UInt32>, _ register: UInt32) -> UInt32 {
    unsafe table[Int(register & 0xff)] ^ table[256 + Int(register >> 8 & 0xff)]
      ^ table[512 + Int(register >> 16 & 0xff)] ^ table[768 + Int(register >> 24)]
  }

  /// The four bytes of `word`, followed by `distance` zero bytes.
  @inline(__always)
  private static func fold(
    _ table: UnsafePointer<UInt32>, _ distance: Int, _ word: UInt32
  ) -> UInt32 {
    unsafe table[(distance + 3) << 8 + Int(word & 0xff)]
      ^ table[(distance + 2) << 8 + Int(word >> 8 & 0xff)]
      ^ table[(distance + 1) << 8 + Int(word >> 16 & 0xff)]
      ^ table[distance << 8 + Int(word >> 24)]
  }
}

/// The tables, one behind the other.
///
/// `@unchecked` because of the pointer: its 25 KiB are filled before anyone sees them, never change and are
/// never freed.
@safe
private struct CRC32CTables: @unchecked Sendable {
  static let shared = CRC32CTables()

  /// Entry `n * 256 + b` is what byte `b` followed by `n` zero bytes leaves in an empty register.
  let entries: UnsafePointer<UInt32>
  /// Entry `n * 256 + b` is what a register whose byte `n` is `b` becomes over the zeros of one lane.
  @inline(__always)
  var overOneLane: UnsafePointer<UInt32> { unsafe entries + 16 * 256 }
  @inline(__always)
  var overTwoLanes: UnsafePointer<UInt32> { unsafe entries + 20 * 256 }
  /// The byte whose entry in the first table has a given topmost byte.
  var inverse: UnsafePointer<UInt32> { unsafe entries + 24 * 256 }

  private init() {
    let entries = UnsafeMutablePointer<UInt32>.allocate(capacity: 25 * 256)
    for byte in 0..<256 {
      var crc = UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82f6_3b78 : crc >> 1 }
      unsafe (entries + byte).initialize(to: crc)
      unsafe (entries + 24 * 256 + Int(crc >> 24)).initialize(to: UInt32(byte))
    }
    for index in 256..<16 * 256 {
      let shorter = unsafe entries[index - 256]
      unsafe (entries + index).initialize(to: entries[Int(shorter & 0xff)] ^ (shorter >> 8))
    }
    for lanes in 1...2 {
      let table = unsafe entries + (12 + 4 * lanes) * 256
      for index in 0..<4 * 256 {
        let byte = index & 0xff
        var register = UInt32(byte) << UInt32(8 * (index >> 8))
        if byte & (byte - 1) == 0 {
          for _ in 0..<lanes * CRC32C.laneLength {
            register = unsafe entries[Int(register & 0xff)] ^ (register >> 8)
          }
        } else {
          // Every bit goes its own way, so those of single bits make all others.
          let lowest = byte & -byte
          register = unsafe table[index - lowest] ^ table[index - byte + lowest]
        }
        unsafe (table + index).initialize(to: register)
      }
    }
    unsafe self.entries = UnsafePointer(entries)
  }
}
