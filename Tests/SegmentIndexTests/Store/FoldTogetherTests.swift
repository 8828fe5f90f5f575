import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Several journals are folded in one commit, whatever happens at any step of it.
@Suite struct FoldTogetherTests {
  private let names = ["a", "b", "c"]
  private let expected = Array(1...36)

  private func fold(_ fixture: StoreFixture) throws -> [FoldReport] {
    try Compactor(try fixture.open(), rowLimit: 20).fold(
      journalDirectories: names.map(StoreFixture.journalDirectory)
    ) { _ in StoreFixture.decode }
  }

  /// A disk with three journals, all on stable storage.
  private func prepared() throws -> SimulatedDisk {
    let fixture = StoreFixture()
    for (index, name) in names.enumerated() {
      try fixture.writeJournal(index * 12 + 1...index * 12 + 12, name: name)
    }
    for path in fixture.disk.paths {
      let file = try fixture.disk.open(path, .read)
      try fixture.disk.sync(file)
      try fixture.disk.close(file)
    }
    for directory in ["/", "/store", "/store/journals"] + names.map(StoreFixture.journalDirectory) {
      try fixture.disk.syncDirectory(directory)
    }
    return fixture.disk
  }

  private func callCount(_ disk: SimulatedDisk) throws -> Int {
    let fixture = StoreFixture(disk: disk.copy())
    let before = fixture.disk.callCount
    _ = try fold(fixture)
    return fixture.disk.callCount - before
  }

  private func check(_ disk: SimulatedDisk, _ comment: Comment) throws {
    let fixture = StoreFixture(disk: disk)
    _ = try fold(fixture)
    let store = try fixture.open()
    #expect(try fixture.numbers(store.snapshot()).sorted() == expected, comment)
    #expect(try store.snapshot().gaps == [] && store.problems == [], comment)
    #expect(fixture.disk.paths.allSatisfy { !$0.hasSuffix(".tmp") }, comment)
    #expect(fixture.files("journals") == [], comment)
  }

  @Test func eachHasSegmentsOfItsOwn() throws {
    let fixture = StoreFixture(disk: try prepared())
    let reports = try fold(fixture)
    #expect(reports.map(\.recordCount) == [12, 12, 12])
    #expect(reports.map(\.segmentCount) == [1, 1, 1])
    #expect(reports.map(\.isJournalRemoved) == [true, true, true])
    let store = try fixture.open()
    #expect(store.manifest.generation == 1)
    let sources = try store.snapshot().segments.map(\.sources)
    #expect(sources.map { $0.map(\.journal) } == reports.map { [$0.journalID] })
    #expect(try fixture.numbers(store.snapshot()) == expected)
  }

  @Test func oneThatIsLiveIsLeftAlone() throws {
    let disk = try prepared()
    let fixture = StoreFixture(disk: disk)
    let live = try fixture.journal("b")
    #expect(try fold(fixture).count == 2)
    #expect(fixture.files("journals") == ["b"])
    live.close()
    try check(disk, "later")
  }

  /// None is folded then, for nobody knows what the others' commit would lack; each by itself can be.
  @Test func oneThatCannotBeReadKeepsAll() throws {
    let disk = try prepared()
    let fixture = StoreFixture(disk: disk)
    disk.inject(.init(.read, on: StoreFixture.journalDirectory("b"), repeats: true))
    #expect(throws: StoreError.self) { try fold(fixture) }
    #expect(fixture.files("journals") == names && fixture.files("segments") == [])
    #expect(try fixture.fold(try fixture.open(), "c").recordCount == 12)
    disk.removeFaults()
    try check(disk, "later")
  }

  @Test func theProcessDiesAfterEveryCall() throws {
    let disk = try prepared()
    for call in 0...(try callCount(disk)) {
      let copy = disk.copy()
      copy.stop(after: call)
      _ = try? fold(StoreFixture(disk: copy))
      copy.restart()
      try check(copy, "call \(call)")
    }
  }

  @Test func everyCallFailsOnce() throws {
    let disk = try prepared()
    for call in 1...(try callCount(disk)) {
      let copy = disk.copy()
      copy.inject(.init(at: call))
      _ = try? fold(StoreFixture(disk: copy))
      copy.removeFaults()
      try check(copy, "call \(call)")
    }
  }

  @Test(arguments: [nil, 1] as [UInt64?]) func thePowerGoesAfterEveryCall(seed: UInt64?) throws {
    let disk = try prepared()
    for call in stride(from: Int(seed ?? 0), through: try callCount(disk), by: 2) {
      let copy = disk.copy()
      copy.stop(after: call)
      _ = try? fold(StoreFixture(disk: copy))
      copy.crash(keeping: seed.map { .random(seed: $0) } ?? .none)
      try check(copy, "call \(call), seed \(seed ?? 0)")
    }
  }
}
