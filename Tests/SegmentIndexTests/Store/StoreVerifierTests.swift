import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct StoreVerifierTests {
  private let fixture = StoreFixture()
  private var disk: SimulatedDisk { fixture.disk }

  private func verify() throws -> StoreVerifier.Report {
    try StoreVerifier.verify(try fixture.open())
  }

  /// Two folded journals, one abandoned one, and a live one.
  private func fill() throws -> Journal {
    try fixture.writeJournal(1...30)
    _ = try fixture.fold(try fixture.open())
    try fixture.writeJournal(31...60, name: "b")
    _ = try fixture.fold(try fixture.open(), "b")
    try fixture.writeJournal(61...70, name: "dead")
    let live = try fixture.journal("live")
    for number in 71...75 { try live.append(StoreFixture.entry(number)) }
    return live
  }

  @Test func anEmptyStoreIsSound() throws {
    #expect(try verify() == StoreVerifier.Report())
  }

  @Test func aSoundStoreIsCountedAndUnchanged() throws {
    let live = try fill()
    let before = disk.paths.map { disk.content(of: $0) }
    let report = try verify()
    #expect(report.problems == [] && report.gaps == [])
    #expect(report.generation == 2 && report.segmentCount == 4 && report.recordCount == 60)
    #expect(report.journalCount == 2 && report.entryCount == 15)
    let bytes = fixture.files("segments").reduce(0) { sum, name in
      sum + (disk.content(of: "/store/segments/\(name)")?.count ?? 0)
    }
    #expect(report.byteCount == UInt64(bytes))
    #expect(disk.paths.map { disk.content(of: $0) } == before)
    live.close()
  }

  @Test func anEntryThatIsBeingWrittenIsNoProblem() throws {
    let live = try fill()
    let path = "\(StoreFixture.journalDirectory("live"))/0000000000000001.jseg"
    let bytes = try #require(disk.content(of: path))
    for length in (bytes.count - 20)..<bytes.count {
      disk.setContent(of: path, to: Array(bytes[..<length]))
      #expect(try verify().problems == [], "\(length)")
    }
    live.close()
  }

  @Test func workInProgressIsNoProblem() throws {
    let live = try fill()
    let transaction = try StoreTransaction(try fixture.open(), rowLimit: 5)
    for number in 100...120 { try transaction.append(StoreFixture.record(number)) }
    #expect(try verify().problems == [])
    #expect(try verify().recordCount == 60)
    try transaction.commit()
    #expect(try verify().recordCount == 81)
    live.close()
  }

  /// Every byte of every segment, the newest manifest, and the abandoned journal.
  @Test func everyDamagedByteIsFound() throws {
    let live = try fill()
    let segment = "/store/segments/\(fixture.files("segments")[0])"
    let journal = "\(StoreFixture.journalDirectory("dead"))/0000000000000001.jseg"
    for path in [segment, "/store/manifest-0000000000000002", journal] {
      let bytes = try #require(disk.content(of: path))
      for position in stride(from: 0, to: bytes.count, by: 5) {
        var damaged = bytes
        damaged[position] ^= 0x20
        disk.setContent(of: path, to: damaged)
        let report = try verify()
        if !report.problems.contains(where: { $0.file == path }) {
          Issue.record("\(path) at \(position): \(report.problems)")
        }
      }
      disk.setContent(of: path, to: bytes)
    }
    #expect(try verify().problems == [])
    live.close()
  }

  @Test func lossesThatAreKnownAreNoProblems() throws {
    try fixture.writeJournal(1...60)
    let path = "\(StoreFixture.journalDirectory())/0000000000000001.jseg"
    var bytes = try #require(disk.content(of: path))
    bytes[300] ^= 1
    disk.setContent(of: path, to: bytes)
    #expect(try verify().problems.map(\.offset) == [288])
    _ = try fixture.fold(try fixture.open())
    let report = try verify()
    #expect(report.problems == [] && report.recordCount == 59)
    #expect(report.gaps.map(\.missing) == [1] && report.quarantinedCount == 1)
  }
}
