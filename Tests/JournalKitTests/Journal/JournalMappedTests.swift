import JournalKit
import TestSupport
import Testing

/// What is special about a journal that stores into mapped files.
@Suite struct JournalMappedTests {
  private let fixture = JournalFixture(backend: .mapped)
  private var disk: SimulatedDisk { fixture.disk }
  private let spare = "\(JournalFixture.directory)/spare"

  private func content(_ segment: UInt64) throws -> [UInt8] {
    try #require(disk.content(of: fixture.path(segment)))
  }

  private func used(_ bytes: [UInt8]) -> [UInt8] {
    Array(bytes[...(bytes.lastIndex { $0 != 0 } ?? 0)])
  }

  /// Entries of all lengths, syncs, segments that end by themselves and on request, a header.
  @Test func theBytesAreThoseOfTheWrittenJournal() throws {
    let images = try [Journal.Configuration.Backend.written, .mapped].map { backend in
      let fixture = JournalFixture(backend: backend)
      let journal = try fixture.open(segment: 2 << 10, header: { [[1, 2, 3], []] })
      for number in 1...300 {
        try journal.append(
          JournalFixture.entry(number), sync: number % 17 == 0 ? .full : .processDeath)
        if number % 100 == 0 { try journal.rotate() }
      }
      journal.close()
      #expect(fixture.disk.mappingCount == 0)
      #expect(fixture.disk.log.contains { $0.hasPrefix("map") } == (backend == .mapped))
      return fixture.segments.map { fixture.disk.content(of: fixture.path($0)) }
    }
    #expect(images[0].count > 4)
    #expect(images[0] == images[1])
  }

  @Test func anAppendIsNoCall() throws {
    let journal = try fixture.open(segment: 64 << 10)
    try journal.append([1])
    let before = disk.callCount
    for _ in 0..<100 { try journal.append([2]) }
    #expect(disk.callCount == before)
    #expect(try fixture.recover().entries.count == 101)
  }

  /// Space that is not used yet is the end, not damage, also for those who read while the journal is open.
  @Test func theRestOfTheFileIsTheEnd() throws {
    let journal = try fixture.open()
    for number in 1...5 { try journal.append(JournalFixture.entry(number)) }
    #expect(try content(1).count == 8 << 10)
    for isDead in [false, true] {
      if isDead { disk.restart() }
      let recovery = try fixture.recover()
      #expect(recovery.payloads == JournalFixture.entries(1...5))
      #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
      #expect(!recovery.report.isCleanlyClosed)
    }
    let next = try fixture.open()
    #expect(try next.append(JournalFixture.entry(6)) == 6)
    #expect(try fixture.recover().report.damages == [])
    journal.close()
  }

  @Test func theEndOfASegmentGivesItsSpaceBack() throws {
    let journal = try fixture.open()
    for number in 1...5 { try journal.append(JournalFixture.entry(number)) }
    try journal.rotate()
    #expect(disk.mappingCount == 1)
    let first = try content(1)
    #expect(journal.closedSegments().map(\.length) == [Int64(first.count)])
    #expect(first.count < 1 << 10)
    #expect(try content(2).count == 8 << 10)
    journal.close()
    #expect(try content(2).count == 256 + 32)
    #expect(try fixture.recover().report.isCleanlyClosed)
  }

