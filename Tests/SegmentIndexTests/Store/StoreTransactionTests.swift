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
}
