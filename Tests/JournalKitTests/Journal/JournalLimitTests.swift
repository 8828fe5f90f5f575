import JournalKit
import TestSupport
import Testing

/// Entries at the limits of everything that has one.
@Suite struct JournalLimitTests {
  typealias Backend = Journal.Configuration.Backend
  private static let backends: [Backend] = [.written, .mapped]
  /// What a segment has room for besides headers: here no header entries.
  private static let room = (4 << 10) - 256

  /// An entry whose frame ends exactly where a segment does, and those next to it.
  @Test(arguments: backends, -9...9)
  func aroundTheEndOfASegment(backend: Backend, difference: Int) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 4 << 10)
    let first = [UInt8](repeating: 1, count: 1000)
    let rest = Self.room - JournalFormat.frameLength(payload: first.count)
    let second = [UInt8](repeating: 2, count: rest - JournalFormat.frameOverhead + difference)
    for entry in [first, second, [3]] { try journal.append(entry) }
    journal.close()
    let recovery = try fixture.recover()
    #expect(recovery.payloads == [first, second, [3]])
    // A frame that fits to the byte, padding included, stays; one byte more begins the next segment.
    let lastOfFirst = recovery.report.segments.first?.info.lastSequence
    #expect(lastOfFirst == (difference <= 0 ? 2 : 1) && recovery.report.segments.count == 2)
    #expect(recovery.report.isCleanlyClosed && recovery.report.damages == [])
  }

  /// An entry that a whole segment is just large enough for, and those next to it.
  @Test(arguments: backends, -9...9)
  func aroundTheLengthOfASegment(backend: Backend, difference: Int) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 4 << 10)
    let length = Self.room - JournalFormat.frameOverhead + difference
    for _ in 0..<3 { try journal.append([UInt8](repeating: 5, count: length)) }
    #expect(fixture.segments.count == 3)
    journal.close()
    #expect(try fixture.recover().entries.map(\.payload.count) == [length, length, length])
    #expect(try fixture.recover().report.damages == [])
  }

  @Test(arguments: backends) func emptyEntriesAreEntries(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open()
    for number in 1...500 { #expect(try journal.append([]) == UInt64(number)) }
    #expect(fixture.segments.count > 4)
    journal.close()
    let recovery = try fixture.recover()
    #expect(recovery.payloads == [[UInt8]](repeating: [], count: 500))
    #expect(recovery.sequences == Array(1...500))
  }

  @Test(arguments: backends) func everySmallLength(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    for length in 0...300 { try journal.append([UInt8](repeating: 0, count: length)) }
    #expect(try fixture.recover().entries.map(\.payload.count) == Array(0...300))
  }

  /// The smallest budget there is holds the longest entry that it admits, and nothing longer.
  @Test(arguments: backends) func theSmallestBudget(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(budget: 0)
    let limit = (4 << 10) - 2 * 264
    for length in [limit - 1, limit] {
      try journal.append([UInt8](repeating: 1, count: length))
      #expect(try fixture.recover().entries.last?.payload.count == length)
    }
    #expect(throws: JournalError.entryTooLarge(length: limit + 1, limit: limit)) {
      try journal.append([UInt8](repeating: 1, count: limit + 1))
    }
    #expect(try journal.append([]) == 3)
  }

  /// No budget makes a frame longer than its word can say.
  @Test(arguments: backends) func theLongestFrame(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(budget: 1 << 40)
    let limit = JournalFormat.maximumPayloadLength
    #expect(limit == 67_108_863)
    #expect(throws: JournalError.entryTooLarge(length: limit + 1, limit: limit)) {
      try journal.append([UInt8](repeating: 0, count: limit + 1))
    }
    #expect(throws: JournalError.entryTooLarge(length: limit + 1, limit: limit)) {
      try journal.append(capacity: limit + 1) { _ in true }
    }
    #expect(JournalFrameWord(.entry, length: limit).rawValue == 0x13ff_ffff)
    #expect(JournalFrameWord(rawValue: 0x13ff_ffff)?.length == limit)
    #expect(JournalFrameWord(rawValue: 0x1400_0000) == nil)
  }

  /// A header entry that no segment could hold fails the append, not the program.
  @Test(arguments: backends) func headerEntriesHaveTheSameLimit(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let limit = (64 << 10) - 2 * 264
    let long = try fixture.open(
      budget: 64 << 10, header: { [[UInt8](repeating: 1, count: limit + 1)] })
    #expect(throws: JournalError.entryTooLarge(length: limit + 1, limit: limit)) {
      try long.append([1])
    }
    #expect(fixture.segments == [])
    long.close()
    let header = [UInt8](repeating: 1, count: 2000)
    let journal = try fixture.open(budget: 64 << 10, header: { [header] })
    try journal.append([1])
    try journal.append([2])
    journal.close()
    #expect(try fixture.recover().payloads == [[1], [2]])
  }
}
