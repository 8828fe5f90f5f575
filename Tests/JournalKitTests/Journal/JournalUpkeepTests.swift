import JournalKit
import TestSupport
import Testing

/// What happens between appends.
@Suite struct JournalUpkeepTests {
  private let fixture = JournalFixture(backend: .mapped)
  private var disk: SimulatedDisk { fixture.disk }
  private let spare = "\(JournalFixture.directory)/spare"
  private let entry = [UInt8](repeating: 7, count: 1000)

  /// How many bytes were brought in, each time.
  private var populated: [Int] {
    disk.log.filter { $0.hasPrefix("populate ") }.compactMap { Int($0.dropFirst(9)) }
  }
  private func populations() -> Int { populated.count }

  @Test(arguments: [Journal.Configuration.Backend.written, .mapped])
  func itRestsWhenNothingIsAppended(backend: Journal.Configuration.Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    #expect(fixture.upkeep() == nil)
    try journal.append([1])
    #expect(fixture.upkeep() == nil)
    // It was awake when the next two came, and looks once more.
    try journal.append([2])
    try journal.append([3])
    #expect(fixture.upkeep() == (backend == .mapped ? .milliseconds(100) : .seconds(1)))
    #expect(fixture.upkeep() == nil)
    journal.close()
    #expect(fixture.upkeep() == nil)
  }

  /// Who logs little does not pay for the pages of a whole segment.
  @Test func pagesAreBroughtInShortlyBeforeTheyAreUsed() throws {
    let journal = try fixture.open(budget: 8 << 20, segment: 2 << 20)
    try journal.append(entry)
    #expect(populations() == 1)
    for _ in 0..<120 { try journal.append(entry) }
    #expect(populations() == 1)
    // Half of what was brought in is used, before time has passed.
    for _ in 0..<20 { try journal.append(entry) }
    #expect(populations() == 2)
    fixture.upkeep()
    #expect(populations() == 3)
    #expect(disk.content(of: spare) == nil)
  }

  /// What was brought in for a writer that pauses is brought in again: the system may have protected it.
  @Test func pagesAreLookedAfterAsTimePasses() throws {
    let journal = try fixture.open(budget: 8 << 20, segment: 2 << 20)
    for round in 1...20 {
      try journal.append([1])
      fixture.upkeep()
      #expect(populations() >= round)
    }
  }

  @Test func aFasterWriterGetsMore() throws {
    let journal = try fixture.open(budget: 32 << 20, segment: 8 << 20)
    try journal.append(entry)
    fixture.upkeep()
    for _ in 0..<100 { try journal.append(entry) }
    fixture.upkeep()
    let slow = try #require(populated.last)
    #expect(slow > 256 << 10 && slow < 768 << 10)
    for _ in 0..<1000 { try journal.append(entry) }
    fixture.upkeep()
    let fast = try #require(populated.last)
    #expect(fast > 1 << 20)
    // Each time it asks for more, there is more: it need not ask often.
    #expect(populations() < 12)
  }

  /// A writer that fills segments quickly finds the first pages of the next one ready, too.
  @Test func theNextSegmentsPagesAreBroughtInAtTheEndOfThisOne() throws {
    let journal = try fixture.open(budget: 8 << 20, segment: 512 << 10)
    while disk.content(of: spare) == nil { try journal.append(entry) }
    let before = populations()
    for _ in 0..<150 { try journal.append(entry) }
    fixture.upkeep()
    // Those of this segment and of the spare.
    #expect(populations() >= before + 2)
    #expect(fixture.segments == [1])
  }

  @Test func aFullDiskShowsBeforeItCostsAnEntry() throws {
    let journal = try fixture.open()
    try journal.append(JournalFixture.entry(1))
    #expect(journal.nextSegmentError == nil)
    disk.capacity = 8 << 10
    while fixture.segments == [1], journal.nextSegmentError == nil {
      try journal.append(JournalFixture.entry(9))
      fixture.upkeep()
    }
    #expect(fixture.segments == [1])
    #expect(journal.nextSegmentError?.code == DiskError.noSpace)
    disk.capacity = nil
    while fixture.segments == [1] {
      try journal.append(JournalFixture.entry(9))
      fixture.upkeep()
    }
    #expect(journal.nextSegmentError == nil)
  }

  /// Not each round tries to make space that is not there.
  @Test func failuresAreNotRepeatedWithoutGrowth() throws {
    let journal = try fixture.open(budget: 4 << 20, segment: 64 << 10)
    try journal.append([1])
    disk.capacity = 72 << 10
    for _ in 0..<40 { try journal.append(entry) }
    #expect(journal.nextSegmentError != nil)
    let attempts = disk.log.count { $0.hasPrefix("allocate") }
    for _ in 0..<100 {
      try journal.append([2])
      fixture.upkeep()
    }
    #expect(disk.log.count { $0.hasPrefix("allocate") } <= attempts + 2)
  }
}

