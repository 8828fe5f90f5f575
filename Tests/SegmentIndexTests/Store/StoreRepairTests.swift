import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// What a store does about manifests that are damaged, and about segments that no manifest lists: nothing that is
/// lost with them goes without a note, and the evidence stays until there is one.
@Suite struct StoreRepairTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }
  private let newest = "/store/manifest-0000000000000002"

  /// The records 1 to 30 from a journal, then 31 to 50 from an import.
  private func fill() throws {
    try fixture.writeJournal(1...30)
    _ = try fixture.fold(try fixture.open())
    try add(31...50)
  }

  private func add(_ numbers: ClosedRange<Int>, rowLimit: Int = 100) throws {
    let transaction = try StoreTransaction(try fixture.open(), rowLimit: rowLimit)
    for number in numbers { try transaction.append(StoreFixture.record(number)) }
    try transaction.commit()
  }

  private func damageNewest() throws {
    var bytes = try #require(disk.content(of: newest))
    bytes[20] ^= 1
    disk.setContent(of: newest, to: bytes)
  }

  /// A segment says which manifest was to list it: a damaged manifest costs no import.
  @Test func anImportThatADamagedManifestListedCounts() throws {
    try fill()
    try damageNewest()
    for _ in 0..<2 {
      let store = try fixture.open()
      #expect(try fixture.numbers(store.snapshot()) == Array(1...50))
      #expect(try store.snapshot().gaps == [])
      try StoreTransaction(store).commit()
    }
    #expect(try fixture.open().problems == [])
    #expect(fixture.files("quarantine") == ["0000000000000003-manifest-0000000000000002"])
  }

  /// One that does not say it, and whose records are nowhere else.
  @Test func anImportOfUnknownGenerationIsAGapWhenAManifestIsDamaged() throws {
    try fill()
    try forgetGeneration()
    let entry = try #require(try fixture.open().manifest.segments.last)
    let gap = Gap(
      file: "segments/\(entry.id).pseg", cause: .lostSegment, missing: 20,
      timeRange: StoreFixture.record(31).time...StoreFixture.record(50).time)
    try damageNewest()
    let before = try fixture.open().snapshot()
    #expect(before.gaps == [gap])
    #expect(try fixture.numbers(before) == Array(1...30))
    try StoreTransaction(try fixture.open()).commit()
    let after = try fixture.open()
    #expect(try after.snapshot().gaps == [gap] && after.problems == [])
    #expect(
      fixture.files("quarantine").sorted()
        == ["manifest-0000000000000002", "segments-\(entry.id).pseg"].map {
          "0000000000000003-\($0)"
        })
    // It is evidence, and more than that: its records are nowhere else.
    after.trimQuarantine(limit: 0)
    #expect(fixture.files("quarantine").contains { $0.hasSuffix("\(entry.id).pseg") })
  }

  /// Puts the import into the store anew, in a segment that does not say which manifest was to list it.
  private func forgetGeneration() throws {
    var manifest = try fixture.open().manifest
    let old = manifest.segments.removeLast()
    var builder = SegmentBuilder(id: old.id)
    for number in 31...50 { builder.append(StoreFixture.record(number)) }
    let bytes = try builder.finish()
    let segment = try Segment(bytes: bytes, name: "import")
    disk.setContent(of: "/store/segments/\(old.id).pseg", to: bytes)
    manifest.segments.append(
      Manifest.Entry(
        id: old.id, length: UInt64(bytes.count), checksum: segment.checksum, rowCount: 20,
        timeRange: old.timeRange))
    disk.setContent(of: newest, to: manifest.encoded())
    #expect(try fixture.numbers(fixture.open().snapshot()) == Array(1...50))
  }

  @Test func aSegmentThatCannotBeOpenedAndAManifestAreAGap() throws {
    try fill()
    let entry = try #require(try fixture.open().manifest.segments.last)
    try damageNewest()
    disk.setContent(of: "/store/segments/\(entry.id).pseg", to: [1, 2, 3])
    let gaps = try fixture.open().snapshot().gaps
    #expect(gaps.map(\.file) == ["segments/\(entry.id).pseg"] && gaps.map(\.missing) == [nil])
  }

  /// Whatever moved the evidence away before the loss is written down would hide it.
  @Test func theEvidenceStaysUntilTheLossIsWrittenDown() throws {
    try fill()
    try forgetGeneration()
    try damageNewest()
    withExtendedLifetime(try StoreTransaction(try fixture.open())) {}
    #expect(fixture.files("quarantine") == [] && disk.content(of: newest) != nil)
    let whole = StoreFixture(disk: disk.copy())
    let calls = whole.disk.callCount
    try StoreTransaction(try whole.open()).commit()
    #expect(whole.disk.callCount - calls > 20)
    for call in 0...whole.disk.callCount - calls {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { try StoreTransaction(try copy.open()).commit() } catch {}
      copy.disk.restart()
      #expect(try copy.open().snapshot().gaps.map(\.missing) == [20], "call \(call)")
      try StoreTransaction(try copy.open()).commit()
      #expect(try copy.open().snapshot().gaps.map(\.missing) == [20], "call \(call)")
      #expect(try copy.numbers(copy.open().snapshot()) == Array(1...30), "call \(call)")
    }
  }

  /// An import into a store without a manifest joins it whole or not at all.
  @Test(arguments: [nil, 0, 1, 2] as [UInt64?])
  func aFirstImportIsWholeOrNothing(seed: UInt64?) throws {
    try add(1...50, rowLimit: 20)
    #expect(try fixture.numbers(fixture.open().snapshot()) == Array(1...50))
    let count = disk.callCount
    #expect(count > 20)
    for call in 0...count {
      let copy = StoreFixture()
      copy.disk.stop(after: call)
      do {
        let transaction = try StoreTransaction(try copy.open(), rowLimit: 20)
        for number in 1...50 { try transaction.append(StoreFixture.record(number)) }
        try transaction.commit()
      } catch {}
      if let seed {
        copy.disk.crash(keeping: .random(seed: seed))
      } else {
        copy.disk.restart()
      }
      for _ in 0..<2 {
        let numbers = try copy.numbers(copy.open().snapshot())
        #expect(numbers == [] || numbers == Array(1...50), "call \(call), seed \(seed ?? 0)")
        try StoreTransaction(try copy.open()).commit()
      }
    }
  }

  @Test func fileNamesAloneDoNoHarm() throws {
    try fill()
    disk.setContent(of: "/store/manifest-ffffffffffffffff", to: [])
    try add(51...60)
    #expect(try fixture.numbers(fixture.open().snapshot()) == Array(1...60))
    #expect(try fixture.open().problems == [])
    // The last number there is: what came behind it, nobody would find.
    disk.setContent(of: "/store/manifest-7fffffffffffffff", to: [])
    #expect(throws: StoreError.conflict(generation: 1 << 63)) { try add(61...70) }
    let store = try fixture.open()
    #expect(try fixture.numbers(store.snapshot()) == Array(1...60) && store.problems.count == 1)
  }

  @Test func aManifestThatIsTooLongIsADamagedOne() throws {
    try fill()
    disk.setContent(of: newest, to: [UInt8](repeating: 0, count: 64 << 20 + 1))
    let store = try fixture.open()
    #expect(store.problems.map(\.file) == [newest])
    #expect(try fixture.numbers(store.snapshot()) == Array(1...50))
  }

  /// An empty store would be a wrong answer.
  @Test func aStoreThatChangesAllTheTimeIsBusy() throws {
    try fill()
    disk.inject(.init(.open, repeats: true, code: DiskError.noSuchFile))
    #expect(throws: StoreError.busy) { try fixture.open() }
  }

  @Test func lengthsThatNobodyHasDoNotAddUp() throws {
    try fill()
    var manifest = try fixture.open().manifest
    for number in 1...3 {
      manifest.segments.append(
        Manifest.Entry(
          id: UniqueID(bits: UInt128(number)), length: UInt64(Int64.max), checksum: 0, rowCount: 1,
          timeRange: 0...0))
    }
    disk.setContent(of: newest, to: manifest.encoded())
    #expect(try StoreVerifier.verify(fixture.open()).byteCount == .max)
  }

  /// Files in the quarantine survive a loss of power that comes right after.
  @Test func theQuarantineIsOnStableStorage() throws {
    try fixture.writeJournal(1...60)
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    var bytes = try #require(disk.content(of: path))
    bytes[400] ^= 1
    disk.setContent(of: path, to: bytes)
    _ = try fixture.fold(try fixture.open())
    disk.crash()
    let name = "0000000000000001-journals-a-0000000000000001.jseg"
    #expect(fixture.files("quarantine") == [name])
    #expect(disk.content(of: "/store/quarantine/\(name)") == bytes)
  }
}
