import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct StoreTransactionTests {
  private let fixture = StoreFixture()

  /// A record with a text of 400 KB or more.
  private func record(_ sequence: UInt64) -> Record {
    var record = Record(
      id: UniqueID(session: StoreFixture.session, sequence: sequence), time: Int64(sequence),
      sequence: sequence, session: StoreFixture.session, level: .info, event: "dump", message: "")
    let text = String(repeating: "\(sequence) ", count: 200_000)
    if sequence % 2 == 0 {
      record.message = text
    } else {
      record.tags = [LogTag("text", .string(text))]
    }
    return record
  }

  /// A few records can be as long as a segment of a million.
  @Test(arguments: [false, true]) func longRecordsMakeSegmentsOfTheirOwn(inBatches: Bool) throws {
    let store = try fixture.open()
    let transaction = try StoreTransaction(store, byteLimit: 2 << 20)
    var batch = RecordBatch()
    for sequence in 1...12 as ClosedRange<UInt64> {
      if inBatches {
        batch.append(record(sequence))
      } else {
        try transaction.append(record(sequence))
      }
    }
    try transaction.append(batch)
    try transaction.commit()
    let segments = try store.snapshot().segments
    #expect(segments.count >= 2)
    #expect(segments.allSatisfy { $0.rowCount <= 10 })
    #expect(try segments.flatMap { try $0.records() } == (1...12).map(record))
  }

  /// What is small is packed, however many records there are; what is not can be read in part.
  @Test(arguments: [(10_000, 1, true), (5_000, 60, false)])
  func smallSegmentsArePacked(count: Int, length: Int, isPacked: Bool) throws {
    let store = try fixture.open()
    let transaction = try StoreTransaction(store)
    var random = SeededRandom(seed: 1)
    for sequence in 1...count {
      var record = StoreFixture.record(sequence)
      let words = (0..<length).map { _ in String(random.next(), radix: 36) }
      record.message += words.joined(separator: " ")
      try transaction.append(record)
    }
    try transaction.commit()
    let segment = try #require(try store.snapshot().segments.first)
    #expect(segment.rowCount == count)
    let file = try #require(fixture.disk.content(of: segment.name))
    #expect((file[8] == 1) == isPacked)
  }

  /// Helpers go on while the disk syncs; what it could not sync is found out by the commit, at the latest.
  @Test(arguments: 1...4) func whatCannotBeSyncedDoesNotJoin(failing: Int) throws {
    let store = try fixture.open()
    fixture.disk.inject(.init(.sync, on: "/store/segments", at: failing))
    #expect(throws: StoreError.self) { try addRecords(to: store).commit() }
    #expect(fixture.files("segments") == [] && fixture.disk.openFileCount == 0)
    #expect(try store.snapshot().segments.isEmpty)
    try addRecords(to: store).commit()
    #expect(try fixture.numbers(store.snapshot()) == Array(1...35))
    #expect(fixture.disk.openFileCount == 0)
  }

  @Test func whatIsNotCommittedLeavesNothing() throws {
    let store = try fixture.open()
    _ = try addRecords(to: store)
    #expect(fixture.files("segments") == [] && fixture.disk.openFileCount == 0)
  }

  /// A transaction that fills four segments beside a helper.
  private func addRecords(to store: SegmentStore) throws -> StoreTransaction {
    let transaction = try StoreTransaction(
      store, rowLimit: 10, helpers: HelperThreads(count: 1))
    for number in 1...35 { try transaction.append(StoreFixture.record(number)) }
    return transaction
  }
}
