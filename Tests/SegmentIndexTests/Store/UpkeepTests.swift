import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Merging, retention and removal.
@Suite struct UpkeepTests {
  let fixture = StoreFixture()
  var disk: SimulatedDisk { fixture.disk }

  /// A store with `count` segments of one record each.
  func smallSegments(_ count: Int) throws -> SegmentStore {
    let store = try fixture.open()
    for number in 1...count {
      try fixture.writeJournal([number], name: "j\(number)")
      _ = try fixture.fold(store, "j\(number)")
    }
    return store
  }

  func merge(_ store: SegmentStore) throws {
    try Compactor(store, rowLimit: 20).merge()
  }

  @Test func smallSegmentsBecomeLargeOnes() throws {
    let store = try smallSegments(17)
    let before = try store.snapshot()
    try merge(store)
    let after = try store.snapshot()
    #expect(after.segments.map(\.rowCount).sorted() == [1, 8, 8])
    #expect(try fixture.numbers(after).sorted() == Array(1...17))
    #expect(fixture.files("segments").count == 3)
    // Whoever asked before still reads what there was.
    #expect(try fixture.numbers(before).sorted() == Array(1...17))
    #expect(try fixture.open().problems == [])
    try merge(store)
    #expect(try store.snapshot().segments.count == 3)
  }

