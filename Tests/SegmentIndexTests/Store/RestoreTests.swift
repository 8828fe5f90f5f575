import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// What the store is known to lack comes back from the quarantine, once, and nothing else does.
@Suite struct RestoreTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func restore(_ disk: SimulatedDisk) throws -> RestoreReport {
    try Compactor(StoreFixture(disk: disk).open()).restore { _ in StoreFixture.decode }
  }

  private func numbers(_ disk: SimulatedDisk) throws -> [Int] {
    let fixture = StoreFixture(disk: disk)
    return try fixture.numbers(fixture.open().snapshot()).sorted()
  }

  /// The reasons for which files were left.
  private func reasons(_ report: RestoreReport) -> [String] {
    report.files.compactMap { if case .left(let reason) = $0.outcome { reason } else { nil } }
  }

  // MARK: - Segments

  /// Records 1 to 30 are in the store, 31 to 50 in a segment that was lost sight of: in the quarantine, and noted as a gap.
  private func loseAnImport(sources: [SegmentSource] = []) throws {
    try fixture.writeJournal(1...30)
    _ = try fixture.fold(try fixture.open())
    try runImport()
    let newest = "/store/manifest-0000000000000002"
    var manifest = try fixture.open().manifest
    let old = manifest.segments.removeLast()
    var builder = SegmentBuilder(id: old.id)
    for number in 31...50 { builder.append(StoreFixture.record(number)) }
    for source in sources { builder.add(source) }
    disk.setContent(of: "/store/segments/\(old.id).pseg", to: try builder.finish())
    var bytes = try #require(disk.content(of: newest))
    bytes[20] ^= 1
    disk.setContent(of: newest, to: bytes)
    try StoreTransaction(try fixture.open()).commit()
    #expect(try numbers(disk) == Array(1...30))
    #expect(try fixture.open().snapshot().gaps.count == 1)
    #expect(quarantined.count == 1)
    for path in disk.paths {
      let file = try disk.open(path, .read)
      try disk.sync(file)
      try disk.close(file)
    }
  }

  private func runImport() throws {
    let transaction = try StoreTransaction(try fixture.open(), rowLimit: 100)
    for number in 31...50 { try transaction.append(StoreFixture.record(number)) }
    try transaction.commit()
  }

  private var quarantined: [String] {
    fixture.files("quarantine").filter { $0.hasSuffix(".pseg") }
  }

  @Test func aSegmentThatIsMissedComesBackOnce() throws {
    try loseAnImport()
    let before = fixture.files("quarantine")
    let report = try restore(disk)
    #expect(report.recordCount == 20 && report.files.map(\.name) == before)
    for _ in 0..<2 {
      #expect(try numbers(disk) == Array(1...50))
      #expect(try fixture.open().snapshot().gaps == [])
      #expect(fixture.files("quarantine") == before)
      #expect(reasons(try restore(disk)).contains("the store does not miss it"))
    }
    #expect(try StoreVerifier.verify(fixture.open()).problems == [])
    // The store has it all: from here on it is evidence as any other.
    disk.setContent(of: "/store/quarantine/0000000000000009-newest", to: [1])
    try fixture.open().trimQuarantine(limit: 0)
    #expect(quarantined == [])
  }

  /// Wherever the process or the power ends, and whatever is left of unsynced changes.
  @Test(arguments: [nil, 0] as [UInt64?])
  func aRestoreHappensOrNot(seed: UInt64?) throws {
    try loseAnImport()
    let whole = disk.copy()
    let calls = whole.callCount
    _ = try restore(whole)
    #expect(whole.callCount - calls > 30)
    for call in 0...whole.callCount - calls {
      let copy = disk.copy()
      copy.stop(after: call)
      _ = try? restore(copy)
      if let seed { copy.crash(keeping: .random(seed: seed)) } else { copy.restart() }
      let found = try numbers(copy)
      let gaps = try StoreFixture(disk: copy).open().snapshot().gaps
      #expect(
        found == Array(1...30) && gaps.count == 1 || found == Array(1...50) && gaps == [],
        "call \(call), seed \(seed ?? 0)")
      _ = try restore(copy)
      #expect(try numbers(copy) == Array(1...50), "call \(call), seed \(seed ?? 0)")
      #expect(try StoreFixture(disk: copy).open().snapshot().gaps == [])
    }
  }

  /// The manifest that says that it is back is damaged: then the segment itself says so.
  @Test func nothingComesBackTwiceWhenTheNewestManifestIsLost() throws {
    try loseAnImport()
    _ = try restore(disk)
    let newest = "/store/\(try #require(fixture.manifests.last))"
    var bytes = try #require(disk.content(of: newest))
    bytes[20] ^= 1
    disk.setContent(of: newest, to: bytes)
    #expect(try numbers(disk) == Array(1...50))
    #expect(try restore(disk).recordCount == 0)
    #expect(try numbers(disk) == Array(1...50))
  }

  @Test func aDamagedSegmentStays() throws {
    try loseAnImport()
    let path = "/store/quarantine/\(try #require(quarantined.first))"
    let intact = try #require(disk.content(of: path))
    for offset in [0, 70, intact.count / 2, intact.count - 1] {
      var bytes = intact
      bytes[offset] ^= 0x10
      disk.setContent(of: path, to: bytes)
      let report = try restore(disk)
      #expect(report.recordCount == 0 && reasons(report).count == report.files.count)
      #expect(try numbers(disk) == Array(1...30))
      #expect(disk.content(of: path) == bytes)
    }
    disk.setContent(of: path, to: intact)
    #expect(try restore(disk).recordCount == 20)
  }

  /// Of a stretch that overlaps another, nothing tells which records are there.
  @Test func aSegmentOfWhichTheStoreHasSomeStays() throws {
    try loseAnImport()
    let segment = try #require(try fixture.open().snapshot().segments.first)
    let source = try #require(segment.sources.first)
    let path = "/store/quarantine/\(try #require(quarantined.first))"
    let id = try Segment(bytes: try #require(disk.content(of: path)), name: path).id
    for last in [source.lastSequence, source.lastSequence + 9] {
      var builder = SegmentBuilder(id: id)
      for number in 31...50 { builder.append(StoreFixture.record(number)) }
      builder.add(
        SegmentSource(
          journal: source.journal, firstSequence: source.lastSequence, lastSequence: last))
      disk.setContent(of: path, to: try builder.finish())
      #expect(reasons(try restore(disk)).contains("the store has some of its records"))
    }
    var builder = SegmentBuilder(id: id)
    for number in 31...50 { builder.append(StoreFixture.record(number)) }
    builder.add(parent: segment.id)
    disk.setContent(of: path, to: try builder.finish())
    #expect(reasons(try restore(disk)).contains("the store has records that it stands for"))
    #expect(try numbers(disk) == Array(1...30))
  }

  /// What it has nobody knows.
  @Test func aSegmentThatCannotBeReadKeepsAllFromComingBack() throws {
    try loseAnImport()
    let entry = try #require(try fixture.open().manifest.segments.first)
    let path = "/store/segments/\(entry.id).pseg"
    let intact = try #require(disk.content(of: path))
    disk.setContent(of: path, to: [1, 2, 3])
    #expect(try restore(disk).recordCount == 0)
    disk.setContent(of: path, to: intact)
    #expect(try restore(disk).recordCount == 20)
    #expect(try numbers(disk) == Array(1...50))
  }

  /// An import that died before its commit was never a part of the store: it will be repeated.
  @Test func whatTheStoreNeverHadStaysWhereItIs() throws {
    try loseAnImport()
    let segment = try #require(try fixture.open().snapshot().segments.first)
    let bytes = try #require(disk.content(of: segment.name))
    for name in ["segments-\(segment.id).pseg", "segments-\(UniqueID(bits: 9)).pseg", "notes"] {
      disk.setContent(of: "/store/quarantine/0000000000000001-\(name)", to: bytes)
    }
    disk.setContent(of: "/store/quarantine/segments-\(segment.id).pseg", to: bytes)
    let report = try restore(disk)
    #expect(report.recordCount == 20 && report.files.count == 6)
    #expect(try numbers(disk) == Array(1...50))
  }

  @Test func aFullDiskChangesNothing() throws {
    try loseAnImport()
    disk.inject(.init(.write, repeats: true, code: DiskError.noSpace))
    #expect(throws: StoreError.self) { try restore(disk) }
    disk.removeFaults()
    #expect(try numbers(disk) == Array(1...30) && quarantined.count == 1)
    #expect(try restore(disk).recordCount == 20)
  }

  // MARK: - Journals

  /// A journal of which some bytes were damaged when it was folded. Returns its file in the quarantine, and how it was.
  private func foldADamagedJournal(
    at offsets: [Int] = [400]
  ) throws -> (path: String, intact: [UInt8]) {
    try fixture.writeJournal(1...60)
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    let intact = try #require(disk.content(of: path))
    var bytes = intact
    for offset in offsets { bytes[offset] ^= 1 }
    disk.setContent(of: path, to: bytes)
    _ = try fixture.fold(try fixture.open())
    #expect(try numbers(disk).count < 60)
    let name = "0000000000000001-journals-a-0000000000000001.jseg"
    #expect(fixture.files("quarantine") == [name])
    return ("/store/quarantine/\(name)", intact)
  }

  @Test(arguments: [[400], [500, 700], [300, 301, 900], [20, 150]])
  func whatADamagedJournalLackedComesBackOnceItIsMended(offsets: [Int]) throws {
    let (path, intact) = try foldADamagedJournal(at: offsets)
    let before = try numbers(disk)
    #expect(try restore(disk).recordCount == 0)
    disk.setContent(of: path, to: intact)
    let missing = 60 - before.count
    #expect(try restore(disk).recordCount == missing)
    for _ in 0..<2 {
      #expect(try numbers(disk) == Array(1...60))
      #expect(try fixture.open().snapshot().gaps == [])
      #expect(try restore(disk).recordCount == 0)
    }
    #expect(disk.content(of: path) == intact)
  }

  @Test func aMendedJournalComesBackOrNotWhereverItEnds() throws {
    let (path, intact) = try foldADamagedJournal(at: [400, 700])
    disk.setContent(of: path, to: intact)
    let before = try numbers(disk)
    let whole = disk.copy()
    let calls = whole.callCount
    _ = try restore(whole)
    for call in 0...whole.callCount - calls {
      let copy = disk.copy()
      copy.stop(after: call)
      _ = try? restore(copy)
      copy.restart()
      let found = try numbers(copy)
      #expect(found == before || found == Array(1...60), "call \(call)")
      _ = try restore(copy)
      #expect(try numbers(copy) == Array(1...60), "call \(call)")
    }
  }

  /// What was removed from the store on purpose was never missing.
  @Test func whatWasRemovedStaysRemoved() throws {
    let (path, intact) = try foldADamagedJournal()
    let before = try numbers(disk)
    #expect(try Compactor(fixture.open()).remove { $0.sequence > 40 } > 0)
    disk.setContent(of: path, to: intact)
    _ = try restore(disk)
    let missing = Set(1...60).subtracting(before)
    #expect(try numbers(disk) == (1...60).filter { $0 <= 40 || missing.contains($0) })
  }

  @Test func theFileOfAnotherJournalStays() throws {
    let (path, _) = try foldADamagedJournal()
    try fixture.writeJournal(61...90, name: "b")
    let other = "\(StoreFixture.journalDirectory("b"))/0000000000000001.jseg"
    disk.setContent(of: path, to: try #require(disk.content(of: other)))
    #expect(try restore(disk).recordCount == 0)
    #expect(try fixture.open().snapshot().gaps.count == 1)
  }

  // MARK: - Attachments

  @Test func whatIsAttachedComesBackToo() throws {
    try loseAnImport()
    let path = "/store/quarantine/\(try #require(quarantined.first))"
    let segment = try Segment(bytes: try #require(disk.content(of: path)), name: path)
    let file = UniqueID(bits: 0xf11e)
    var builder = SegmentBuilder(id: segment.id)
    for var record in try segment.records() {
      if record.sequence == 33 {
        record.attachments =
          AttachmentList([
            .init(
              name: "a", type: "b",
              content: .file(file, byteCount: 2, checksum: CRC32C.checksum([7, 8].rawSpan)))
          ]).json
      }
      builder.append(record)
    }
    disk.setContent(of: path, to: try builder.finish())
    disk.setContent(
      of: "/store/quarantine/0000000000000001-journals-a-\(file).attachment", to: [7, 8])
    #expect(try restore(disk).recordCount == 20)
    #expect(disk.content(of: "/store/attachments/\(file).attachment") == [7, 8])
    #expect(try StoreVerifier.verify(fixture.open()).problems == [])
  }
}
