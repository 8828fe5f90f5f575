import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// The bytes of a segment of the records, small enough to try every place in it.
private func bytes(of records: [Record]) throws -> [UInt8] {
  var builder = SegmentBuilder(id: UniqueID(bits: 1))
  for record in records { builder.append(record) }
  builder.add(
    SessionInfo(id: UniqueID(bits: 3), start: 5, app: "Shop 3.2.1", os: "Linux", device: "x"))
  builder.add(SegmentSource(journal: 9, firstSequence: 1, lastSequence: 40))
  return try builder.finish()
}

/// What a reader learns from a segment: everything.
private func content(
  of segment: Segment
) throws(SegmentError) -> ([Record], [SessionInfo], [SegmentSource]) {
  (try segment.records(), segment.sessions, segment.sources)
}

@Suite struct SegmentDamageTests {
  @Test func everyFlippedBitIsFound() throws {
    let original = try bytes(of: [RandomRecords.full, RandomRecords.plain])
    let expected = try content(of: Segment(bytes: original, name: "original"))
    var damaged = original
    for bit in 0..<original.count * 8 {
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      defer { damaged[bit / 8] = original[bit / 8] }
      do throws(SegmentError) {
        let segment = try Segment(bytes: damaged, name: "damaged")
        // Putting records together reads neither the padding nor the posting lists; verifying does. It
        // takes long, so only one bit of each byte.
        if bit % 8 == bit / 8 % 8 { #expect(!segment.verify().isEmpty, "bit \(bit) is not missed") }
        let (records, sessions, sources) = try content(of: segment)
        #expect(
          areIdentical(records, expected.0) && sessions == expected.1 && sources == expected.2,
          "bit \(bit) changed the content")
      } catch {
        #expect(error.segment == "damaged" && (0...original.count).contains(error.offset))
      }
    }
  }

  @Test func aSegmentCutAnywhereIsAnError() throws {
    var source = RandomRecords(seed: 13)
    let original = try bytes(of: source.records(20))
    for length in 0..<original.count {
      #expect(throws: SegmentError.self, "cut to \(length)") {
        try Segment(bytes: Array(original[..<length]), name: "cut")
      }
    }
    #expect(throws: SegmentError.self) { try Segment(bytes: original + [0], name: "longer") }
  }

  /// Damage behind a checksum that fits: what a hostile file can hold. Anything may come out but a trap,
  /// a hang, or memory out of proportion.
  @Test func hostileBytesNeverTrap() throws {
    var source = RandomRecords(seed: 14)
    let pristine = try HostileSegment(try bytes(of: source.smallRecords(12)))
    for seed in UInt64(0)..<3000 {
      var random = SeededRandom(seed: seed)
      var hostile = pristine
      hostile.mutate(using: &random)
      guard let segment = try? Segment(bytes: hostile.bytes, name: "hostile") else { continue }
      _ = try? segment.records()
      _ = segment.verify()
      for key in segment.tagKeys { _ = try? segment.column(.tag(key)) }
    }
  }

  @Test func sequencesWithoutASuccessorAreRefused() throws {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    builder.append(RandomRecords.plain)
    builder.add(
      SegmentSource(journal: 9, firstSequence: 1, lastSequence: UInt64(Int64.max) + 1))
    let bytes = try builder.finish()
    #expect(throws: SegmentError.self) { try Segment(bytes: bytes, name: "hostile") }
  }

  /// Many columns of the same bytes would cost far more than the file is long.
  @Test func columnsThatShareTheirBytesAreRefused() throws {
    var record = RandomRecords.plain
    record.tags = [LogTag("a", .int(1)), LogTag("b", .int(2))]
    var bytes = try bytes(of: [record])
    _ = try Segment(bytes: bytes, name: "original")
    func handle(_ key: String) throws -> Int {
      let entry = [32, 1] + Array(key.utf8)
      let at = try #require(
        (0..<bytes.count - 3).last { Array(bytes[$0..<$0 + 3]) == entry }, "no tag \(key)")
      return at + 3
    }
    let (first, second) = (try handle("a"), try handle("b"))
    bytes.replaceSubrange(second..<second + 16, with: bytes[first..<first + 16])
    let directory = Int(bytes.rawSpan.littleEndian(UInt64.self, at: 40))
    let length = Int(bytes.rawSpan.littleEndian(UInt32.self, at: 48))
    for (range, at) in [(directory..<directory + length, 52), (0..<60, 60)] {
      let checksum = CRC32C.checksum(bytes.rawSpan.extracting(range))
      for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte)) }
    }
    let error = #expect(throws: SegmentError.self) { try Segment(bytes: bytes, name: "hostile") }
    #expect(error?.offset == directory)
  }

  @Test func aHealthySegmentVerifies() throws {
    for (seed, count) in [(1, 0), (2, 1), (3, 300), (4, 4097)] {
      var source = RandomRecords(seed: UInt64(seed))
      let segment = try segment(of: source.records(count))
      #expect(segment.verify() == [], "seed \(seed)")
    }
  }
}
