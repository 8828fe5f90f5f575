import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct RecordBatchTests {
  static func records(_ batch: RecordBatch) throws -> [Record] {
    var builder = SegmentBuilder()
    builder.append(batch, rows: 0..<batch.count)
    return try Segment(bytes: builder.finish(), name: "test").records()
  }

  @Test func piecesMakeTheSameRecord() throws {
    var batch = RecordBatch()
    let session = UniqueID(bits: 7)
    batch.beginLevel(severity: 200)
    batch.writer.bytes += Array("info".utf8)
    batch.end()
    batch.begin(.event)
    batch.writer.bytes += Array("a.b".utf8)
    batch.end()
    batch.add(1, .version)
    batch.begin(.message)
    batch.writer.bytes += Array("hello".utf8)
    batch.end()
    batch.begin(.scopes)
    for scope in ["A/B", "C\0D", ""] {
      let start = batch.writer.count
      batch.writer.bytes += Array(scope.utf8)
      batch.endScope(from: start)
    }
    batch.end()
    batch.beginTag()
    batch.writer.bytes += Array("k".utf8)
    batch.endTag(.int(4))
    batch.add(9, .line)
    batch.add(span: UniqueID(bits: 3))
    batch.endRecord(
      id: UniqueID(session: session, sequence: 5), session: session, time: 11, sequence: 5)

    var record = Record(
      id: UniqueID(session: session, sequence: 5), time: 11, sequence: 5, session: session,
      level: .info, event: "a.b", message: "hello")
    record.scopes = ["A/B", "C\0D", ""]
    record.tags = [LogTag("k", .int(4))]
    record.line = 9
    record.span = UniqueID(bits: 3)
    #expect(try Self.records(batch) == [record])
    #expect(batch.sessions.map(\.id) == [session])
  }

  @Test func ofTagsWithOneKeyTheLastCountsAtTheFirstPlace() throws {
    var batch = RecordBatch()
    for (key, value) in [("a", 1), ("b", 2), ("a", 3)] as [(String, Int64)] {
      batch.beginTag()
      batch.writer.bytes += Array(key.utf8)
      batch.endTag(.int(value))
    }
    #expect(batch.tagCount == 2)
    batch.add(.info)
    for field: SegmentField in [.event, .message] {
      batch.begin(field)
      batch.end()
    }
    batch.add(1, .version)
    batch.endRecord(id: UniqueID(bits: 1), session: UniqueID(bits: 2), time: 0, sequence: 1)
    let record = try #require(try Self.records(batch).first)
    #expect(record.tags == [LogTag("a", .int(3)), LogTag("b", .int(2))])
    #expect(SegmentBuilder.digest(of: record) == (try Self.digest(batch)))
  }

  static func digest(_ batch: RecordBatch) throws -> UInt64 {
    var builder = SegmentBuilder()
    builder.append(batch, rows: 0..<batch.count)
    return try Segment(bytes: builder.finish(), name: "test").digest
  }

  @Test(arguments: 0..<4) func whatIsDroppedLeavesNothing(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var batch = RecordBatch()
    var expected: [Record] = []
    for sequence in 1...UInt64(200) {
      if Bool.random(using: &random) {
        batch.begin(.message)
        batch.writer.bytes += Array("half a record".utf8)
        if Bool.random(using: &random) { batch.end() }
        batch.dropRecord()
      }
      var record = RandomRecords.full
      record.sequence = sequence
      record.time = Int64(sequence)
      expected.append(record)
      batch.append(record)
    }
    #expect(try Self.records(batch) == expected, "\(random)")
  }
}
