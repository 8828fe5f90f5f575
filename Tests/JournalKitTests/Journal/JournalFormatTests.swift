import JournalKit
import Synchronization
import TestSupport
import Testing

@Suite struct JournalFormatTests {
  /// `docs/format/journal.md` shows this journal's only segment.
  private func example() throws -> [UInt8] {
    let random = Mutex<UInt64>(0x1111_1111_1111_1111)
    let disk = SimulatedDisk()
    let journal = try Journal(
      directory: "/j",
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 20, segmentHeader: { [Array("head".utf8)] }),
      environment: JournalEnvironment(
        simulated: disk, clock: WallClock { 1_700_000_000_000_000_000 },
        random: {
          random.withLock { value in
            defer { value += 0x1111_1111_1111_1111 }
            return value
          }
        }))
    try journal.append(Array("hello".utf8))
    try journal.append([], sync: .full)
    journal.close()
    return try #require(disk.content(of: "/j/0000000000000001.jseg"))
  }

  @Test func theWorkedExampleIsWhatTheJournalWrites() throws {
    let bytes = try example()
    let page = try FormatPage("journal.md").example
    #expect(page == bytes, "the journal writes\n\(hexDump(bytes))")
  }

  @Test func theWorkedExampleCanBeRead() throws {
    let disk = SimulatedDisk()
    let page = try #require(try FormatPage("journal.md").example)
    disk.setContent(of: "/j/0000000000000001.jseg", to: page)
    let recovery = try JournalRecovery.recover(directory: "/j", fileSystem: disk)
    #expect(recovery.segmentHeader == [Array("head".utf8)])
    #expect(recovery.payloads == [Array("hello".utf8), []])
    #expect(recovery.report.isCleanlyClosed && recovery.report.damages == [])
    #expect(recovery.report.journalID == 0x1111_1111_1111_1111_2222_2222_2222_2222)
  }

  @Test func fileNamesSortAsNumbers() {
    #expect(JournalFormat.fileName(ofSegment: 0x1f) == "000000000000001f.jseg")
    #expect(JournalFormat.segmentNumber(ofFile: "7fffffffffffffff.jseg") == UInt64(Int64.max))
    for name in [
      "1f.jseg", "000000000000001F.jseg", "000000000000001f.jse", "+00000000000001f.jseg",
      "owner.lock",
      "000000000000001f.jseg~", "", "8000000000000000.jseg", "ffffffffffffffff.jseg",
    ] {
      #expect(JournalFormat.segmentNumber(ofFile: name) == nil, "\(name)")
    }
  }

  @Test func wordsAreChecked() throws {
    for kind in [JournalFrameKind.entry, .header, .sync, .seal] {
      let length = kind == .sync ? 16 : kind == .seal ? 24 : 5
      let word = JournalFrameWord(kind, length: length)
      #expect(JournalFrameWord(rawValue: word.rawValue) == word)
      #expect(JournalFrameWord(rawValue: word.rawValue | 1 << 31)?.isBeingWritten == true)
    }
    let rejected: [UInt32] = [
      0, 5, 0x5000_0000, 0x7000_0001, 0x1400_0000, 0x3000_0011, 0x4000_0000, .max,
    ]
    for word in rejected { #expect(JournalFrameWord(rawValue: word) == nil) }
    #expect(JournalFrameWord(rawValue: 0x13ff_ffff)?.length == JournalFormat.maximumPayloadLength)
  }

  @Test func framesAreAligned() {
    #expect(
      (0...17).map { JournalFormat.frameLength(payload: $0) } == [8]
        + Array(repeating: 16, count: 8) + Array(repeating: 24, count: 8) + [32])
  }

  private func hexDump(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 8).map { start in
      let row = bytes[start..<min(start + 8, bytes.count)]
      return "\(hex(start, 4))  " + row.map { hex(Int($0), 2) }.joined(separator: " ")
    }.joined(separator: "\n")
  }

  private func hex(_ value: Int, _ width: Int) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: width - digits.count) + digits
  }
}
