import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct ManifestTests {
  /// `docs/format/manifest.md` shows this manifest.
  private var example: Manifest {
    var manifest = Manifest()
    manifest.generation = 2
    manifest.previousChecksum = 0xaabb_ccdd
    manifest.segments = [
      Manifest.Entry(
        id: UniqueID(bits: 0x1111_1111_1111_1111_2222_2222_2222_2222), length: 4096,
        checksum: 0x1234_5678, rowCount: 100, timeRange: -1...1_700_000_000_000_000_000)
    ]
    manifest.compactedUpTo = [0x3333_3333_3333_3333_4444_4444_4444_4444: 101]
    manifest.gaps = [
      Gap(file: "journals/a/0000000000000001.jseg", offset: 272, cause: .damagedJournal, missing: 1)
    ]
    manifest.removed = [UniqueID(bits: 0x5555_5555_5555_5555_6666_6666_6666_6666)]
    return manifest
  }

  @Test func theWorkedExampleIsWhatIsWritten() throws {
    let page = try FormatPage("manifest.md").example
    let bytes = example.encoded()
    #expect(page == bytes, "\(bytes.map { String($0, radix: 16) }.joined(separator: " "))")
    #expect(try Manifest(bytes.rawSpan) == example)
  }

  @Test func everyManifestComesBack() throws {
    var random = SeededRandom(seed: 21)
    for _ in 0..<50 {
      var manifest = Manifest()
      manifest.generation = random.next()
      manifest.previousChecksum = UInt32(truncatingIfNeeded: random.next())
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        let times = [
          Int64(bitPattern: random.next()), Int64.max, Int64.min, 0,
        ].shuffled(using: &random)
        manifest.segments.append(
          Manifest.Entry(
            id: UniqueID(using: &random), length: random.next() >> 1, checksum: 7, rowCount: .max,
            timeRange: min(times[0], times[1])...max(times[0], times[1])))
        manifest.compactedUpTo[UInt128(random.next()) << 64] = random.next() >> 1
        manifest.gaps.append(
          Gap(
            file: String(repeating: "é", count: Int.random(in: 0...200, using: &random)),
            offset: times[2], cause: Gap.Cause.allCases.randomElement(using: &random) ?? .dropped,
            missing: Bool.random(using: &random) ? random.next() : nil,
            timeRange: Bool.random(using: &random) ? -5...5 : nil,
            journal: Bool.random(using: &random) ? UInt128(random.next()) << 64 : nil))
        manifest.removed.append(UniqueID(using: &random))
      }
      #expect(try Manifest(manifest.encoded().rawSpan) == manifest, "\(random)")
    }
  }

  @Test func everyCutAndEveryBitIsNoticed() {
    let bytes = example.encoded()
    for length in 0..<bytes.count {
      #expect(throws: Manifest.Flaw.self) { try Manifest(Array(bytes[..<length]).rawSpan) }
    }
    for position in 0..<bytes.count {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[position] ^= 1 << bit
        #expect(throws: Manifest.Flaw.self) { try Manifest(damaged.rawSpan) }
      }
    }
  }

  /// Intact checksums over contents that nobody wrote.
  @Test func hostileContentsAreRefused() {
    let bytes = example.encoded()
    var random = SeededRandom(seed: 22)
    for _ in 0..<2000 {
      var hostile = Array(bytes.dropLast(4))
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = Int.random(in: 0..<hostile.count, using: &random)
        hostile[position] = Bool.random(using: &random) ? 0xff : UInt8(random.next() & 0xff)
      }
      var writer = ByteWriter()
      writer.append(hostile.rawSpan)
      writer.integer(CRC32C.checksum(hostile.rawSpan))
      // Nothing to compare with: it must neither trap nor take long.
      _ = try? Manifest(writer.bytes.rawSpan)
    }
  }

  @Test func numbersWithoutASuccessorAreRefused() {
    let above = UInt64(Int64.max) + 1
    var sequence = example
    sequence.compactedUpTo = [1: above]
    var length = example
    length.segments[0].length = above
    for manifest in [sequence, length] {
      #expect(throws: Manifest.Flaw.self) { try Manifest(manifest.encoded().rawSpan) }
    }
  }

  @Test func hugeCountsAllocateNothing() {
    var bytes = Array(example.encoded().dropLast(4))
    for field in [32, 36, 40] {
      for byte in 0..<4 { bytes[field + byte] = 0xff }
    }
    var writer = ByteWriter()
    writer.append(bytes.rawSpan)
    writer.integer(CRC32C.checksum(bytes.rawSpan))
    #expect(throws: Manifest.Flaw.damaged(offset: 48)) { try Manifest(writer.bytes.rawSpan) }
  }
}
