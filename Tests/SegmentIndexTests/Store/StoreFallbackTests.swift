import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// The newest manifest is damaged: what only it listed is found by what the segments say of themselves.
@Suite struct StoreFallbackTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func damage(_ generation: Int, _ disk: SimulatedDisk) {
    let path = "/store/manifest-000000000000000\(generation)"
    guard var bytes = disk.content(of: path) else { return }
    bytes[20] ^= 1
    disk.setContent(of: path, to: bytes)
  }

  /// A journal of which 1 to 10 are in the first generation, 11 to 20 in the second, and 21 to 30 in no segment.
  private func foldTwice() throws {
    let journal = try fixture.journal(segment: 1 << 20)
    for last in [10, 20, 30] {
      for number in last - 9...last { try journal.append(StoreFixture.entry(number)) }
      guard last < 30 else { break }
      try journal.rotate()
      _ = try fixture.fold(try fixture.open(), onlyClosedSegments: true)
    }
    journal.close()
    #expect(try fixture.open().manifest.segments.map(\.rowCount) == [10, 10])
  }

  /// Replaces the segment that joined last by one that does not say when.
  private func forgetGeneration() throws {
    let entry = try #require(try fixture.open().manifest.segments.last)
    let path = "/store/segments/\(entry.id).pseg"
    let segment = try Segment(bytes: try #require(disk.content(of: path)), name: path)
    var builder = SegmentBuilder(id: entry.id)
    for record in try segment.records() { builder.append(record) }
    for source in segment.sources { builder.add(source) }
    #expect(segment.generation == 2)
    disk.setContent(of: path, to: try builder.finish())
  }

  // MARK: - What cannot be told

  /// A process died before the first byte of its journal, another's journal is forbidden: neither has what was folded.
  @Test(arguments: [(true, true), (true, false), (false, true), (false, false)])
  func journalsOfOthersCostNothing(saysWhen: Bool, isForbidden: Bool) throws {
    try foldTwice()
    if !saysWhen { try forgetGeneration() }
    damage(2, disk)
    disk.setContent(of: "\(StoreFixture.journalDirectory("b"))/0000000000000001.jseg", to: [])
    if isForbidden {
      disk.inject(.init(on: StoreFixture.journalDirectory("b"), repeats: true))
    }
    let store = try fixture.open()
    #expect(try fixture.visible(store) == Array(1...30))
    #expect(try store.snapshot().gaps == [])
    _ = try fixture.fold(store)
    try StoreTransaction(store).commit()
    #expect(try fixture.numbers(fixture.open().snapshot()) == Array(1...30))
    #expect(try fixture.open().snapshot().gaps == [] && fixture.open().problems == [])
    #expect(fixture.files("quarantine") == ["0000000000000003-manifest-0000000000000002"])
  }

  /// It may be from that journal, or the journal that it is from may be gone: whoever reads says so, and nobody writes.
  @Test func aSegmentThatMayBeOfAForbiddenJournalIsAGapForNow() throws {
    try fixture.writeJournal(1...10)
    _ = try fixture.fold(try fixture.open())
    try fixture.writeJournal(11...20, name: "b")
    _ = try fixture.fold(try fixture.open(), "b")
    try forgetGeneration()
    damage(2, disk)
    try fixture.writeJournal(21...30, name: "c")
    try checkThatItWaits(for: StoreFixture.journalDirectory("c"), missing: 10)
  }

  @Test func aSegmentThatCannotBeReadNowIsAGapForNow() throws {
    try foldTwice()
    damage(2, disk)
    let listed = Set(try fixture.open().manifest.segments.map { "\($0.id).pseg" })
    let path = try #require(
      fixture.files("segments").first {
        $0.hasSuffix(".pseg") && !listed.subtracting([$0]).isEmpty && listed.contains($0)
          && (try? segment($0).timeRange?.lowerBound) == StoreFixture.record(11).time
      })
    try checkThatItWaits(for: "/store/segments/\(path)", missing: nil, journal: "a")
  }

  private func segment(_ name: String) throws -> Segment {
    try Segment(bytes: try #require(disk.content(of: "/store/segments/\(name)")), name: name)
  }

  private func checkThatItWaits(
    for path: String, missing: UInt64?, journal: String = "c"
  ) throws {
    let before = disk.paths
    disk.inject(.init(on: path, repeats: true))
    let store = try fixture.open()
    #expect(try store.snapshot().gaps.map(\.cause) == [.lostSegment])
    #expect(try store.snapshot().gaps.map(\.missing) == [missing])
    #expect(throws: StoreError.self) { try StoreTransaction(store).commit() }
    #expect(try fixture.numbers(store.snapshot()) == Array(1...10))
    disk.removeFaults()
    #expect(disk.paths == before)
    // The same store, without being told.
    #expect(try store.snapshot().gaps == [])
    _ = try fixture.fold(store, journal)
    try StoreTransaction(store).commit()
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...30))
    #expect(try fixture.open().snapshot().gaps == [])
  }

  // MARK: - Imports

  private func runImport(_ fixture: StoreFixture) throws {
    let transaction = try StoreTransaction(try fixture.open(), rowLimit: 20)
    for number in 1...50 { try transaction.append(StoreFixture.record(number)) }
    try transaction.commit()
  }

  /// Whenever the import dies, and whichever manifest is damaged then.
  @Test(arguments: [nil, 1, 2] as [UInt64?])
  func anImportIsWholeOrNothing(seed: UInt64?) throws {
    try runImport(fixture)
    let count = disk.callCount
    for call in 0...count {
      let copy = StoreFixture()
      copy.disk.stop(after: call)
      do { try runImport(copy) } catch {}
      if let seed {
        copy.disk.crash(keeping: .random(seed: seed &+ UInt64(call)))
      } else {
        copy.disk.restart()
      }
      let wasCommitted = copy.disk.content(of: "/store/manifest-0000000000000002") != nil
      for generation in [1, 2] { damage(generation, copy.disk) }
      for _ in 0..<2 {
        let numbers = try copy.numbers(copy.open().snapshot()).sorted()
        #expect(numbers == (wasCommitted ? Array(1...50) : []), "call \(call), seed \(seed ?? 0)")
        #expect(try copy.open().snapshot().gaps == [], "call \(call), seed \(seed ?? 0)")
        try StoreTransaction(try copy.open()).commit()
      }
    }
  }

  /// An import died; the change after it dies, too, and its manifest is damaged. It did not list the import.
  @Test func aDeadImportIsNotTakenForTheNextGeneration() throws {
    // It has named two of its three segments.
    disk.inject(.init(.rename, at: 4, repeats: true))
    disk.inject(.init(.unlink, repeats: true))
    #expect(throws: StoreError.self) { try runImport(fixture) }
    disk.restart()
    let dead = disk.copy()
    #expect(fixture.files("segments").filter { $0.hasSuffix(".pseg") }.count == 2)
    #expect(fixture.manifests == ["manifest-0000000000000001"])
    try StoreFixture(disk: dead).writeJournal(101...110)
    let whole = StoreFixture(disk: dead.copy())
    let before = whole.disk.callCount
    _ = try whole.fold(try whole.open())
    #expect(whole.disk.callCount - before > 20)
    for call in 0...whole.disk.callCount - before {
      let copy = StoreFixture(disk: dead.copy())
      copy.disk.stop(after: call)
      do { _ = try copy.fold(try copy.open()) } catch {}
      copy.disk.restart()
      damage(2, copy.disk)
      #expect(try copy.visible(copy.open()) == Array(101...110), "call \(call)")
      _ = try copy.fold(try copy.open())
      try StoreTransaction(try copy.open()).commit()
      #expect(try copy.numbers(copy.open().snapshot()) == Array(101...110), "call \(call)")
      #expect(try copy.open().snapshot().gaps == [], "call \(call)")
      #expect(copy.files("quarantine").filter { $0.hasSuffix(".pseg") }.count >= 2, "call \(call)")
    }
  }

  /// A removal's manifest is damaged, and the old file is still there: what was removed does not come back.
  @Test func removedRecordsStayRemoved() throws {
    try fixture.writeJournal(1...10)
    _ = try fixture.fold(try fixture.open())
    disk.inject(.init(.unlink, on: "/store/segments", repeats: true))
    _ = try? Compactor(try fixture.open()).remove { $0.sequence == 7 }
    disk.removeFaults()
    damage(2, disk)
    #expect(fixture.files("segments").count == 2)
    let rest = Array(1...10).filter { $0 != 7 }
    #expect(try fixture.numbers(fixture.open().snapshot()) == rest)
    for number in [20, 21] {
      try fixture.writeJournal([number], name: "b")
      _ = try fixture.fold(try fixture.open(), "b")
    }
    #expect(try fixture.numbers(fixture.open().snapshot()) == rest + [20, 21])
    #expect(fixture.files("segments").count == 3)
  }
}
