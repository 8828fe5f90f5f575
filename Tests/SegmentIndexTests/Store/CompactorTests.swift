import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct CompactorTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  @Test func anAbandonedJournalBecomesSegments() throws {
    try fixture.writeJournal(1...50)
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.entryCount == 50 && report.recordCount == 50)
    #expect(report.segmentCount == 3)
    #expect(report.isJournalRemoved && report.isCleanlyClosed && !report.foundTornEntry)
    #expect(report.gaps == [] && report.problems == [])
    #expect(report.sessions.map(\.app) == ["Test 1.0"])
    #expect(try fixture.numbers(store.snapshot()) == Array(1...50))
    #expect(try disk.status(at: StoreFixture.journalDirectory()) == nil)
    #expect(fixture.files("segments").count == 3)
    #expect(fixture.manifests == ["manifest-0000000000000001"])
    let journal = try #require(report.journalID)
    #expect(try store.snapshot().compactedUpTo(journal: journal) == 50)
    for segment in try store.snapshot().segments {
      #expect(segment.sessions.map(\.id) == [StoreFixture.session])
      #expect(segment.sources.map(\.journal) == [journal])
    }
    #expect(
      try store.snapshot().segments.map { $0.sources[0].lastSequence } == [20, 40, 50])
  }

  @Test func anotherStoreObjectSeesTheCommit() throws {
    let reader = try fixture.open()
    #expect(try fixture.numbers(reader.snapshot()) == [])
    let old = try reader.snapshot()
    for (generation, name) in ["a", "b", "c", "d"].enumerated() {
      let first = generation * 10 + 1
      try fixture.writeJournal(first..<first + 10, name: name)
      _ = try fixture.fold(try fixture.open(), name)
      if generation != 1 {
        #expect(try fixture.numbers(reader.snapshot()) == Array(1..<first + 10))
      }
    }
    #expect(old.segments.isEmpty)
    #expect(fixture.manifests.count == 2)
    #expect(reader.problems == [])
  }

  @Test func nothingToFoldChangesNothing() throws {
    let store = try fixture.open()
    #expect(try fixture.fold(store) == FoldReport())
    #expect(disk.paths == [])
  }

  @Test func aLiveJournalIsLeftAlone() throws {
    let journal = try fixture.journal()
    try journal.append(StoreFixture.entry(1))
    let store = try fixture.open()
    #expect(throws: StoreError.journalIsLive(StoreFixture.journalDirectory())) {
      try fixture.fold(store)
    }
    #expect(try fixture.numbers(store.snapshot()) == [])
  }

  @Test func theOwnJournalIsFoldedUpToItsOpenSegment() throws {
    let journal = try fixture.journal()
    let store = try fixture.open()
    var folded = 0
    for number in 1...200 {
      try journal.append(StoreFixture.entry(number))
      if number % 60 == 0 {
        try journal.rotate()
        folded += try fixture.fold(store, onlyClosedSegments: true).recordCount
        #expect(folded == number)
        #expect(fixture.files("journals/a").count == 2)
      }
      if number % 25 == 0 { #expect(try fixture.visible(store) == Array(1...number)) }
    }
    #expect(journal.droppedSegmentCount == 0)
    journal.close()
    _ = try fixture.fold(store)
    #expect(try fixture.numbers(store.snapshot()) == Array(1...200))
    #expect(try disk.status(at: StoreFixture.journalDirectory()) == nil)
  }

  @Test func newerEntriesAreSkipped() throws {
    let journal = try fixture.journal()
    for payload in ["1", "newer", "session", "2", "newer"] {
      try journal.append(Array(payload.utf8))
    }
    let id = journal.id
    journal.close()
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.recordCount == 2 && report.skippedCount == 2)
    #expect(try store.snapshot().compactedUpTo(journal: id) == 5)
    #expect(report.isJournalRemoved)
  }

  @Test func malformedEntriesAreCountedAndTheirFileIsKept() throws {
    let journal = try fixture.journal(segment: 64 << 10)
    for payload in ["1", "what", "2", "is", "3"] { try journal.append(Array(payload.utf8)) }
    try journal.rotate()
    try journal.append(StoreFixture.entry(4))
    journal.close()
    let bytes = disk.content(of: "\(StoreFixture.journalDirectory())/0000000000000001.jseg")
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.malformedCount == 2 && report.recordCount == 4)
    #expect(report.gaps.map(\.cause) == [.malformed] && report.gaps.map(\.missing) == [2])
    #expect(
      report.gaps[0].timeRange == StoreFixture.record(1).time...StoreFixture.record(3).time)
    #expect(report.problems.count == 2)
    #expect(try fixture.numbers(store.snapshot()) == [1, 2, 3, 4])
    #expect(try store.snapshot().gaps == report.gaps)
    #expect(report.isJournalRemoved)
    #expect(fixture.files("quarantine") == ["0000000000000001-journals-a-0000000000000001.jseg"])
    #expect(
      disk.content(of: "/store/quarantine/0000000000000001-journals-a-0000000000000001.jseg")
        == bytes)
    // Later queries keep hearing of it.
    #expect(try fixture.open().snapshot().gaps == report.gaps)
  }

  /// The fold that found them dies before it moved their file.
  @Test func theFileOfMalformedEntriesIsKeptAfterADeath() throws {
    let journal = try fixture.journal(segment: 64 << 10)
    for payload in ["1", "what", "2"] { try journal.append(Array(payload.utf8)) }
    journal.close()
    let store = try fixture.open()
    disk.inject(.init(.rename, at: 3, repeats: true))
    let first = try fixture.fold(store)
    #expect(!first.isJournalRemoved && first.gaps.count == 1)
    disk.removeFaults()
    let second = try fixture.fold(store)
    #expect(second.isJournalRemoved && second.recordCount == 0)
    #expect(fixture.files("quarantine").count == 1)
    #expect(try store.snapshot().gaps == first.gaps)
  }

  @Test func damageIsFoldedAroundAndRemembered() throws {
    try fixture.writeJournal(1...60)
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    var bytes = try #require(disk.content(of: path))
    bytes[400] ^= 1
    disk.setContent(of: path, to: bytes)
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.recordCount == 59)
    let gap = try #require(store.snapshot().gaps.first)
    #expect(gap.cause == .damagedJournal && gap.missing == 1)
    #expect(gap.file == "journals/a/0000000000000001.jseg")
    let hit = Set(1...60).subtracting(try fixture.numbers(store.snapshot())).first ?? 0
    #expect(
      gap.timeRange == StoreFixture.record(hit - 1).time...StoreFixture.record(hit + 1).time)
    #expect(fixture.files("quarantine").count == 1)
    #expect(report.isJournalRemoved)
    #expect(try fixture.numbers(store.snapshot()).count == 59)
  }

  private func add(_ record: Record, to store: SegmentStore) throws {
    let transaction = try StoreTransaction(store)
    try transaction.append(record)
    try transaction.commit()
  }

  /// Wherever a byte is damaged: what is missing is missing between the times of a gap. So retention can forget it once
  /// nothing is left from those times.
  @Test func gapsSayWhenTheirRecordsWere() throws {
    try fixture.writeJournal(1...60)
    let now: Int64 = 1_000_000_000
    let paths = disk.paths.filter { $0.hasSuffix(".jseg") }
    for (path, number) in zip(paths, 0...) {
      let bytes = try #require(disk.content(of: path))
      for position in stride(from: number % 7, to: bytes.count, by: 7) {
        let copy = StoreFixture(disk: disk.copy())
        var damaged = bytes
        damaged[position] ^= 0x20
        copy.disk.setContent(of: path, to: damaged)
        let store = try copy.open()
        let report = try copy.fold(store, now: now)
        let missing = Set(1...60).subtracting(try copy.numbers(store.snapshot()))
        for number in missing {
          #expect(
            report.gaps.contains {
              $0.timeRange?.contains(StoreFixture.record(number).time) == true
            }, "\(path) at \(position): \(number), \(report.gaps)")
        }
        guard !missing.isEmpty else { continue }
        // Later records join, and retention leaves nothing else.
        var record = StoreFixture.record(100)
        record.time = now + 1
        try add(record, to: store)
        try Compactor(store).drop(beyond: Retention(maximumRecordCount: 1), now: .max)
        #expect(try store.snapshot().gaps == [], "\(path) at \(position)")
      }
    }
  }

  @Test func whatTheBudgetDroppedIsAGap() throws {
    try fixture.writeJournal(1...60)
    try disk.unlink("\(StoreFixture.journalDirectory())/0000000000000001.jseg")
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.gaps.map(\.cause) == [.dropped])
    #expect(report.recordCount + Int(try #require(report.gaps[0].missing)) == 60)
    // From the start of the program to the first record that is left.
    let first = StoreFixture.record(60 - report.recordCount + 1)
    #expect(report.gaps[0].timeRange == 1...first.time)
  }

  @Test func aTornEntryIsNoGap() throws {
    let journal = try fixture.journal()
    for number in 1...5 { try journal.append(StoreFixture.entry(number)) }
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    let bytes = try #require(disk.content(of: path))
    disk.restart()
    disk.setContent(of: path, to: bytes.dropLast(9))
    let store = try fixture.open()
    let report = try fixture.fold(store)
    #expect(report.foundTornEntry && !report.isCleanlyClosed)
    #expect(report.recordCount == 4 && report.gaps == [] && report.isJournalRemoved)
    #expect(fixture.files("quarantine") == [])
  }

  /// What cannot be read now may be readable later: nothing may be given up.
  @Test func anUnreadableFileStopsTheFold() throws {
    try fixture.writeJournal(1...60)
    let store = try fixture.open()
    let before = disk.paths
    // The opens: the claim and its test, the lock and its test, the journal's beginning, then its first segment.
    disk.inject(.init(.open, at: 6))
    let error = #expect(throws: StoreError.self) { try fixture.fold(store) }
    guard case .unreadable = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    disk.removeFaults()
    let segments = { (paths: [String]) in paths.filter { $0.hasSuffix("seg") } }
    #expect(segments(disk.paths) == segments(before))
    #expect(try fixture.fold(store).recordCount == 60)
  }

  /// The newest file tells which sequences are taken, should the journal be continued.
  @Test func aFileThatCannotBeRemovedKeepsThoseBehindIt() throws {
    try fixture.writeJournal(1...60)
    let files = fixture.files("journals/a")
    let store = try fixture.open()
    disk.inject(.init(.unlink, at: 2))
    let report = try fixture.fold(store)
    #expect(report.problems.count == 1 && !report.isJournalRemoved)
    #expect(fixture.files("journals/a") == Array(files.dropFirst()))
    #expect(try fixture.journal().append(StoreFixture.entry(61)) == 61)
    disk.restart()
    #expect(try fixture.fold(store).recordCount == 1)
    #expect(try fixture.numbers(store.snapshot()) == Array(1...61))
  }

  /// A journal without files may be one that is about to begin: it is held for a moment only.
  @Test func anEmptyJournalIsRemovedWithoutTheStore() throws {
    disk.setContent(of: "\(StoreFixture.journalDirectory())/owner.lock", to: [])
    let transaction = try StoreTransaction(try fixture.open())
    #expect(try fixture.fold(try fixture.open()).isJournalRemoved)
    #expect(fixture.files("journals") == [])
    withExtendedLifetime(transaction) {}
  }

  @Test func aLossInALiveJournalIsCountedOnce() throws {
    let journal = try fixture.journal(segment: 64 << 10)
    for number in 1...5 { try journal.append(StoreFixture.entry(number)) }
    try journal.rotate()
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    let bytes = try #require(disk.content(of: path))
    disk.setContent(of: path, to: Array(bytes.dropLast(32 + 16)))
    let store = try fixture.open()
    let report = try fixture.fold(store, onlyClosedSegments: true)
    let missing = try #require(report.gaps.first?.missing)
    #expect(report.recordCount + Int(missing) == 5)
    #expect(try store.snapshot().compactedUpTo(journal: journal.id) == 5)
    for number in 6...9 {
      try journal.append(StoreFixture.entry(number))
      try journal.rotate()
      #expect(try fixture.fold(store, onlyClosedSegments: true).gaps == [])
    }
    #expect(try store.snapshot().gaps == report.gaps)
  }

  @Test func twoFoldsExcludeEachOther() throws {
    try fixture.writeJournal(1...30)
    let store = try fixture.open()
    let transaction = try StoreTransaction(store)
    #expect(throws: StoreError.busy) { try fixture.fold(try fixture.open()) }
    withExtendedLifetime(transaction) {}
  }

  @Test func anImportJoinsTheStoreAtOnce() throws {
    let store = try fixture.open()
    do {
      let transaction = try StoreTransaction(store, rowLimit: 20)
      for number in 1...50 { try transaction.append(StoreFixture.record(number)) }
      #expect(try fixture.numbers(fixture.open().snapshot()) == [])
      try transaction.commit()
    }
    #expect(try fixture.numbers(store.snapshot()) == Array(1...50))
    #expect(fixture.files("segments").count == 3)
  }

  @Test func aTransactionWithoutCommitLeavesNothing() throws {
    let store = try fixture.open()
    do {
      let transaction = try StoreTransaction(store, rowLimit: 20)
      for number in 1...50 { try transaction.append(StoreFixture.record(number)) }
      #expect(fixture.files("segments").count == 2)
    }
    #expect(fixture.files("segments") == [] && fixture.manifests == [])
  }
}
