import JournalKit
import Synchronization
import TestSupport
import Testing

@Suite struct JournalTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }

  @Test func entriesComeBackInOrder() throws {
    let journal = try fixture.open()
    for number in 1...100 {
      #expect(try journal.append(JournalFixture.entry(number)) == UInt64(number))
    }
    #expect(fixture.segments.count > 2)
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries(1...100))
    #expect(recovery.sequences == Array(1...100))
    #expect(recovery.report.journalID == journal.id)
    #expect(recovery.report.damages == [])
    #expect(!recovery.foundTornEntry && !recovery.droppedOlderEntries)
    #expect(!recovery.report.isCleanlyClosed)
    journal.close()
    #expect(try fixture.recover().report.isCleanlyClosed)
    #expect(try fixture.recover().payloads == JournalFixture.entries(1...100))
  }

  @Test func eachAppendIsOneWrite() throws {
    let journal = try fixture.open(segment: nil)
    try journal.append([1])
    let before = disk.callCount
    for _ in 0..<10 { try journal.append([2]) }
    #expect(disk.callCount == before + 10)
  }

  @Test func emptyAndLargeEntriesFit() throws {
    let journal = try fixture.open(budget: 1 << 20, segment: 1 << 10)
    let entries: [[UInt8]] = [[], [0], Array(repeating: 7, count: 100_000), []]
    for entry in entries { try journal.append(entry) }
    #expect(try fixture.recover().payloads == entries)
  }

  @Test func theLongestEntryIsTheLimit() throws {
    let journal = try fixture.open(budget: 8 << 10)
    let longest = [UInt8](repeating: 3, count: (8 << 10) - 2 * 264)
    #expect(throws: JournalError.entryTooLarge(length: longest.count + 1, limit: longest.count)) {
      try journal.append(longest + [3])
    }
    try journal.append(longest)
    try journal.append([4])
    #expect(try fixture.recover().payloads.last == [4])
  }

  @Test func aClosedJournalRefuses() throws {
    let journal = try fixture.open()
    try journal.append([1])
    journal.close()
    journal.close()
    #expect(throws: JournalError.closed) { try journal.append([2]) }
    #expect(throws: JournalError.closed) { try journal.rotate() }
    #expect(try fixture.recover().payloads == [[1]])
  }

  @Test func theEndOfItsLifeClosesAJournal() throws {
    do { try fixture.open().append([1]) }
    #expect(try fixture.recover().report.isCleanlyClosed)
    try fixture.open().append([2])
    #expect(try fixture.recover().payloads == [[1], [2]])
  }

  @Test func reopeningContinuesInANewSegment() throws {
    let first = try fixture.open()
    try first.append([1])
    first.close()
    let old = disk.content(of: fixture.path(1))
    let second = try fixture.open()
    #expect(second.id == first.id)
    #expect(try second.append([2]) == 2)
    #expect(fixture.segments == [1, 2])
    #expect(disk.content(of: fixture.path(1)) == old)
    #expect(try fixture.recover().sequences == [1, 2])
  }

  /// This program may still be folding the journal, and removing its files, when it continues it.
  @Test(arguments: 1...2) func reopeningWhileFilesVanishContinuesTheSequence(read: Int) throws {
    let fixture = JournalFixture()
    let journal = try fixture.open()
    for number in 1...30 { try journal.append([UInt8](repeating: UInt8(number), count: 100)) }
    journal.close()
    let closed = fixture.segments.dropLast()
    #expect(closed.count > 2)
    fixture.disk.beforeRead(read) {
      for number in closed { try? fixture.disk.unlink(fixture.path(number)) }
    }
    let continued = try fixture.open()
    #expect(try continued.append([0]) == 31)
  }

  @Test func reopeningAfterDeathContinuesTheSequence() throws {
    let first = try fixture.open()
    for number in 1...50 { try first.append(JournalFixture.entry(number)) }
    disk.restart()
    let second = try fixture.open()
    #expect(try second.append(JournalFixture.entry(51)) == 51)
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries(1...51))
    #expect(recovery.report.damages == [])
  }

  @Test func aForeignFileIsNeverOverwritten() throws {
    disk.setContent(of: fixture.path(1), to: Array("not ours, but named like it".utf8))
    disk.setContent(of: "\(JournalFixture.directory)/notes.txt", to: [1])
    let journal = try fixture.open()
    try journal.append([1])
    #expect(fixture.segments == [1, 2])
    disk.setContent(of: fixture.path(3), to: [9])
    try journal.rotate()
    try journal.append([2])
    #expect(fixture.segments == [1, 2, 3, 4])
    #expect(disk.content(of: fixture.path(3)) == [9])
    #expect(try fixture.recover().payloads == [[1], [2]])
  }

  @Test func everySegmentBeginsWithTheHeader() throws {
    let count = Counter()
    let journal = try fixture.open(header: { [Array("header \(count.next())".utf8), []] })
    for number in 1...60 { try journal.append(JournalFixture.entry(number)) }
    journal.close()
    var headers: [[UInt8]] = []
    _ = JournalRecovery.scan(directory: JournalFixture.directory, fileSystem: disk) { entry in
      if entry.kind == .header { headers.append(entry.payload.toArray()) }
    }
    #expect(headers.count == 2 * fixture.segments.count)
    #expect(headers[0] == Array("header 1".utf8) && headers[2] == Array("header 2".utf8))
    let recovery = try fixture.recover()
    #expect(recovery.segmentHeader == headers.suffix(2))
    #expect(recovery.payloads == JournalFixture.entries(1...60))
  }

  @Test func rotationSealsWhatCanBeFolded() throws {
    let journal = try fixture.open(segment: nil)
    try journal.rotate()
    #expect(journal.closedSegments() == [])
    for number in 1...3 { try journal.append(JournalFixture.entry(number)) }
    try journal.rotate()
    try journal.rotate()
    try journal.append([4])
    let closed = journal.closedSegments()
    #expect(closed.map(\.number) == [1])
    #expect(closed.first?.firstSequence == 1 && closed.first?.lastSequence == 3)
    #expect(closed.first?.length == Int64(disk.content(of: fixture.path(1))?.count ?? 0))
    var seen: [UInt64] = []
    let report = JournalRecovery.scan(
      directory: JournalFixture.directory, fileSystem: disk, after: 1, closedOnly: true
    ) { seen.append($0.sequence) }
    #expect(seen == [2, 3])
    #expect(report.segments.map(\.info) == closed)
  }

  @Test func fullSyncSurvivesALossOfPower() throws {
    let journal = try fixture.open()
    for number in 1...40 {
      try journal.append(JournalFixture.entry(number), sync: number == 30 ? .full : .processDeath)
    }
    disk.crash()
    let recovered = try fixture.recover()
    // Segments that were full before the sync are not synced with it: only their holders' content counts.
    #expect(recovered.payloads.contains(JournalFixture.entry(30)))
  }

  @Test func directoriesAreSyncedOnce() throws {
    let journal = try fixture.open(segment: nil)
    try journal.append([1], sync: .full)
    let syncs = disk.log.filter { $0.hasPrefix("syncDirectory") }
    // The three that changed, and those above once more: whoever made them may not have synced them.
    #expect(
      syncs == ["/logs/journal", "/logs", "/", "/logs", "/"].map { "syncDirectory \($0)" })
    try journal.append([2], sync: .full)
    #expect(disk.log.filter { $0.hasPrefix("syncDirectory") } == syncs)
    disk.crash()
    #expect(try fixture.recover().payloads == [[1], [2]])
  }

  /// The directories were made by a process that died before it synced anything.
  @Test func directoriesOfTheDeadAreSynced() throws {
    try disk.createDirectory(JournalFixture.directory)
    disk.restart()
    try fixture.open().append([1], sync: .full)
    disk.crash()
    #expect(try fixture.recover().payloads == [[1]])
  }

  @Test func fileNamesAloneDoNoHarm() throws {
    disk.setContent(of: fixture.path(.max), to: [])
    let journal = try fixture.open()
    try journal.append([1])
    journal.close()
    #expect(try fixture.recover().payloads == [[1]] && fixture.segments == [1])
    // The last number there is: what came behind it, nobody would find.
    disk.setContent(of: fixture.path(UInt64(Int64.max)), to: [])
    #expect(throws: JournalError.self) { try fixture.open() }
    #expect(try fixture.recover().payloads == [[1]])
  }

  /// Another process takes the new directory for an abandoned journal, and removes it.
  @Test func anOpeningThatIsClearedAwayTriesAgain() throws {
    disk.inject(.init(.open, at: 1, code: DiskError.noSuchFile))
    try fixture.open().append([1])
    #expect(try fixture.recover().payloads == [[1]])
    let calls = disk.callCount
    disk.inject(.init(.open, repeats: true, code: DiskError.noSuchFile))
    #expect(throws: JournalError.self) { try fixture.open() }
    #expect(disk.callCount - calls < 1000)
  }

  private final class Counter: Sendable {
    private let value = Mutex(0)

    func next() -> Int {
      value.withLock { value in
        value += 1
        return value
      }
    }
  }
}
