import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Deaths, failures and losses of power at every step of a fold: afterwards each record is in the store exactly
/// once, and in between a reader sees each exactly once.
@Suite struct StoreFaultTests {
  private static let count = 36

  /// A disk with an older generation of the store and a journal to be folded.
  private func prepared() throws -> SimulatedDisk {
    let fixture = StoreFixture()
    try fixture.writeJournal(1001...1010, name: "old")
    _ = try fixture.fold(try fixture.open(), "old")
    try fixture.writeJournal(1...Self.count)
    // The journal is on stable storage, so that losses of power are the fold's own.
    for path in fixture.disk.paths {
      let file = try fixture.disk.open(path, .read)
      try fixture.disk.sync(file)
      try fixture.disk.close(file)
    }
    try fixture.disk.syncDirectory("/")
    for directory in ["", "/journals", "/journals/a", "/segments"] {
      try fixture.disk.syncDirectory(StoreFixture.directory + directory)
    }
    return fixture.disk
  }

  private let expected = Array(1...Self.count) + Array(1001...1010)

  private func callsOfAFold(_ disk: SimulatedDisk) throws -> Int {
    let fixture = StoreFixture(disk: disk.copy())
    let before = fixture.disk.callCount
    _ = try fixture.fold(try fixture.open())
    return fixture.disk.callCount - before
  }

  /// The store is complete for readers now, and after another fold.
  private func check(
    _ disk: SimulatedDisk, _ comment: Comment, location: SourceLocation = #_sourceLocation
  ) throws {
    let fixture = StoreFixture(disk: disk)
    #expect(
      try fixture.visible(fixture.open()) == expected, comment, sourceLocation: location)
    let store = try fixture.open()
    _ = try fixture.fold(store)
    #expect(
      try fixture.numbers(store.snapshot()).sorted() == expected, comment, sourceLocation: location)
    let reopened = try fixture.open()
    #expect(
      try fixture.numbers(reopened.snapshot()).sorted() == expected, comment,
      sourceLocation: location)
    #expect(try reopened.snapshot().gaps == [], comment, sourceLocation: location)
    #expect(reopened.problems == [], comment, sourceLocation: location)
    let litter = fixture.disk.paths.filter { $0.hasSuffix(".tmp") }
    #expect(litter == [], comment, sourceLocation: location)
    #expect(fixture.files("journals") == [], comment, sourceLocation: location)
  }

  @Test func theProcessDiesAfterEveryCall() throws {
    let disk = try prepared()
    for call in 0...(try callsOfAFold(disk)) {
      let fixture = StoreFixture(disk: disk.copy())
      fixture.disk.stop(after: call)
      do { _ = try fixture.fold(try fixture.open()) } catch {}
      fixture.disk.restart()
      try check(fixture.disk, "call \(call)")
    }
  }

  @Test func everyCallFailsOnce() throws {
    let disk = try prepared()
    for call in 1...(try callsOfAFold(disk)) {
      let fixture = StoreFixture(disk: disk.copy())
      fixture.disk.inject(.init(at: call))
      do {
        let store = try fixture.open()
        _ = try fixture.fold(store)
      } catch {}
      fixture.disk.removeFaults()
      try check(fixture.disk, "call \(call)")
    }
  }

  @Test func everyCallFailsFromSomeTimeOn() throws {
    let disk = try prepared()
    for call in 1...(try callsOfAFold(disk)) {
      let fixture = StoreFixture(disk: disk.copy())
      fixture.disk.inject(.init(at: call, repeats: true))
      do { _ = try fixture.fold(try fixture.open()) } catch {}
      fixture.disk.restart()
      try check(fixture.disk, "call \(call)")
    }
  }

  @Test(arguments: [nil, 1, 2] as [UInt64?])
  func thePowerGoesAfterEveryCall(seed: UInt64?) throws {
    let disk = try prepared()
    let first = Int(seed ?? 0) % 2
    for call in stride(from: first, through: try callsOfAFold(disk), by: 2) {
      let fixture = StoreFixture(disk: disk.copy())
      fixture.disk.stop(after: call)
      do { _ = try fixture.fold(try fixture.open()) } catch {}
      fixture.disk.crash(keeping: seed.map { .random(seed: $0) } ?? .none)
      try check(fixture.disk, "call \(call), seed \(seed ?? 0)")
    }
  }

  @Test func aFullDiskKeepsEverything() throws {
    let disk = try prepared()
    let used = disk.paths.reduce(0) { $0 + (disk.content(of: $1)?.count ?? 0) }
    for room in stride(from: 0, through: 12_000, by: 199) {
      let fixture = StoreFixture(disk: disk.copy())
      fixture.disk.capacity = used + room
      let store = try fixture.open()
      do { _ = try fixture.fold(store) } catch {}
      #expect(try fixture.visible(store) == expected, "room \(room)")
      fixture.disk.capacity = nil
      try check(fixture.disk, "room \(room)")
    }
  }

  /// A fold that fails again and again leaves no more behind than one that fails once.
  @Test func failuresDoNotPileUp() throws {
    let disk = try prepared()
    let fixture = StoreFixture(disk: disk)
    for round in 0..<30 {
      fixture.disk.inject(.init(.sync, at: 1 + round % 3))
      #expect(throws: StoreError.self) { try fixture.fold(try fixture.open()) }
      fixture.disk.removeFaults()
      #expect(fixture.files("segments").count == 1)
      #expect(fixture.manifests.count == 1)
    }
    try check(fixture.disk, "at last")
  }

  /// The lock does not hold, as on some shared file systems: the second commit has to notice.
  @Test func theSecondOfTwoCommitsIsRefused() throws {
    let disk = try prepared()
    let fixture = StoreFixture(disk: disk)
    let store = try fixture.open()
    let first = try StoreTransaction(store)
    try first.append(StoreFixture.record(2000))
    // A dead process's lock is nobody's, so another can begin although the first goes on.
    let other = StoreFixture(disk: disk)
    for path in ["/store/compact.lock"] { try disk.unlink(path) }
    let second = try StoreTransaction(try other.open())
    try second.append(StoreFixture.record(2001))
    try second.commit()
    #expect(throws: StoreError.conflict(generation: 2)) { try first.commit() }
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1001...1010) + [2001])
  }
}
