import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// What stands in a store's way, and must not stop it.
@Suite struct StoreObstacleTests {
  /// A store of two generations.
  private func prepared() throws -> StoreFixture {
    let fixture = StoreFixture()
    try fixture.writeJournal(1...10)
    _ = try fixture.fold(try fixture.open())
    try fixture.writeJournal(11...20, name: "b")
    _ = try fixture.fold(try fixture.open(), "b")
    return fixture
  }

  @Test func aManifestThatCannotBeReadNowIsReported() throws {
    let fixture = try prepared()
    // The newest manifest is the first file that is read.
    fixture.disk.inject(.init(.read, code: DiskError.inputOutput))
    let store = try fixture.open()
    let numbers = try fixture.numbers(store.snapshot())
    #expect(Array(numbers.prefix(10)) == Array(1...10))
    #expect(store.problems.contains { $0.file.contains("manifest-") } || numbers.count == 20)
    // Once it can be read again, it counts again.
    fixture.disk.removeFaults()
    let again = try fixture.open()
    #expect(try fixture.numbers(again.snapshot()).sorted() == Array(1...20))
    #expect(again.problems == [])
  }

  @Test func nobodyChangesAStoreWhoseManifestCannotBeRead() throws {
    let fixture = try prepared()
    let before = fixture.manifests
    let store = try fixture.open()
    fixture.disk.inject(.init(.read, repeats: true, code: DiskError.inputOutput))
    #expect(throws: StoreError.self) {
      let transaction = try StoreTransaction(store)
      try transaction.append(StoreFixture.record(30))
      try transaction.commit()
    }
    fixture.disk.removeFaults()
    #expect(fixture.manifests == before)
    #expect(try fixture.numbers(try fixture.open().snapshot()).sorted() == Array(1...20))
  }

  @Test func removalReachesIntactSegmentsInTheQuarantine() throws {
    let fixture = try prepared()
    let store = try fixture.open()
    let segment = try #require(try store.snapshot().segments.first)
    let bytes = try #require(fixture.disk.content(of: segment.name))
    _ = try fixture.disk.createDirectories("\(StoreFixture.directory)/quarantine")
    let path = "\(StoreFixture.directory)/quarantine/0000000000000002-segments-old.pseg"
    let other = "\(StoreFixture.directory)/quarantine/0000000000000002-segments-damaged.pseg"
    fixture.disk.setContent(of: path, to: bytes)
    fixture.disk.setContent(of: other, to: [1, 2, 3])
    #expect(try Compactor(store).remove { $0.sequence == 99 } == 0)
    #expect(fixture.disk.content(of: path) != nil)
    #expect(try Compactor(store).remove { $0.sequence == 3 } == 1)
    #expect(fixture.disk.content(of: path) == nil)
    #expect(fixture.disk.content(of: other) != nil)
  }

  @Test func aDirectoryThatIsCalledLikeASegmentStopsNoFold() throws {
    let fixture = StoreFixture()
    try fixture.writeJournal(1...10)
    let path = StoreFixture.journalDirectory() + "/0000000000000063.jseg"
    _ = try fixture.disk.createDirectories(path)
    let report = try fixture.fold(try fixture.open())
    #expect(!report.problems.isEmpty)
    #expect(try fixture.numbers(try fixture.open().snapshot()).sorted() == Array(1...10))
  }
}