// MARK: - Files that are taken away

extension JournalUpkeepTests {
  typealias Backend = Journal.Configuration.Backend

  /// Only the file that grows is deleted.
  @Test(arguments: [Backend.written, .mapped])
  func aDeletedSegmentIsNoticed(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    for number in 1...10 { try journal.append(JournalFixture.entry(number)) }
    try fixture.disk.unlink(fixture.path(1))
    try journal.append(JournalFixture.entry(11))
    // Within a second: every round when entries are written, each tenth when they are mapped.
    for _ in 0..<10 {
      try journal.append(JournalFixture.entry(12))
      fixture.upkeep()
    }
    let first = try journal.append(JournalFixture.entry(13))
    let recovery = try fixture.recover()
    #expect(recovery.payloads.last == JournalFixture.entry(13))
    #expect(recovery.sequences == Array(recovery.sequences[0]...first))
    #expect(recovery.report.droppedEntryCount == recovery.sequences[0] - 1)
    #expect(recovery.report.damages == [])
    journal.close()
    #expect(fixture.disk.openFileCount == 0 && fixture.disk.mappingCount == 0)
  }

  /// After a pause nobody has looked, so the next append does, and nothing is lost.
  @Test(arguments: [Backend.written, .mapped])
  func anAppendAfterAPauseLooksFirst(backend: Backend) throws {
    let fixture = JournalFixture(backend: backend)
    let journal = try fixture.open(segment: 64 << 10)
    try journal.append([1])
    while fixture.upkeep() != nil {}
    for path in fixture.disk.paths { try fixture.disk.unlink(path) }
    try fixture.disk.removeDirectory(JournalFixture.directory)
    try journal.append([2])
    let recovery = try fixture.recover()
    #expect(recovery.payloads == [[2]] && recovery.sequences == [2])
    #expect(recovery.report.droppedEntryCount == 1)
  }

  /// The directory is moved away, and its files with it: they keep their names' number, and are not ours.
  @Test(arguments: [Backend.written, .mapped])
  func aReplacedDirectoryIsNoticed(backend: Backend) throws {
    let temporary = try TemporaryDirectory()
    let path = "\(temporary.path)/journal"
    let fixture = JournalFixture(backend: backend)
    var environment = fixture.environment
    environment.fileSystem = POSIXFileSystem()
    let journal = try Journal(
      directory: path,
      configuration: Journal.Configuration(
        maximumByteCount: 1 << 20, segmentByteCount: 64 << 10, backend: backend),
      environment: environment)
    try journal.append([1])
    while fixture.upkeep() != nil {}
    let fileSystem = POSIXFileSystem()
    try fileSystem.rename(path, to: path + ".old", replacing: true)
    try fileSystem.createDirectory(path)
    try journal.append([2])
    journal.close()
    #expect(try JournalRecovery.recover(directory: path + ".old").entries.map(\.payload) == [[1]])
    let recovery = try JournalRecovery.recover(directory: path)
    #expect(recovery.entries.map(\.payload) == [[2]] && recovery.report.droppedEntryCount == 1)
    #expect(try fileSystem.list(path).sorted() == ["0000000000000002.jseg", "owner.lock"])
  }

  /// A file system that does not say what is there takes nothing away.
  @Test func notKnowingIsNoLoss() throws {
    let journal = try fixture.open(segment: 64 << 10)
    try journal.append([1])
    while fixture.upkeep() != nil {}
    disk.inject(.init(.status, repeats: true))
    try journal.append([2])
    disk.removeFaults()
    #expect(fixture.segments == [1])
    #expect(try fixture.recover().payloads == [[1], [2]])
  }

  /// Without its space, the next segment is where the deleted one was.
  @Test func theSpareOfADeletedDirectoryIsMadeAnew() throws {
    let journal = try fixture.open(segment: 2 << 10)
    while disk.content(of: spare) == nil { try journal.append(JournalFixture.entry(9)) }
    for path in disk.paths { try disk.unlink(path) }
    try disk.removeDirectory(JournalFixture.directory)
    while fixture.upkeep() != nil {}
    for number in 1...200 { try journal.append(JournalFixture.entry(number)) }
    #expect(try fixture.recover().payloads == JournalFixture.entries(1...200))
    journal.close()
    #expect(disk.openFileCount == 0 && disk.mappingCount == 0)
    #expect(disk.content(of: spare) == nil)
  }
}
