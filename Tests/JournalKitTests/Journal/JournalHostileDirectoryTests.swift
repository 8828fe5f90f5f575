import JournalKit
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Directories made to cost time or memory, or to lead a writer astray.
@Suite struct JournalHostileDirectoryTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }

  /// The bytes of a segment with the given number and entries, whatever they say.
  private func segment(
    _ count: Int, number: UInt64 = 1, firstSequence: UInt64 = 1, journalID: UInt128 = 1
  ) -> [UInt8] {
    var header = ByteWriter()
    header.bytes = [0x89, 0x50, 0x4a, 0x4c, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0]
    for _ in 0..<3 { header.integer(0 as UInt32) }
    header.integer(journalID)
    header.integer(number)
    header.integer(firstSequence)
    header.integer(disk.bootID)
    for field in [5, 0, 1 << 20, 0, 0, 0] as [UInt64] { header.integer(field) }
    header.integer(0 as UInt32)
    header.integer(CRC32C.checksum(header.bytes.rawSpan))
    var writer = ByteWriter()
    writer.bytes = header.bytes + header.bytes
    for ordinal in 0..<count {
      let word = JournalFrameWord(.entry, length: 0).rawValue
      let checksum = JournalFormat.checksum(
        payload: CRC32C(), salt: 5, offset: Int64(writer.count), word: word,
        ordinal: UInt32(ordinal))
      writer.integer(word)
      writer.integer(checksum)
    }
    return writer.bytes
  }

  /// A report stays small, and every entry that stands is handed out.
  @Test func manyDamagesAreReportedTogether() throws {
    var bytes = segment(800)
    for entry in stride(from: 1, to: 800, by: 2) { bytes[256 + 8 * entry + 4] ^= 1 }
    disk.setContent(of: fixture.path(1), to: bytes)
    let recovery = try fixture.recover()
    #expect(recovery.sequences == stride(from: 1, to: 800, by: 2).map { UInt64($0) })
    let damages = recovery.report.damages
    // The last entry of all is behind the last gap: nothing follows that tells what was there.
    #expect(damages.count <= 257)
    #expect(damages.compactMap(\.missing).reduce(0, +) == 399)
    let last = try #require(damages.last { $0.missing != nil })
    #expect(last.offset + last.length == Int64(bytes.count - 16))
    #expect(last.firstMissing == 512)
  }

  /// Four gigabytes without content, and one entry at the end of them.
  @Test func holesCostNothing() throws {
    let temporary = try TemporaryDirectory()
    let fileSystem = POSIXFileSystem()
    let path = FilePath.join(temporary.path, JournalFormat.fileName(ofSegment: 1))
    let file = try fileSystem.open(path, .createNew)
    var bytes = segment(2)
    bytes[256 + 4] ^= 1
    try fileSystem.writeAll(file, bytes.rawSpan, at: 0)
    // Looks like frames that reach far into the hole.
    let words = [UInt8](repeatElement([0, 0, 1, 0x10, 1, 2, 3, 4], count: 16).joined())
    try fileSystem.writeAll(file, words.rawSpan, at: 1 << 30)
    try fileSystem.truncate(file, length: 1 << 40)
    try fileSystem.close(file)
    let recovery = try JournalRecovery.recover(directory: temporary.path)
    #expect(recovery.sequences == [2])
    #expect(recovery.report.damages.first?.missing == 1)
  }

  /// A pipe without a writer would keep who opens it waiting for ever.
  @Test func aPipeIsNoSegment() throws {
    let temporary = try TemporaryDirectory()
    let path = FilePath.join(temporary.path, JournalFormat.fileName(ofSegment: 1))
    try #require(unsafe mkfifo(path, 0o600) == 0)
    try POSIXFileSystem().createDirectory(
      FilePath.join(temporary.path, JournalFormat.fileName(ofSegment: 2)))
    let recovery = try JournalRecovery.recover(directory: temporary.path)
    #expect(recovery.entries == [])
    #expect(recovery.report.segments.map(\.condition) == [.intact, .unreadable])
  }

  @Test func manyFilesAreReadOneAtATime() throws {
    for number in 1...200 as ClosedRange<UInt64> {
      disk.setContent(
        of: fixture.path(number), to: segment(1, number: number, firstSequence: number))
    }
    var most = 0
    let report = JournalRecovery.scan(
      directory: JournalFixture.directory, fileSystem: disk
    ) { _ in most = max(most, disk.openFileCount) }
    #expect(report.entryCount == 200 && report.damages == [] && most == 1)
  }

  /// Numbers near the end of all numbers leave room for none behind them.
  @Test func aJournalAtTheEndOfTheNumbersIsNotContinued() throws {
    for (number, first) in [(1, UInt64(Int64.max)), (1, 1 << 62), (UInt64(Int64.max), 1)] {
      let fixture = JournalFixture()
      fixture.disk.setContent(
        of: fixture.path(number), to: segment(2, number: number, firstSequence: first))
      #expect(try fixture.recover().sequences == [first, first + 1])
      #expect(throws: JournalError.self) { try fixture.open() }
      #expect(fixture.segments == [number])
    }
  }

  /// A segment of another journal, newer by its name, does not hide where this one ends.
  @Test func aForeignSegmentDoesNotLeadAWriterAstray() throws {
    disk.setContent(of: fixture.path(1), to: segment(3))
    disk.setContent(of: fixture.path(2), to: segment(9, number: 2, journalID: 2))
    let journal = try fixture.open()
    #expect(try journal.append([4]) == 4)
    journal.close()
    let recovery = try fixture.recover()
    #expect(recovery.sequences == [1, 2, 3, 4])
    #expect(recovery.report.damages.map(\.kind) == [.misplaced])
  }

  /// An entry that was handed out is not missing, though a second file lacks one of its number.
  @Test func aRepeatedSequenceIsNotMissing() throws {
    disk.setContent(of: fixture.path(1), to: segment(3))
    var second = segment(4, number: 2, firstSequence: 2)
    for entry in 0..<3 { second[256 + 8 * entry + 4] ^= 1 }
    disk.setContent(of: fixture.path(2), to: second)
    let recovery = try fixture.recover()
    #expect(recovery.sequences == [1, 2, 3, 5])
    #expect(recovery.report.damages.map(\.missing) == [1])
    #expect(recovery.report.damages.map(\.firstMissing) == [4])
  }
}
