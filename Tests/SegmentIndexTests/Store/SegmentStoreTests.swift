import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Stores whose files are gone or damaged open all the same, and say so.
@Suite struct SegmentStoreTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  /// Two generations: the records 1 to 30 from one journal, 31 to 60 from another.
  private func fill() throws {
    try fixture.writeJournal(1...30)
    _ = try fixture.fold(try fixture.open())
    try fixture.writeJournal(31...60, name: "b")
    _ = try fixture.fold(try fixture.open(), "b")
  }

  private let newest = "/store/manifest-0000000000000002"
  private let previous = "/store/manifest-0000000000000001"

  @Test func anEmptyStoreIsEmpty() throws {
    let store = try fixture.open()
    #expect(try store.snapshot().segments.isEmpty && store.snapshot().gaps.isEmpty)
    #expect(store.problems == [] && disk.paths == [])
  }

  @Test func everyDamageToTheManifestIsSurvived() throws {
    try fill()
    let bytes = try #require(disk.content(of: newest))
    var variants: [[UInt8]] = stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[..<$0]) }
    for position in 0..<bytes.count {
      var damaged = bytes
      damaged[position] ^= 1 << (position % 8)
      variants.append(damaged)
    }
    variants.append(bytes + [0])
    variants.append([UInt8](repeating: 0, count: bytes.count))
    for variant in variants {
      disk.setContent(of: newest, to: variant)
      let store = try fixture.open()
      #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...60))
      #expect(store.problems.map(\.file) == [newest])
    }
    // The next change leaves a sound manifest, and keeps the damaged one as evidence.
    _ = try fixture.fold(try fixture.open())
    let store = try StoreTransaction(try fixture.open())
    try store.commit()
    #expect(fixture.files("quarantine") == ["0000000000000003-manifest-0000000000000002"])
    let reopened = try fixture.open()
    #expect(reopened.problems == [])
    #expect(try fixture.numbers(reopened.snapshot()).sorted() == Array(1...60))
  }

  @Test func withoutManifestsTheSegmentsTell() throws {
    try fill()
    let ids = try fixture.open().manifest.compactedUpTo
    try disk.unlink(newest)
    try disk.unlink(previous)
    let store = try fixture.open()
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...60))
    #expect(store.problems.count == 1)
    #expect(
      store.manifest.compactedUpTo.merging(ids) { _, known in known }
        == store.manifest.compactedUpTo)
    // The next change writes down what there is, even when it changes nothing itself.
    try StoreTransaction(store).commit()
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...60))
    #expect(try fixture.open().problems == [])
  }

  @Test func aStaleManifestMissesNothing() throws {
    try fill()
    try disk.unlink(newest)
    // Nothing says that there was a newer one: its segments are found by the next change.
    let store = try fixture.open()
    #expect(try fixture.numbers(store.snapshot()).sorted() == Array(1...30))
    let transaction = try StoreTransaction(store)
    try transaction.commit()
    #expect(try fixture.numbers(fixture.open().snapshot()).sorted() == Array(1...60))
    #expect(fixture.files("quarantine") == [])
  }

  @Test func aLostSegmentIsAGap() throws {
    try fill()
    let entry = try #require(try fixture.open().manifest.segments.first)
    let path = "/store/segments/\(entry.id).pseg"
    let bytes = try #require(disk.content(of: path))
    for content in [nil, [], Array(bytes.dropLast()), Array(bytes.reversed())] as [[UInt8]?] {
      if let content { disk.setContent(of: path, to: content) } else { try disk.unlink(path) }
      let store = try fixture.open()
      let snapshot = try store.snapshot()
      let numbers = try fixture.numbers(snapshot)
      #expect(numbers.count == 60 - Int(entry.rowCount))
      let gap = Gap(
        file: "segments/\(entry.id).pseg", cause: .lostSegment, missing: UInt64(entry.rowCount),
        timeRange: entry.timeRange)
      #expect(snapshot.gaps == [gap])
      #expect(store.problems.map(\.file) == [path])
    }
    // Nobody writes the loss into the manifest: the file may come back.
    disk.setContent(of: path, to: bytes)
    #expect(try fixture.open().snapshot().gaps == [])
  }

  @Test func anotherSegmentUnderTheNameIsNotTheSegment() throws {
    try fill()
    let entries = try fixture.open().manifest.segments
    let bytes = try #require(disk.content(of: "/store/segments/\(entries[1].id).pseg"))
    disk.setContent(of: "/store/segments/\(entries[0].id).pseg", to: bytes)
    #expect(try fixture.open().snapshot().gaps.map(\.cause) == [.lostSegment])
  }

  @Test func foreignFilesAreLeftAlone() throws {
    try fill()
    let foreign = [
      "/store/notes.txt", "/store/manifest-2", "/store/segments/readme", "/store/x.tmp",
      "/store/segments/00000000-0000-0000-0000-00000000000g.pseg",
    ]
    for path in foreign { disk.setContent(of: path, to: [1]) }
    let store = try fixture.open()
    #expect(store.problems == [])
    let transaction = try StoreTransaction(store)
    try transaction.append(StoreFixture.record(61))
    try transaction.commit()
    for path in foreign { #expect(disk.content(of: path) == [1]) }
  }

  @Test func litterOfTheDeadIsRemoved() throws {
    try fill()
    let litter = [
      "/store/manifest-0000000000000003.tmp", "/store/segments/\(UniqueID()).pseg.tmp",
    ]
    for path in litter { disk.setContent(of: path, to: [1]) }
    disk.setContent(of: "/store/segments/\(UniqueID(bits: 5)).pseg", to: [])
    try StoreTransaction(try fixture.open()).commit()
    for path in litter { #expect(disk.content(of: path) == nil) }
    #expect(fixture.files("quarantine") == ["0000000000000002-segments-\(UniqueID(bits: 5)).pseg"])
  }

  @Test func aNewerStoreIsNotTouched() throws {
    try fill()
    var bytes = try #require(disk.content(of: newest))
    bytes[8] = 2
    let crc = CRC32C.checksum(bytes.rawSpan.extracting(0..<bytes.count - 4))
    for byte in 0..<4 {
      bytes[bytes.count - 4 + byte] = UInt8(truncatingIfNeeded: crc >> (8 * byte))
    }
    disk.setContent(of: newest, to: bytes)
    let paths = disk.paths
    #expect(throws: StoreError.unsupportedVersion(file: newest, majorVersion: 2)) {
      try fixture.open()
    }
    #expect(disk.paths == paths)
  }

  @Test func snapshotsStayReadable() throws {
    try fill()
    let snapshot = try fixture.open().snapshot()
    for path in disk.paths { try disk.unlink(path) }
    #expect(try fixture.numbers(snapshot).sorted() == Array(1...60))
  }
}
