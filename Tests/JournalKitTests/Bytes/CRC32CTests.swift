import JournalKit
import TestSupport
import Testing

@Suite struct CRC32CTests {
  @Test func standardVector() {
    #expect(CRC32C.checksum(Array("123456789".utf8).rawSpan) == 0xe306_9283)
    #expect(CRC32C.checksum([UInt8]().rawSpan) == 0)
  }

  /// RFC 3720, B.4; the values there are printed byte by byte as they travel.
  @Test func vectorsOfTheStandard() {
    let ascending = (0..<32).map { UInt8($0) }
    #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32).rawSpan) == 0x8a91_36aa)
    #expect(CRC32C.checksum([UInt8](repeating: 0xff, count: 32).rawSpan) == 0x62a8_ab43)
    #expect(CRC32C.checksum(ascending.rawSpan) == 0x46dd_794e)
    #expect(CRC32C.checksum([UInt8](ascending.reversed()).rawSpan) == 0x113f_db5c)
    let read: [UInt8] =
      [0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0]
      + [0, 0x14, 0, 0, 0, 0x18, 0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0]
    #expect(CRC32C.checksum(read.rawSpan) == 0xd996_3a56)
  }

  @Test func everyLengthAndAlignmentAgreesWithTheDefinition() {
    var random = SeededRandom(seed: 1)
    let bytes = random.bytes(160)
    for start in 0..<17 {
      for end in start..<bytes.count {
        let part = bytes.rawSpan.extracting(start..<end)
        #expect(CRC32C.checksum(part) == bitByBit(bytes[start..<end]), "\(start)..<\(end)")
      }
    }
  }

  /// Around the lengths at which another lane, or another round of lanes, begins.
  @Test func longInputAgreesWithTheDefinition() {
    var random = SeededRandom(seed: 4)
    let bytes = random.bytes(4100)
    for length in Array(130...310) + [350, 431, 432, 433, 575, 576, 577, 1000, 4096, 4100] {
      for start in [0, 1, 7] where start + length <= bytes.count {
        let part = bytes.rawSpan.extracting(start..<start + length)
        #expect(
          CRC32C.checksum(part) == bitByBit(bytes[start..<start + length]),
          "\(start)..<\(start + length)")
      }
    }
  }

  @Test func piecesMakeTheWhole() {
    var random = SeededRandom(seed: 2)
    let bytes = random.bytes(300)
    for cut in 0...bytes.count {
      var crc = CRC32C()
      crc.update(bytes.rawSpan.extracting(0..<cut))
      crc.update(bytes.rawSpan.extracting(cut..<bytes.count))
      #expect(crc.value == CRC32C.checksum(bytes.rawSpan))
    }
  }

  @Test func integersAreTheirLittleEndianBytes() {
    var writer = ByteWriter()
    writer.integer(0x0123_4567_89ab_cdef as UInt64)
    writer.integer(0xdead_beef as UInt32)
    var crc = CRC32C()
    crc.update(0x0123_4567_89ab_cdef as UInt64)
    crc.update(0xdead_beef as UInt32)
    #expect(crc.value == CRC32C.checksum(writer.bytes.rawSpan))
  }

  @Test func lastNumberIsFoundFromTheChecksum() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<1000 {
      let number = UInt32.random(in: 0 ... .max, using: &random)
      var crc = CRC32C()
      crc.update(random.bytes(Int(number % 40)).rawSpan)
      var whole = crc
      whole.update(number)
      #expect(crc.lastNumber(for: whole.value) == number, "\(random)")
    }
  }

  private func bitByBit(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var crc: UInt32 = ~0
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82f6_3b78 : crc >> 1 }
    }
    return ~crc
  }
}