  /// The process dies at every store of an entry: the word with its mark, then the rest, then the word without. It is
  /// whole before the last one.
  @Test func anUnfinishedEntryIsNeitherDataNorDamage() throws {
    let journal = try fixture.open()
    for number in 1...4 { try journal.append(JournalFixture.entry(number)) }
    let start = (used(try content(1)).count + 7) & ~7
    try journal.append(JournalFixture.entry(22))
    let whole = try content(1)
    disk.restart()
    let end = used(whole).count
    for length in [0] + Array(4...end - start) {
      var image = Array(whole[..<(start + length)])
      if length > 0 { image[start + 3] |= 0x80 }
      image += [UInt8](repeating: 0, count: whole.count - image.count)
      disk.setContent(of: fixture.path(1), to: image)
      let isWhole = start + length == end
      let last = isWhole ? [JournalFixture.entry(22)] : []
      let recovery = try fixture.recover()
      #expect(recovery.payloads == JournalFixture.entries(1...4) + last, "\(length) bytes")
      #expect(recovery.report.damages == [], "\(length) bytes")
      #expect(recovery.foundTornEntry == (length > 0 && !isWhole), "\(length) bytes")
      let copy = JournalFixture(disk: disk.copy(), backend: .mapped)
      #expect(try copy.open().append(JournalFixture.entry(5)) == (isWhole ? 6 : 5))
      let continued = try copy.recover()
      #expect(
        continued.payloads == JournalFixture.entries(1...4) + last + [JournalFixture.entry(5)],
        "\(length) bytes")
      #expect(continued.report.damages == [], "\(length) bytes")
    }
    journal.close()
  }

  /// Entries are published in order. So one that is unfinished before finished ones was changed later.
  @Test func aHoleIsDamage() throws {
    let journal = try fixture.open()
    for number in 1...4 { try journal.append(JournalFixture.entry(number)) }
    disk.restart()
    var image = try content(1)
    let second = 256 + JournalFormat.frameLength(payload: JournalFixture.entry(1).count)
    image[second + 3] |= 0x80
    disk.setContent(of: fixture.path(1), to: image)
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries([1, 3, 4]))
    #expect(recovery.missing == 1 && recovery.report.damages.count == 1)
    journal.close()
  }

  /// A reader has read the first part of a file; before it reads on, the writer fills both.
  @Test(arguments: 1...4) func readingWhileItGrowsFindsNoDamage(read: Int) throws {
    let journal = try fixture.open(budget: 4 << 20, segment: 512 << 10)
    for number in 1...10 { try journal.append(JournalFixture.entry(number)) }
    disk.beforeRead(read) {
      for number in 11...5000 { _ = try? journal.append(JournalFixture.entry(number)) }
    }
    let recovery = try fixture.recover()
    #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
    #expect(recovery.entries.count >= 10)
    #expect(recovery.payloads == JournalFixture.entries(1...recovery.entries.count))
  }

  @Test func anEntryThatIsLargerThanASegmentIsWritten() throws {
    let journal = try fixture.open()
    let large = [UInt8](repeating: 7, count: 100_000)
    for entry in [[1], large, [2], large, large, [3]] { try journal.append(entry) }
    #expect(try fixture.recover().payloads == [[1], large, [2], large, large, [3]])
    #expect(fixture.disk.log.count { $0.hasPrefix("map") } == 3)
    journal.close()
    #expect(try fixture.recover().report.isCleanlyClosed)
  }

  @Test(arguments: [true, false]) func mappingIsAutomaticWhereItIsSafe(isSafe: Bool) throws {
    let fixture = JournalFixture(backend: .automatic)
    fixture.disk.keepsAllocations = isSafe
    let journal = try fixture.open(budget: 1 << 20, segment: 64 << 10)
    try journal.append([1])
    #expect(fixture.disk.mappingCount == (isSafe ? 1 : 0))
    journal.close()
    #expect(try fixture.recover().payloads == [[1]])
  }

  @Test func smallSegmentsAndBudgetsAreWritten() {
    func length(_ budget: Int, _ segment: Int?, _ backend: Journal.Configuration.Backend) -> Int? {
      Journal.Configuration(
        maximumByteCount: budget, segmentByteCount: segment, backend: backend
      ).mappedLength
    }
    #expect(length(300 << 20, nil, .automatic) == 16 << 20 + 4 << 10)
    #expect(length(300 << 20, nil, .written) == nil)
    #expect(length(300 << 20, (64 << 10) - 1, .automatic) == nil)
    #expect(length(300 << 20, 5000, .mapped) == 12 << 10)
    #expect(length(1 << 20, nil, .mapped) == nil)
    #expect(length(3 * (68 << 10), 64 << 10, .automatic) == 68 << 10)
    #expect(length(3 * (68 << 10) - 1, 64 << 10, .automatic) == nil)
  }
}

// MARK: - The spare

extension JournalMappedTests {
  private func fillHalf(_ journal: Journal) throws {
    while disk.content(of: spare) == nil { try journal.append(JournalFixture.entry(9)) }
  }

