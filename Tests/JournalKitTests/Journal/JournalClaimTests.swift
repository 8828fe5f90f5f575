import JournalKit
import TestSupport
import Testing

@Suite struct JournalClaimTests {
  private let fixture = JournalFixture()
  private var disk: SimulatedDisk { fixture.disk }
  private let directory = JournalFixture.directory

  @Test func aJournalHasOneOwner() throws {
    let journal = try fixture.open()
    #expect(throws: JournalError.ownedByAnother(directory: directory)) { try fixture.open() }
    #expect(try JournalClaim.claim(directory: directory, fileSystem: disk) == nil)
    journal.close()
    try fixture.open().append([1])
  }

  @Test func theRealFileSystemSaysTheSame() throws {
    let temporary = try TemporaryDirectory()
    let path = "\(temporary.path)/a/b"
    let journal = try Journal(directory: path)
    #expect(throws: JournalError.ownedByAnother(directory: path)) { try Journal(directory: path) }
    for number in 1...20 {
      try journal.append(JournalFixture.entry(number), sync: number == 10 ? .full : .processDeath)
    }
    #expect(try JournalRecovery.recover(directory: path).entries.count == 20)
    journal.close()
    let next = try Journal(directory: path)
    #expect(try next.append([1]) == 21)
    next.close()
    try JournalRecovery.remove(directory: path)
    #expect(try JournalRecovery.recover(directory: path).entries.isEmpty)
  }

  @Test func deathFreesTheClaim() throws {
    let journal = try fixture.open()
    try journal.append([1])
    disk.restart()
    let claim = try #require(try JournalClaim.claim(directory: directory, fileSystem: disk))
    #expect(throws: JournalError.self) { try fixture.open() }
    claim.release()
    claim.release()
    try fixture.open().append([2])
  }

  @Test func aClaimEndsWithItsLife() throws {
    try disk.createDirectory(directory)
    do {
      let claim = try JournalClaim.claim(directory: directory, fileSystem: disk)
      #expect(try claim?.isInPlace() == true)
    }
    #expect(try JournalClaim.claim(directory: directory, fileSystem: disk) != nil)
  }

  /// Someone deletes the directory, or only the file, under a living writer.
  @Test func aDeletedJournalIsBegunAgain() throws {
    let journal = try fixture.open(segment: nil)
    for number in 1...10 { try journal.append(JournalFixture.entry(number)) }
    for path in disk.paths { try disk.unlink(path) }
    try disk.removeDirectory(directory)
    try journal.append(JournalFixture.entry(11))
    fixture.upkeep()
    for number in 12...600 { try journal.append(JournalFixture.entry(number)) }
    let recovery = try fixture.recover()
    #expect(recovery.payloads == JournalFixture.entries(12...600))
    #expect(recovery.report.droppedEntryCount == 11)
    #expect(throws: JournalError.self) { try fixture.open() }
  }

  @Test func aStolenDirectoryIsNotWrittenTo() throws {
    let journal = try fixture.open(segment: nil)
    try journal.append([1])
    for path in disk.paths { try disk.unlink(path) }
    let thief = try JournalFixture(disk: disk).open()
    try thief.append([2])
    try journal.append([3])
    fixture.upkeep()
    #expect(throws: JournalError.ownedByAnother(directory: directory)) { try journal.append([4]) }
    #expect(try fixture.recover().payloads == [[2]])
  }
}

/// File systems on which a lock keeps nobody out.
@Suite struct JournalLockTests {
  private let fixture = JournalFixture()
  private let refusal = DiskError(
    call: .lock, path: "\(JournalFixture.directory)/owner.lock", code: DiskError.noLocks)

  /// Neither does anyone write there nor take a journal for abandoned.
  @Test func locksThatLieAreNoticed() throws {
    fixture.disk.ignoresLocks = true
    #expect(throws: JournalError.disk(refusal)) { try fixture.open() }
    #expect(throws: refusal) {
      try JournalClaim.claim(directory: JournalFixture.directory, fileSystem: fixture.disk)
    }
    #expect(fixture.disk.openFileCount == 0)
    fixture.disk.ignoresLocks = false
    try fixture.open().append([1])
  }

  @Test func aLivingJournalIsNotTakenThere() throws {
    let journal = try fixture.open()
    try journal.append([1])
    fixture.disk.ignoresLocks = true
    #expect(throws: JournalError.disk(refusal)) {
      try JournalRecovery.remove(directory: JournalFixture.directory, fileSystem: fixture.disk)
    }
    #expect(try journal.append([2]) == 2)
    #expect(try fixture.recover().sequences == [1, 2])
  }

  /// The file may be deleted or replaced until it has been opened a second time: then it was the locked one.
  @Test func aReplacedLockFileIsLockedAgain() throws {
    let disk = fixture.disk
    let path = "\(JournalFixture.directory)/owner.lock"
    try disk.createDirectory(JournalFixture.directory)
    for (call, isReplaced) in [(1, false), (2, false), (2, true), (3, false), (3, true)] {
      disk.beforeCall(call) {
        try? disk.unlink(path)
        if isReplaced { disk.setContent(of: path, to: []) }
      }
      let claim = try #require(
        try JournalClaim.claim(directory: JournalFixture.directory, fileSystem: disk))
      #expect(try claim.isInPlace(), "call \(call), \(isReplaced)")
      claim.release()
    }
    #expect(disk.openFileCount == 0)
  }
}
