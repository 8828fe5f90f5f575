import JournalKit
import TestSupport
import Testing

/// Entries that their caller puts together where they stay.
@Suite struct JournalInPlaceTests {
  typealias Backend = Journal.Configuration.Backend
  private static let backends: [Backend] = [.written, .mapped]

  /// Appends `bytes` with room for `spare` more; `extra` bytes are stored and taken back.
  @discardableResult
  private func append(
    _ bytes: [UInt8], spare: Int = 0, extra: Int = 0, to journal: Journal
  ) throws -> UInt64? {
    try journal.append(capacity: bytes.count + spare) { output in
      for byte in bytes { output.append(byte) }
      for _ in 0..<extra { output.append(0xee) }
      for _ in 0..<extra { _ = output.removeLast() }
      return true
    }
  }

  /// Both ways leave the same file, whatever else the caller did in the place.
  @Test(arguments: backends) func theBytesAreThoseOfAnAppend(backend: Backend) throws {
    let images = try [false, true].map { isInPlace in
      let fixture = JournalFixture(backend: backend)
      let journal = try fixture.open(segment: 2 << 10)
      for number in 1...200 {
        let entry = JournalFixture.entry(number)
        let sequence =
          isInPlace && number % 3 > 0
          ? try append(entry, spare: number % 11, extra: number % 11 / 2, to: journal)
          : try journal.append(entry)
        #expect(sequence == UInt64(number))
        // Where a segment ends depends on the capacity: here both end it at the same entry.
        if number % 20 == 0 { try journal.rotate() }
      }
      journal.close()
      return fixture.segments.map { fixture.disk.content(of: fixture.path($0)) }
    }
    #expect(images[0].count == 11)
    #expect(images[0] == images[1])
  }

  @Test(arguments: backends) func whatIsNotWantedLeavesNothing(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    for number in 1...20 {
      let before = fixture.disk.content(of: fixture.path(1))
      let sequence = try journal.append(capacity: 100 + number) { output in
        for _ in 0..<number * 5 { output.append(0xee) }
        return false
      }
      #expect(sequence == nil)
      if before != nil { #expect(fixture.disk.content(of: fixture.path(1)) == before) }
      #expect(try append(JournalFixture.entry(number), spare: 50, to: journal) == UInt64(number))
    }
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries(1...20))
    #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
  }

  /// An entry that was never finished is what a dead writer leaves: no data, no damage.
  @Test func deathInTheMiddleIsATornEntry() throws {
    let fixture = JournalFixture(backend: .mapped)
    let journal = try fixture.open(segment: 64 << 10)
    try journal.append([1])
    var copies: [SimulatedDisk] = []
    try journal.append(capacity: 40) { output in
      for byte in 0..<30 as Range<UInt8> {
        copies.append(fixture.disk.copy())
        output.append(byte)
      }
      return true
    }
    #expect(copies.count == 30)
    for disk in copies {
      let copy = JournalFixture(disk: disk)
      #expect(try copy.recover().payloads == [[1]])
      #expect(try copy.recover().foundTornEntry && copy.recover().report.damages == [])
      #expect(try copy.open().append([2]) == 2)
      #expect(try copy.recover().payloads == [[1], [2]])
    }
    #expect(try fixture.recover().payloads.last == Array(0..<30))
  }

  @Test(arguments: backends) func anyLengthUpToTheCapacity(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    for length in 0...40 {
      try append([UInt8](repeating: UInt8(length), count: length), spare: 40 - length, to: journal)
    }
    #expect(try fixture.recover().entries.map(\.payload.count) == Array(0...40))
    #expect(try append([], to: journal) == 42)
    journal.close()
    #expect(try fixture.recover().report.isCleanlyClosed)
  }

  /// Also an entry that gets a segment of its own.
  @Test(arguments: backends) func largeEntriesAndLimits(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(budget: 64 << 10)
    let limit = (64 << 10) - 2 * 264
    #expect(throws: JournalError.entryTooLarge(length: limit + 1, limit: limit)) {
      try append([1], spare: limit, to: journal)
    }
    for length in [5000, 1, 20_000, limit] {
      try append([UInt8](repeating: 3, count: length), to: journal)
    }
    #expect(try fixture.recover().entries.last?.payload.count == limit)
    journal.close()
    #expect(throws: JournalError.closed) { try append([1], to: journal) }
  }

  @Test(arguments: backends) func failuresCostOnlyTheEntry(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 4 << 10)
    fixture.disk.capacity = 10_000
    var acknowledged: [Int] = []
    for number in 1...800 {
      if number == 700 { fixture.disk.capacity = nil }
      let entry = JournalFixture.entry(number)
      if (try? append(entry, spare: 8, to: journal)) != nil { acknowledged.append(number) }
    }
    #expect(acknowledged.suffix(101) == Array(700...800))
    #expect(try fixture.recover().payloads == JournalFixture.entries(acknowledged))
    #expect(try fixture.recover().report.damages == [])
  }

  @Test func itCanWaitForStableStorage() throws {
    let fixture = JournalFixture(backend: .mapped)
    let journal = try fixture.open(segment: 64 << 10)
    try journal.append(capacity: 3, sync: .full) { output in
      output.append(7)
      return true
    }
    fixture.disk.crash()
    #expect(try fixture.recover().payloads == [[7]])
  }
}