  @Test func aMergeMayLeaveTheRestToTheNext() throws {
    let store = try smallSegments(17)
    let compactor = Compactor(store, rowLimit: 20)
    try compactor.merge(byteLimit: 0)
    #expect(try store.snapshot().segments.count == 17)
    try compactor.merge(byteLimit: 1)
    #expect(try store.snapshot().segments.count == 10)
    try compactor.merge(byteLimit: 1)
    #expect(try store.snapshot().segments.count == 3)
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...17))
  }

  @Test func whatIsMergedKeepsItsOrigins() throws {
    let store = try fixture.open()
    try fixture.writeJournal(1...16)
    _ = try fixture.fold(store, rowLimit: 2)
    #expect(try store.snapshot().segments.count == 8)
    try merge(store)
    let segment = try #require(try store.snapshot().segments.first)
    #expect(segment.sources.map(\.firstSequence) == [1])
    #expect(segment.sources.map(\.lastSequence) == [16])
    #expect(segment.parents.count == 8)
    #expect(segment.sessions.map(\.id) == [StoreFixture.session])
  }

  @Test func aDamagedSegmentStaysAndTheOthersAreMerged() throws {
    let store = try smallSegments(9)
    let victim = try #require(try store.snapshot().segments.first)
    var bytes = try #require(disk.content(of: victim.name))
    bytes[bytes.count - 20] ^= 1
    disk.setContent(of: victim.name, to: bytes)
    let reopened = try fixture.open()
    try merge(reopened)
    // A small segment is one block: all of it is missing, and the merge is that of the others.
    #expect(try reopened.snapshot().segments.map(\.rowCount) == [8])
    #expect(try reopened.snapshot().gaps.map(\.missing) == [1])
    #expect(disk.content(of: victim.name) == bytes)
  }

  // MARK: - Without a manifest

  @Test func aMergedStoreIsRebuiltWithoutManifests() throws {
    let store = try smallSegments(9)
    let old = disk.copy()
    try merge(store)
    // The old files are back, as after a loss of power.
    for path in old.paths where path.hasSuffix(".pseg") {
      disk.setContent(of: path, to: old.content(of: path) ?? [])
    }
    let all = try fixture.open()
    #expect(try fixture.numbers(all.snapshot()).sorted() == Array(1...9))
    for name in fixture.manifests { try disk.unlink("/store/\(name)") }
    let rebuilt = try fixture.open()
    #expect(try fixture.numbers(rebuilt.snapshot()).sorted() == Array(1...9))
    try StoreTransaction(rebuilt).commit()
    #expect(fixture.files("segments").count == 2)
    #expect(fixture.files("quarantine") == [])
  }

  /// Segments that came out of different journals, merged across the gaps between them.
  @Test func stretchesBetweenMergedOnesAreAdoptedToo() throws {
    let store = try fixture.open()
    try fixture.writeJournal(1...16)
    _ = try fixture.fold(store, rowLimit: 2)
    let segments = try store.snapshot().segments
    let transaction = try StoreTransaction(store)
    try transaction.replace([segments[0], segments[2], segments[7]])
    try transaction.commit()
    for name in fixture.manifests { try disk.unlink("/store/\(name)") }
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...16))
  }

  @Test func theMergedSegmentCountsWhenTheNewestManifestIsDamaged() throws {
    let store = try smallSegments(9)
    try merge(store)
    let newest = "/store/\(try #require(fixture.manifests.last))"
    disk.setContent(of: newest, to: [1, 2, 3])
    let reopened = try fixture.open()
    #expect(try fixture.numbers(reopened.snapshot()).sorted() == Array(1...9))
    #expect(try reopened.snapshot().gaps == [])
    try StoreTransaction(reopened).commit()
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...9))
    #expect(try fixture.open().problems == [])
  }

  /// A copy of a store that was made while it was merged, or a lost file.
  @Test func theMergedSegmentCountsWhenTheNewestManifestIsMissing() throws {
    let store = try smallSegments(9)
    // The journal is still known, so its entries count as covered.
    _ = try fixture.journal("j9")
    try merge(store)
    try disk.unlink("/store/\(try #require(fixture.manifests.last))")
    let reopened = try fixture.open()
    #expect(try fixture.numbers(reopened.snapshot()).sorted() == Array(1...9))
    #expect(try reopened.snapshot().gaps == [])
    try StoreTransaction(reopened).commit()
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...9))
    #expect(fixture.files("quarantine") == [] && fixture.files("segments").count == 2)
  }

  @Test func aStoreWithoutAJournalsDirectoryCanBeChanged() throws {
    let store = try smallSegments(9)
    try disk.removeDirectory("/store/journals")
    try merge(store)
    #expect(try store.snapshot().segments.count == 2)
  }

  /// A journal of another user, and a segment of a fold that died.
  @Test func aJournalThatCannotBeListedStopsNothing() throws {
    let store = try smallSegments(2)
    try fixture.writeJournal(3...20)
    let died = StoreFixture(disk: disk.copy())
    _ = try died.fold(try died.open())
    for path in died.disk.paths where path.hasSuffix(".pseg") && disk.content(of: path) == nil {
      disk.setContent(of: path, to: died.disk.content(of: path) ?? [])
    }
    try fixture.writeJournal([30], name: "z")
    let fault = SimulatedDisk.Fault(
      on: StoreFixture.journalDirectory(), repeats: true)
    disk.inject(fault)
    _ = try fixture.fold(store, "z")
    #expect(try fixture.numbers(store.snapshot()).sorted() == [1, 2, 30])
    #expect(fixture.files("quarantine") == [] && fixture.files("segments").count == 4)
    disk.removeFaults()
    _ = try fixture.fold(store)
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...20) + [30])
  }

  // MARK: - Deaths

  /// A death at every step of one merge, and at every other step of the next.
  @Test func twoDeathsLoseAndDoubleNothing() throws {
    _ = try smallSegments(9)
    let count = try calls(disk) { try merge($0) }
    for first in stride(from: count / 2, through: count, by: 1) {
      let once = StoreFixture(disk: disk.copy())
      once.disk.stop(after: first)
      do { try merge(try once.open()) } catch {}
      once.disk.restart()
      for second in stride(from: first % 5, through: count + 10, by: 5) {
        let twice = StoreFixture(disk: once.disk.copy())
        twice.disk.stop(after: second)
        do { try merge(try twice.open()) } catch {}
        twice.disk.restart()
        try check(twice.disk, "calls \(first) and \(second)")
      }
    }
  }

  /// No file is closed twice: its number may be somebody else's by then.
  @Test func aChangeThatFailsClosesNothingTwice() throws {
    _ = try smallSegments(9)
    for call in 1...(try calls(disk) { try merge($0) }) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.inject(.init(at: call))
      do { try merge(try copy.open()) } catch {}
      #expect(copy.disk.strayCloseCount == 0 && copy.disk.openFileCount == 0, "call \(call)")
    }
  }

  private func calls(_ disk: SimulatedDisk, _ body: (SegmentStore) throws -> Void) throws -> Int {
    let copy = StoreFixture(disk: disk.copy())
    let before = copy.disk.callCount
    try body(try copy.open())
    return copy.disk.callCount - before
  }

  private func check(_ disk: SimulatedDisk, _ comment: Comment) throws {
    let fixture = StoreFixture(disk: disk)
    let store = try fixture.open()
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...9), comment)
    try Compactor(store, rowLimit: 20).merge()
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...9), comment)
    #expect(try store.snapshot().gaps == [] && fixture.open().problems == [], comment)
    #expect(fixture.files("segments").count == 2, comment)
    #expect(disk.paths.filter { $0.hasSuffix(".tmp") } == [], comment)
  }

  @Test func aMergeThatDiesAfterAnyCallLosesAndDoublesNothing() throws {
    _ = try smallSegments(9)
    for call in 0...(try calls(disk) { try merge($0) }) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { try merge(try copy.open()) } catch {}
      copy.disk.restart()
      try check(copy.disk, "call \(call)")
    }
  }

  @Test func aMergeInWhichAnyCallFailsLosesAndDoublesNothing() throws {
    _ = try smallSegments(9)
    for call in 1...(try calls(disk) { try merge($0) }) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.inject(.init(at: call))
      do { try merge(try copy.open()) } catch {}
      copy.disk.removeFaults()
      try check(copy.disk, "call \(call)")
    }
  }

  @Test(arguments: [nil, 1, 2, 3] as [UInt64?])
  func aMergeAndALossOfPowerLoseAndDoubleNothing(seed: UInt64?) throws {
    _ = try smallSegments(9)
    for path in disk.paths {
      let file = try disk.open(path, .read)
      try disk.sync(file)
      try disk.close(file)
    }
    for call in 0...(try calls(disk) { try merge($0) }) {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { try merge(try copy.open()) } catch {}
      copy.disk.crash(keeping: seed.map { .random(seed: $0 &+ UInt64(call)) } ?? .none)
      try check(copy.disk, "call \(call), seed \(seed ?? 0)")
    }
  }

  // MARK: - Retention

  @Test func theOldestSegmentsAreDropped() throws {
    let store = try smallSegments(9)
    let count = try Compactor(store).drop(beyond: Retention(maximumRecordCount: 4), now: .max)
    #expect(count == 5)
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(6...9))
    #expect(fixture.files("segments").count == 4)
    #expect(try fixture.open().snapshot().gaps == [])
    #expect(try Compactor(store).drop(beyond: Retention(maximumRecordCount: 4), now: .max) == 0)
  }

  /// What was dropped does not come back, not even when its removal failed or was forgotten.
  @Test func whatWasDroppedStaysGone() throws {
    let store = try smallSegments(3)
    disk.inject(.init(.unlink, at: 1, repeats: true))
    #expect(try Compactor(store).drop(beyond: Retention(maximumRecordCount: 1), now: .max) == 2)
    disk.removeFaults()
    #expect(fixture.files("segments").count == 3)
    let reopened = try fixture.open()
    #expect(try fixture.numbers(reopened.snapshot()) == [3])
    #expect(reopened.manifest.removed.count == 2)
    try fixture.writeJournal([4], name: "j4")
    _ = try fixture.fold(reopened, "j4")
    #expect(fixture.files("segments").count == 2)
    try fixture.writeJournal([5], name: "j5")
    _ = try fixture.fold(reopened, "j5")
    #expect(reopened.manifest.removed == [])
    #expect(try fixture.numbers(reopened.snapshot()).sorted() == [3, 4, 5])
    #expect(fixture.files("quarantine") == [])
  }

  @Test func aFullDiskCanBeRelieved() throws {
    let store = try smallSegments(9)
    disk.capacity = disk.paths.reduce(0) { $0 + (disk.content(of: $1)?.count ?? 0) }
    #expect(try Compactor(store).drop(beyond: Retention(maximumRecordCount: 4), now: .max) == 5)
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(6...9))
    #expect(try fixture.open().problems == [])
  }

  // MARK: - Removal

  @Test func removedRecordsLeaveNoTrace() throws {
    let store = try fixture.open()
    try fixture.writeJournal(1...12)
    _ = try fixture.fold(store, rowLimit: 4)
    let count = try Compactor(store).remove { $0.message.hasSuffix("7") || $0.sequence > 8 }
    #expect(count == 5)
    #expect(try fixture.numbers(store.snapshot()).sorted() == [1, 2, 3, 4, 5, 6, 8])
    #expect(fixture.files("segments").count == 2)
    for path in disk.paths where path.hasSuffix(".pseg") {
      let bytes = try #require(disk.content(of: path))
      // Texts are kept in parts, and packed: what is in the file is what can be read of it.
      let records = try Segment(bytes: bytes, name: path).records()
      #expect(records.allSatisfy { !$0.message.hasSuffix("7") && $0.sequence <= 8 })
    }
    // Their journal is known to be folded as far as before.
    #expect(try fixture.open().snapshot().gaps == [])
    #expect(try Compactor(store).remove { _ in false } == 0)
  }

  @Test func nothingIsRemovedWhenASegmentCannotBeRead() throws {
    let store = try smallSegments(3)
    let victim = try #require(try store.snapshot().segments.last)
    disk.setContent(of: victim.name, to: [1, 2, 3])
    let reopened = try fixture.open()
    #expect(throws: StoreError.self) { try Compactor(reopened).remove { $0.sequence == 1 } }
    #expect(try fixture.numbers(reopened.snapshot()) == [1, 2])
    // In a file that is gone there is nothing to be removed.
    try disk.unlink(victim.name)
    #expect(try Compactor(try fixture.open()).remove { $0.sequence == 1 } == 1)
  }

  // MARK: - What is forgotten

  @Test func journalsThatAreGoneAreForgotten() throws {
    let store = try smallSegments(30)
    #expect(store.manifest.compactedUpTo.count <= 20)
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...30))
  }

  /// After a time in which nothing could be folded there may be thousands.
  @Test func journalsAreNotLookedAtForEachOther() throws {
    func calls(_ count: Int) throws -> Int {
      let fixture = StoreFixture()
      for number in 1...count { try fixture.writeJournal([number], name: "j\(number)") }
      let store = try fixture.open()
      let before = fixture.disk.callCount
      for number in 1...count { _ = try fixture.fold(store, "j\(number)") }
      return fixture.disk.callCount - before
    }
    #expect(try calls(80) * 10 < calls(40) * 22)
  }

  /// Somebody puts a journal back that the manifest does not know any more: the segments do.
  @Test func aForgottenJournalIsNotFoldedAgain() throws {
    try fixture.writeJournal([1], name: "j1")
    let old = disk.copy()
    _ = try fixture.fold(try fixture.open(), "j1")
    _ = try smallSegments(30)
    let path = "\(StoreFixture.journalDirectory("j1"))/0000000000000001.jseg"
    disk.setContent(of: path, to: try #require(old.content(of: path)))
    let store = try fixture.open()
    #expect(try fixture.visible(store, journal: "j1") == [1] + Array(1...30))
    _ = try fixture.fold(store, "j1")
    #expect(try fixture.numbers(store.snapshot()).sorted() == [1] + Array(1...30))
  }

  @Test func theQuarantineKeepsTheNewest() throws {
    let store = try smallSegments(1)
    for number in 1...5 {
      disk.setContent(
        of: "/store/quarantine/000000000000000\(number)-x", to: [UInt8](repeating: 0, count: 100))
    }
    disk.setContent(of: "/store/quarantine/note.txt", to: [UInt8](repeating: 0, count: 1_000))
    store.trimQuarantine(limit: 250)
    #expect(
      fixture.files("quarantine")
        == ["0000000000000004-x", "0000000000000005-x", "note.txt"])
    store.trimQuarantine(limit: 10)
    #expect(fixture.files("quarantine") == ["0000000000000005-x", "note.txt"])
  }
}
