import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct PackedSegmentTests {
  /// A segment of records that have much in common.
  static func bytes(count: Int = 300) throws -> [UInt8] {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for sequence in 1...UInt64(count) {
      var record = RandomRecords.full
      record.sequence = sequence
      record.time = Int64(sequence) * 1_000
      record.message = "request \(sequence * 7919) took \(sequence % 13) ms"
      builder.append(record)
    }
    return try builder.finish()
  }

  @Test func isTheSameSegment() throws {
    let bytes = try Self.bytes()
    let packed = try #require(Segment.packed(bytes))
    #expect(packed.count < bytes.count * 7 / 8)
    let plain = try Segment(bytes: bytes, name: "plain")
    let segment = try Segment(bytes: packed, name: "packed")
    #expect(segment.id == plain.id)
    #expect(segment.byteCount == packed.count)
    #expect(try segment.records() == plain.records())
    #expect(segment.verify().isEmpty)
    #expect(Segment.packed(packed) == nil)
  }

  @Test func whatDoesNotGetShorterStays() throws {
    let bytes = try SegmentBuilder(id: UniqueID(bits: 1)).finish()
    let packed = Segment.packed(bytes)
    #expect(packed == nil || (packed?.count ?? 0) < bytes.count)
  }

  /// Wherever a bit is wrong, the segment cannot be opened, also where that changes nothing of what is unpacked.
  @Test func everyFlippedBitIsNoticed() throws {
    let packed = try #require(Segment.packed(Self.bytes(count: 40)))
    for bit in 0..<packed.count * 8 {
      var damaged = packed
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: SegmentError.self, "bit \(bit)") {
        try Segment(bytes: damaged, name: "damaged")
      }
    }
  }

  /// What stands for few bytes may have no end; nobody packs like that.
  @Test func whatIsLongerThanBeforeIsRefused() throws {
    let bytes = try Self.bytes(count: 40)
    let header = try #require(Segment.packed(bytes)).prefix(64)
    // Empty blocks, and the content as it is.
    for emptyCount in [0, bytes.count] {
      var content = ByteWriter()
      for _ in 0..<emptyCount { content.append([0, 0, 0, 0xff, 0xff].rawSpan) }
      content.byte(1)
      content.integer(UInt16(bytes.count - 64))
      content.integer(~UInt16(bytes.count - 64))
      content.append(Array(bytes[64...]).rawSpan)
      content.integer(CRC32C.checksum(content.bytes.rawSpan))
      var packed = ByteWriter()
      packed.append(Array(header.prefix(32)).rawSpan)
      packed.integer(UInt64(64 + content.count))
      packed.append(Array(header[40..<60]).rawSpan)
      packed.integer(CRC32C.checksum(packed.bytes.rawSpan))
      packed.append(content.bytes.rawSpan)
      #expect(
        throws: SegmentError(
          segment: "long", offset: 56, reason: "the packing makes the segment longer")
      ) {
        try Segment(bytes: packed.bytes, name: "long")
      }
    }
  }

  @Test func cutOffSegmentsAreRefused() throws {
    let packed = try #require(Segment.packed(Self.bytes(count: 40)))
    for count in packed.indices {
      #expect(throws: SegmentError.self) {
        try Segment(bytes: Array(packed.prefix(count)), name: "cut")
      }
    }
  }

  /// Few bytes that claim to become many, behind checksums that fit.
  @Test(arguments: [
    (4 << 20, 4 << 20), (4 << 20, 100), (4 << 20 + 1, 100), (Int(UInt32.max), 100), (63, 100),
    (0, 0),
  ])
  func bombsAreRefused(claimed: Int, real: Int) throws {
    var header = Array(try #require(Segment.packed(Self.bytes())).prefix(64))
    var content = ByteWriter()
    content.append(Deflate.compress([UInt8](repeating: 0, count: real).rawSpan).rawSpan)
    content.integer(CRC32C.checksum(content.bytes.rawSpan))
    func set(_ value: UInt64, at offset: Int, count: Int) {
      for byte in 0..<count {
        header[offset + byte] = UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))
      }
    }
    set(UInt64(64 + content.count), at: 32, count: 8)
    set(UInt64(claimed), at: 56, count: 4)
    set(UInt64(CRC32C.checksum(header.rawSpan.extracting(0..<60))), at: 60, count: 4)
    let error = #expect(throws: SegmentError.self) {
      try Segment(bytes: header + content.bytes, name: "bomb")
    }
    #expect(error?.segment == "bomb")
  }
}
