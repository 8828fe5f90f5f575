import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Chosen records go for good with all that they name, wherever a removal is interrupted.
@Suite struct RemovalTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private static let secret: [UInt8] = Array("4111-1111-1111".utf8)
  private static let secretFile = UniqueID(bits: 0x5ec)
  private static let otherFile = UniqueID(bits: 0x07e)

  private static func name(_ file: UniqueID) -> String { "\(file).attachment" }

  private static func record(_ number: Int) -> Record {
    var record = StoreFixture.record(number)
    guard let file = number == 3 ? secretFile : number == 5 ? otherFile : nil else { return record }
    record.attachments =
      AttachmentList([
        .init(name: "a", type: "b", content: .file(file, byteCount: 14, checksum: 0))
      ]).json
    return record
  }

  /// Five records in two segments, and in a third in the quarantine. The third record is to go. Its file is in the store,
  /// beside a journal, where a fold left it, or in the quarantine.
  private func fill(_ place: String = "attachments") throws {
    try add((1...4).map(Self.record))
    try add([Self.record(5)])
    let first = try #require(try fixture.open().manifest.segments.first)
    let path = "/store/segments/\(first.id).pseg"
    disk.setContent(
      of: "/store/quarantine/0000000000000001-segments-\(UniqueID(bits: 1)).pseg",
      to: try #require(disk.content(of: path)))
    let prefix = place == "quarantine" ? "0000000000000001-journals-a-" : ""
    disk.setContent(of: "/store/\(place)/\(prefix)\(Self.name(Self.secretFile))", to: Self.secret)
    disk.setContent(of: "/store/attachments/\(Self.name(Self.otherFile))", to: [1])
    for path in disk.paths {
      let file = try disk.open(path, .read)
      try disk.sync(file)
      try disk.close(file)
    }
  }

  private func add(_ records: [Record]) throws {
    let transaction = try StoreTransaction(try fixture.open())
    for record in records { try transaction.append(record) }
    try transaction.commit()
  }

  @discardableResult
  private func remove(_ disk: SimulatedDisk) throws -> Int {
    try Compactor(try StoreFixture(disk: disk).open()).remove { store, quarantined in
      Set(
        try (store.segments + quarantined).flatMap { try $0.records() }
          .filter { $0.sequence == 3 }.map(\.id))
    }
  }

  private func check(
    _ disk: SimulatedDisk, _ comment: Comment, location: SourceLocation = #_sourceLocation
  ) throws {
    let fixture = StoreFixture(disk: disk)
    var numbers: [Int] = []
    for path in disk.paths {
      let bytes = try #require(disk.content(of: path))
      #expect(bytes.firstRange(of: Self.secret) == nil, comment, sourceLocation: location)
      guard path.hasSuffix(".pseg") else { continue }
      numbers += try Segment(bytes: bytes, name: path).records().map { Int($0.sequence) }
    }
    #expect(numbers.sorted() == [1, 2, 4, 5], comment, sourceLocation: location)
    let store = try fixture.open()
    #expect(try store.snapshot().segments.count == 2, comment, sourceLocation: location)
    #expect(
      fixture.files("attachments") == [Self.name(Self.otherFile)], comment,
      sourceLocation: location)
    #expect(store.problems == [], comment, sourceLocation: location)
  }

  private static let places = ["attachments", "journals/a", "quarantine"]

  @Test(arguments: places)
  func nothingOfARemovedRecordIsLeft(place: String) throws {
    try fill(place)
    #expect(try remove(disk) == 1)
    try check(disk, "at once")
    disk.crash()
    try check(disk, "after a loss of power")
    #expect(try remove(disk) == 0)
    try check(disk, "a second time")
  }

  private func calls() throws -> Int {
    let whole = disk.copy()
    let before = whole.callCount
    try remove(whole)
    return whole.callCount - before
  }

  @Test(arguments: places)
  func whoeverDiesCanDoItAgain(place: String) throws {
    try fill(place)
    for call in 0...(try calls()) {
      for seed in [nil, 1] as [UInt64?] {
        let copy = disk.copy()
        copy.stop(after: call)
        _ = try? remove(copy)
        if let seed {
          copy.crash(keeping: .random(seed: seed &+ UInt64(call)))
        } else {
          copy.restart()
        }
        try remove(copy)
        try check(copy, "call \(call), seed \(seed ?? 0)")
      }
    }
  }

  /// When it returns, it is done; when it throws, it can be done again.
  @Test func aCallThatFailsIsNotOverlooked() throws {
    try fill()
    var errors = 0
    for call in 1...(try calls()) {
      for repeats in [false, true] {
        let copy = disk.copy()
        copy.inject(.init(at: call, repeats: repeats))
        do {
          try remove(copy)
          copy.removeFaults()
        } catch {
          errors += 1
          copy.removeFaults()
          try remove(copy)
        }
        try check(copy, "call \(call), repeats \(repeats)")
      }
    }
    #expect(errors > 20)
  }

  /// A segment file that is gone may have named anything: that must not keep what the removed records name.
  @Test func aMissingSegmentDoesNotKeepAttachments() throws {
    try fill()
    let other = try #require(try fixture.open().manifest.segments.last)
    try disk.unlink("/store/segments/\(other.id).pseg")
    #expect(try remove(disk) == 1)
    #expect(fixture.files("attachments") == [Self.name(Self.otherFile)])
  }

  /// A record that stays names the same file.
  @Test func whatOthersNameStays() throws {
    try fill()
    var other = Self.record(3)
    other.id = UniqueID(bits: 6)
    other.sequence = 6
    try add([other])
    #expect(try remove(disk) == 1)
    #expect(fixture.files("attachments").count == 2)
  }

  /// The file of a change that died goes to the quarantine, and must not escape by that.
  @Test func whatAnotherChangeHasLeftGoesToo() throws {
    try fill()
    let first = try #require(try fixture.open().manifest.segments.first)
    disk.setContent(
      of: "/store/segments/\(UniqueID(bits: 2)).pseg",
      to: try #require(disk.content(of: "/store/segments/\(first.id).pseg")))
    #expect(try remove(disk) == 1)
    try check(disk, "at once")
    #expect(fixture.files("segments").count == 2 && fixture.files("quarantine") == [])
  }

  @Test func filesOfOthersInTheQuarantineStay() throws {
    try fill()
    let others = [
      "/store/quarantine/\(Self.name(Self.secretFile))",
      "/store/quarantine/0000000000000001-\(Self.name(UniqueID(bits: 4)))",
      "/store/quarantine/0000000000000001-x.attachment",
    ]
    let numbered = "/store/quarantine/0000000000000001-\(Self.name(Self.secretFile)).1"
    for path in others + [numbered] { disk.setContent(of: path, to: [1]) }
    try remove(disk)
    #expect(others.dropFirst().allSatisfy { disk.content(of: $0) != nil })
    #expect(disk.content(of: numbered) == nil)
  }

  /// A directory that is called as a segment is called in the quarantine.
  @Test func directoriesInTheQuarantineStay() throws {
    try fill()
    let path = "/store/quarantine/0000000000000001-segments-\(UniqueID(bits: 8)).pseg"
    try disk.createDirectory(path)
    #expect(try remove(disk) == 1)
    #expect(try disk.status(at: path)?.isDirectory == true)
  }

  // MARK: - Attachments beside a journal that is folded to its end

  private let unnamed = UniqueID(bits: 9)

  private func leave(besideJournal name: String = "a") {
    disk.setContent(
      of: "\(StoreFixture.journalDirectory(name))/\(Self.name(unnamed))", to: [1, 2, 3])
  }

  /// A list that is none names nothing.
  @Test func aMalformedListHoldsUpNoJournal() throws {
    var record = StoreFixture.record(1)
    record.attachments = [0x35]
    try add([record])
    try fixture.writeJournal(2...5)
    leave()
    let report = try fixture.fold(try fixture.open())
    #expect(report.problems == [] && report.isJournalRemoved)
    #expect(fixture.files("journals") == [] && fixture.files("attachments") == [])
    #expect(try StoreVerifier.verify(fixture.open()).problems.count == 1)
    // And it keeps nothing of others.
    disk.setContent(of: "/store/attachments/\(Self.name(unnamed))", to: [1])
    try Compactor(try fixture.open()).remove { _ in false }
    #expect(fixture.files("attachments") == [])
  }

  /// It may name them, and may come back.
  @Test func aLostSegmentHoldsUpNoJournal() throws {
    try fixture.writeJournal(1...3, name: "b")
    _ = try fixture.fold(try fixture.open(), "b")
    let entry = try #require(try fixture.open().manifest.segments.first)
    try disk.unlink("/store/segments/\(entry.id).pseg")
    try fixture.writeJournal(4...5)
    leave()
    let report = try fixture.fold(try fixture.open())
    #expect(report.problems == [] && report.isJournalRemoved && fixture.files("journals") == [])
    #expect(fixture.files("attachments") == [Self.name(unnamed)])
  }

  /// The record that named it may be what is missing.
  @Test func besideDamageTheyAreEvidenceWhereverAFoldDies() throws {
    try fixture.writeJournal(1...60)
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    var bytes = try #require(disk.content(of: path))
    bytes[400] ^= 1
    disk.setContent(of: path, to: bytes)
    leave()
    let whole = disk.copy()
    let before = whole.callCount
    let report = try StoreFixture(disk: whole).fold(try StoreFixture(disk: whole).open())
    #expect(report.gaps.count == 1 && report.problems.count == 1)
    for call in 0...whole.callCount - before {
      let copy = StoreFixture(disk: disk.copy())
      copy.disk.stop(after: call)
      do { _ = try copy.fold(try copy.open()) } catch {}
      copy.disk.restart()
      _ = try copy.fold(try copy.open())
      #expect(copy.files("journals") == [], "call \(call)")
      let kept = copy.files("quarantine").filter { $0.contains(Self.name(unnamed)) }
      #expect(kept.count == 1, "call \(call)")
    }
  }
}
