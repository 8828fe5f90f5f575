import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct SegmentFormatTests {
  /// `docs/format/segment.md` shows the segment of this record.
  private var example: Record {
    let session = UniqueID(bits: 0x11)
    var record = Record(
      id: UniqueID(session: session, sequence: 7), time: 1_767_225_600_000_000_000, sequence: 7,
      session: session, level: .info, event: "app.start", message: "ready")
    record.tags = [LogTag("region", .string("eu"))]
    return record
  }

  private let session = SessionInfo(
    id: UniqueID(bits: 0x11), start: 1_767_225_599_000_000_000, app: "Shop 1")
  private let source = SegmentSource(journal: 0x33, firstSequence: 7, lastSequence: 7)

  @Test func theWorkedExampleIsWhatTheBuilderWrites() throws {
    var builder = SegmentBuilder(id: UniqueID(bits: 0x42))
    builder.append(example)
    builder.add(session)
    builder.add(source)
    let bytes = try builder.finish()
    let page = try FormatPage("segment.md").example
    #expect(page == bytes)
  }

  @Test func theWorkedExampleCanBeRead() throws {
    let page = try #require(try FormatPage("segment.md").example)
    let segment = try Segment(bytes: page, name: "example")
    #expect(segment.id == UniqueID(bits: 0x42) && segment.rowCount == 1)
    #expect(segment.timeRange == example.time...example.time)
    #expect(segment.sessions == [session] && segment.sources == [source])
    #expect(try segment.record(at: 0) == example)
    #expect(segment.verify() == [])
  }

  /// Another major version, an unknown incompatible flag and another magic are refused; another minor
  /// version and compatible flags are not.
  @Test func versionsAndFlagsDecideWhetherASegmentIsRead() throws {
    let page = try #require(try FormatPage("segment.md").example)
    func isRead(changing offset: Int) -> Bool {
      var bytes = page
      bytes[offset] ^= 2
      let checksum = CRC32C.checksum(bytes.rawSpan.extracting(0..<60))
      for index in 0..<4 {
        bytes[60 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index))
      }
      return (try? Segment(bytes: bytes, name: "changed").verify()) == []
    }
    #expect([0, 4, 8, 32, 40].allSatisfy { !isRead(changing: $0) })
    #expect([6, 12, 16].allSatisfy { isRead(changing: $0) })
  }

  /// Digests are kept in files, so they may never change.
  @Test func digestsAreThoseOfTheFormat() {
    #expect(SegmentBuilder.digest(of: example) == 0x86fe_add8_2eef_791f)
    #expect(SegmentBuilder.digest(of: RandomRecords.full) == 0x29b3_1eec_08f7_872b)
    #expect(SegmentBuilder.digest(of: RandomRecords.plain) == 0x36a6_9f37_8681_516b)
  }
}