  @Test func theNextSegmentIsReadyBeforeItIsNeeded() throws {
    let journal = try fixture.open()
    try journal.append([1])
    #expect(disk.content(of: spare) == nil)
    try fillHalf(journal)
    #expect(disk.content(of: spare) == [UInt8](repeating: 0, count: 8 << 10))
    #expect(fixture.segments == [1])
    let recovery = try fixture.recover()
    #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
    #expect(recovery.report.segments.count == 1)
    let allocations = disk.log.count { $0.hasPrefix("allocate") }
    while fixture.segments == [1] { try journal.append(JournalFixture.entry(9)) }
    #expect(disk.log.count { $0.hasPrefix("allocate") } == allocations)
    #expect(disk.content(of: spare) == nil)
    #expect(disk.openFileCount == 2 && disk.mappingCount == 1)
  }

  @Test func closingRemovesTheSpare() throws {
    let journal = try fixture.open()
    try fillHalf(journal)
    journal.close()
    #expect(disk.content(of: spare) == nil)
    #expect(disk.openFileCount == 0 && disk.mappingCount == 0)
  }

  @Test func theSpareOfTheDeadIsRemoved() throws {
    let journal = try fixture.open()
    try fillHalf(journal)
    disk.restart()
    #expect(try fixture.recover().report.damages == [])
    let copy = disk.copy()
    try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: copy)
    #expect(copy.paths == [])
    let next = try JournalFixture(disk: disk, backend: .written).open()
    #expect(disk.content(of: spare) == nil)
    next.close()
    journal.close()
  }

  @Test func theSpareCountsAgainstTheBudget() throws {
    let budget = 64 << 10
    let journal = try fixture.open(budget: budget)
    for number in 1...6000 {
      try journal.append(JournalFixture.entry(number))
      let bytes = disk.paths.reduce(0) { $0 + (disk.content(of: $1)?.count ?? 0) }
      #expect(bytes <= budget)
    }
    #expect(journal.droppedSegmentCount > 0)
    #expect(try fixture.recover().sequences.last == 6000)
  }

  /// A full disk shows while there is still room in the segment. Then segments are written, as long as that goes.
  @Test func noSpaceForTheSpareIsNoFailure() throws {
    let journal = try fixture.open()
    try journal.append(JournalFixture.entry(1))
    disk.capacity = (8 << 10) + 2000
    var last = 1
    while (try? journal.append(JournalFixture.entry(last + 1))) != nil { last += 1 }
    #expect(disk.content(of: spare) == nil && disk.mappingCount == 0)
    #expect(fixture.segments.count > 1)
    #expect(try fixture.recover().payloads == JournalFixture.entries(1...last))
    disk.capacity = nil
    #expect(try journal.append(JournalFixture.entry(last + 1)) == UInt64(last + 1))
    #expect(disk.mappingCount == 1)
    #expect(try fixture.recover().report.damages == [])
  }

  /// A foreign file has the next segment's name.
  @Test func aSpareThatCannotBecomeTheSegmentIsRemoved() throws {
    let journal = try fixture.open()
    try fillHalf(journal)
    disk.setContent(of: fixture.path(2), to: [9])
    while fixture.segments.count < 3 { try journal.append(JournalFixture.entry(9)) }
    #expect(disk.content(of: fixture.path(2)) == [9])
    #expect(disk.content(of: spare) == nil && disk.mappingCount == 0)
    #expect(disk.openFileCount == 2)
    journal.close()
    #expect(Set(try fixture.recover().payloads) == [JournalFixture.entry(9)])
  }

  /// Someone deletes the directory; another journal may keep its own space there meanwhile.
  @Test func aSpareOfAnotherIsNotTaken() throws {
    let journal = try fixture.open()
    try fillHalf(journal)
    try disk.unlink(spare)
    disk.setContent(of: spare, to: [UInt8](repeating: 0, count: 100))
    for number in 1...100 { try journal.append(JournalFixture.entry(number)) }
    let recovery = try fixture.recover()
    #expect(recovery.payloads.suffix(100) == JournalFixture.entries(1...100)[...])
    #expect(recovery.report.damages == [])
  }
}
