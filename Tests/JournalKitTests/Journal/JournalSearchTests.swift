import JournalKit
import TestSupport
import Testing

/// The search for the next frame behind damage: whatever was written over entries, it must cost no more than
/// them, and what a file was made to cost must stay in proportion to the file.
@Suite struct JournalSearchTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }
  /// The length of an entry, which is JSON as a program logs it.
  private static let entryLength = 32 << 10
  private static let count = 256

  private static let rest = Array(
    (String(repeating: "a line of what happened, ", count: entryLength / 25 - 2) + #""}"#).utf8)

  private static func entry(_ number: Int) -> [UInt8] {
    Array(#"{"sequence": \#(number), "message": ""#.utf8) + rest
  }

  /// Text of words and spaces: one space in four stands where the kind of a frame would.
  private static func text(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in
      Int.random(in: 0..<5, using: &random) == 0
        ? 0x20 : UInt8.random(in: 0x61...0x7a, using: &random)
    }
  }

  /// Eight megabytes, so that lengths made of three letters point into the file.
  private func largeSegment() throws -> [UInt8] {
    let journal = try fixture.open(budget: 64 << 20, segment: 32 << 20)
    for number in 1...Self.count { try journal.append(Self.entry(number)) }
    disk.restart()
    return try #require(disk.content(of: fixture.path(1)))
  }

  @Test func textOverEntriesCostsOnlyThem() throws {
    let pristine = try largeSegment()
    for (seed, length, isRestarted) in [(1, 8 << 10, false), (2, 64 << 10, true)] {
      let start = 512 << 10
      var bytes = pristine
      bytes.replaceSubrange(
        start..<start + length, with: Self.text(length, seed: UInt64(seed)))
      disk.setContent(of: fixture.path(1), to: bytes)
      if isRestarted { disk.crash() }
      var read: UInt64 = 0
      let report = JournalRecovery.scan(
        directory: JournalFixture.directory, fileSystem: disk
      ) { _ in read += 1 }
      let missing = try #require(report.damages.first?.missing, "seed \(seed)")
      #expect(report.damages.count == 1 && !report.foundTornEntry, "seed \(seed)")
      #expect(read + missing == UInt64(Self.count), "seed \(seed)")
      #expect(missing <= UInt64(length / Self.entryLength + 2), "seed \(seed)")
      #expect(report.segments.map(\.condition) == [.damaged], "seed \(seed)")
    }
  }

  /// Text over the very beginning, where header entries may come.
  @Test func textOverTheHeaderEntriesCostsOnlyThem() throws {
    let journal = try fixture.open(segment: nil, header: { [[1, 2], [3]] })
    for number in 1...400 { try journal.append(JournalFixture.entry(number)) }
    disk.restart()
    var bytes = try #require(disk.content(of: fixture.path(1)))
    bytes.replaceSubrange(257..<267, with: Self.text(10, seed: 3))
    disk.setContent(of: fixture.path(1), to: bytes)
    let recovery = try fixture.recover()
    #expect(recovery.segmentHeader == [[3]])
    #expect(recovery.payloads == JournalFixture.entries(1...400) && recovery.missing == 0)
  }

  /// A search that gave up knows nothing of what follows: the file is evidence, whatever happened to the power.
  @Test func aSearchThatGaveUpIsDamage() throws {
    let journal = try fixture.open(segment: nil)
    try journal.append(JournalFixture.entry(1))
    disk.restart()
    let word: [UInt8] = [0, 0x20, 0, 0x10, 1, 2, 3, 4]
    let bytes = try #require(disk.content(of: fixture.path(1)))
    disk.setContent(of: fixture.path(1), to: bytes + (0..<8 << 10).flatMap { _ in word })
    disk.crash()
    let report = try fixture.recover().report
    #expect(!report.foundTornEntry)
    #expect(report.damages.map(\.kind) == [.frames] && report.damages[0].missing == nil)
    #expect(report.segments.map(\.condition) == [.damaged])
  }

  /// Frames within frames that all end before the same long stretch of zeros: each asks what follows it.
  @Test func zerosBehindNestedFramesAreCounted() throws {
    let journal = try fixture.open(segment: nil)
    try journal.append(JournalFixture.entry(1))
    disk.restart()
    var bytes = try #require(disk.content(of: fixture.path(1)))
    let salt = bytes.rawSpan.littleEndian(UInt64.self, at: 72)
    bytes += [UInt8](repeating: 0xff, count: 8 << 10)
    let start = bytes.count
    let end = start + 4 << 10
    bytes += [UInt8](repeating: 0, count: end - start)
    // From the innermost out: what is within a frame is part of its checksum.
    for offset in stride(from: end - 8, through: start, by: -8) {
      let word = JournalFrameWord(.entry, length: end - offset - 8).rawValue
      var payload = CRC32C()
      payload.update(bytes.rawSpan.extracting(offset + 8..<end))
      let checksum = JournalFormat.checksum(
        payload: payload, salt: salt, offset: Int64(offset), word: word, ordinal: 1)
      for byte in 0..<4 {
        bytes[offset + byte] = UInt8(truncatingIfNeeded: word >> (8 * byte))
        bytes[offset + 4 + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte))
      }
    }
    bytes += [UInt8](repeating: 0, count: 128 << 10)
    bytes.append(1)
    disk.setContent(of: fixture.path(1), to: bytes)
    let calls = disk.callCount
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries(1...1))
    #expect(recovery.report.segments.map(\.condition) == [.damaged])
    // What may be read in vain are some 100 readings of the zeros, of a dozen calls each, where there are 512 frames.
    #expect(disk.callCount - calls < 2000)
  }
}
