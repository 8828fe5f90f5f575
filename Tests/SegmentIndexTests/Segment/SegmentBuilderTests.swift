import SegmentIndex
import TestSupport
import Testing

@Suite struct SegmentBuilderTests {
  @Test func equalRecordsStayAsTheyCame() throws {
    var records = (0..<50).map { _ in RandomRecords.plain }
    for index in records.indices { records[index].message = "\(index)" }
    var early = RandomRecords.plain
    early.time = 0
    #expect(try segment(of: records + [early]).records() == [early] + records)
  }

  @Test func timeSessionAndSequenceOrderRows() throws {
    var records: [Record] = []
    for time: Int64 in [.min, -1, 0, .max] {
      for session: UInt128 in [0, 1, 1 << 127, .max] {
        for sequence: UInt64 in [0, 1, 1 << 63, .max] {
          var record = RandomRecords.plain
          record.time = time
          record.session = UniqueID(bits: session)
          record.sequence = sequence
          records.append(record)
        }
      }
    }
    var random = SeededRandom(seed: 6)
    let segment = try segment(of: records.shuffled(using: &random))
    #expect(try segment.records() == records)
    #expect(segment.timeRange == .min ... .max)
    #expect(segment.verify() == [])
  }

  @Test func ofTagsWithOneKeyTheFirstCounts() throws {
    var record = RandomRecords.plain
    record.tags = [LogTag("a", .int(1)), LogTag("b", .int(2)), LogTag("a", .int(3))]
    var kept = record
    kept.tags.removeLast()
    #expect(try segment(of: [record]).records() == [kept])
    #expect(SegmentBuilder.digest(of: record) == SegmentBuilder.digest(of: kept))
    #expect(try segment(of: [record]).verify() == [])
  }

  @Test func keysThatOnlyLookAlikeAreTwo() throws {
    var record = RandomRecords.plain
    record.tags = [LogTag("é", .int(1)), LogTag("e\u{301}", .int(2))]
    let segment = try segment(of: [record])
    #expect(areIdentical(try segment.records(), [record]))
    for (key, value) in [("é", Int64(1)), ("e\u{301}", 2)] {
      guard case .terms(let column) = try segment.column(.tag(key)) else {
        Issue.record("no column")
        continue
      }
      #expect(try column.terms == [.int(value)])
    }
  }

  @Test func manyTagsOnOneRecordComeBack() throws {
    for order in [false, true] {
      var record = RandomRecords.plain
      record.tags = (0..<40).map { LogTag("key \($0)", .int($0)) }
      var other = record
      if order { other.tags.reverse() }
      other.tags.append(LogTag("key 3", .int(0)))
      var kept = other
      kept.tags.removeLast()
      let segment = try segment(of: [record, other])
      #expect(try segment.records() == [record, kept])
      #expect(segment.verify() == [])
    }
  }

  @Test func aKeyForEachRecordStaysInProportion() throws {
    let count = 2000
    let records = (0..<count).map { index in
      var record = RandomRecords.plain
      record.sequence = UInt64(index)
      record.id = UniqueID(session: record.session, sequence: record.sequence)
      record.tags = [LogTag("key-\(index)", .int(1))]
      return record
    }
    let segment = try segment(of: records)
    #expect(try segment.records() == records)
    #expect(segment.tagKeys == records.map { $0.tags[0].key })
    #expect(segment.byteCount < count * 250)
  }

  /// A hundred thousand keys in one segment, as a program makes that takes a value for a key.
  @Test func aHundredThousandKeysComeBack() throws {
    let records = (0..<100).map { index in
      var record = RandomRecords.plain
      record.sequence = UInt64(index)
      record.id = UniqueID(session: record.session, sequence: record.sequence)
      record.tags = (0..<1_000).map { LogTag("key-\(index)-\($0)", .int(Int64($0))) }
      return record
    }
    let segment = try segment(of: records)
    #expect(segment.tagKeys.count == 100_000)
    #expect(try segment.record(at: 57) == records[57])
    guard case .terms(let column)? = try segment.column(.tag("key-99-999")) else {
      Issue.record("the last key has no column")
      return
    }
    #expect(try column.terms == [.int(999)] && column.rowCount(ofTerm: 0) == 1)
    #expect(segment.byteCount < 100_000 * 130)
  }

  @Test func digestsAddUpInAnyOrder() throws {
    var source = RandomRecords(seed: 30)
    let records = source.records(200)
    let sum = records.reduce(UInt64(0)) { $0 &+ SegmentBuilder.digest(of: $1) }
    var random = SeededRandom(seed: 31)
    #expect(try segment(of: records).digest == sum)
    #expect(try segment(of: records.shuffled(using: &random)).digest == sum)
    #expect(Set(records.map { SegmentBuilder.digest(of: $0) }).count == records.count)
  }

  /// Column by column, whatever the fields and the order of tags, comes what comes record by record.
  @Test(arguments: [0, 1, 300, 4100])
  func columnsHaveTheDigestOfTheRecords(_ count: Int) throws {
    for seed in UInt64(40)..<44 {
      var source = RandomRecords(seed: seed)
      let records = source.records(count)
      let sum = records.reduce(UInt64(0)) { $0 &+ SegmentBuilder.digest(of: $1) }
      #expect(try segment(of: records).computeDigest() == sum, "seed \(seed)")
    }
  }

  /// Two records that trade the values of one field are not the same two records.
  @Test func digestsTellWhichRecordAValueIsOf() {
    var other = RandomRecords.full
    other.id = UniqueID(bits: 99)
    var traded = (RandomRecords.full, other)
    traded.0.event = "other"
    var pair = (RandomRecords.full, other)
    pair.1.event = "other"
    func sum(_ pair: (Record, Record)) -> UInt64 {
      SegmentBuilder.digest(of: pair.0) &+ SegmentBuilder.digest(of: pair.1)
    }
    #expect(sum(traded) != sum(pair))
  }

  @Test func everyFieldIsInTheDigest() {
    let full = RandomRecords.full
    let changes: [(inout Record) -> Void] = [
      { $0.id = UniqueID(bits: 8) }, { $0.time += 1 }, { $0.sequence += 1 },
      { $0.session = UniqueID(bits: 8) }, { $0.level = .error }, { $0.event += "x" },
      { $0.version = 2 }, { $0.message += "x" }, { $0.scopes.swapAt(0, 1) },
      { $0.scopes.removeLast() }, { $0.tags.swapAt(0, 1) }, { $0.tags[0].key += "x" },
      { $0.tags[0].value = .json("eu") }, { $0.tags[1].value = .double(2) }, { $0.payload[0] = 0 },
      { $0.span = nil }, { $0.exit = nil }, { $0.exit = "" }, { $0.exitReason = nil },
      { $0.duration = nil }, { $0.duration = 0 }, { $0.function = nil }, { $0.file = nil },
      { $0.line = nil }, { $0.externalID = nil },
      { ($0.event, $0.message) = ($0.event + "u", String($0.message.dropFirst())) },
    ]
    var digests: Set = [SegmentBuilder.digest(of: full)]
    for change in changes {
      var record = full
      change(&record)
      digests.insert(SegmentBuilder.digest(of: record))
    }
    #expect(digests.count == changes.count + 1)
  }

  @Test func sessionsAreKeptOnceAndSourcesJoined() throws {
    var builder = SegmentBuilder()
    builder.add(SessionInfo(id: UniqueID(bits: 1), start: 1))
    builder.add(SessionInfo(id: UniqueID(bits: 2), start: 2, app: "a", os: "b", device: "é\0"))
    builder.add(SessionInfo(id: UniqueID(bits: 1), start: .min, app: "new"))
    let sources = [(3, 1, 9), (0, 0, 0), (4, 7, 8), (3, 10, UInt64(Int64.max)), (4, 10, 12)].map {
      SegmentSource(journal: $0, firstSequence: $1, lastSequence: $2)
    }
    for source in sources { builder.add(source) }
    // Stretches that adjoin are one.
    let joined = [
      sources[1], SegmentSource(journal: 3, firstSequence: 1, lastSequence: UInt64(Int64.max)),
      sources[2], sources[4],
    ]
    let segment = try Segment(bytes: try builder.finish(), name: "empty")
    #expect(
      segment.sessions == [
        SessionInfo(id: UniqueID(bits: 1), start: .min, app: "new"),
        SessionInfo(id: UniqueID(bits: 2), start: 2, app: "a", os: "b", device: "é\0"),
      ])
    #expect(segment.sources == joined && segment.rowCount == 0 && segment.verify() == [])
  }

  /// However many a damaged or hostile segment claims: comparing each with each would take minutes.
  @Test func manySourcesAreJoined() throws {
    var builder = SegmentBuilder()
    let count: UInt64 = 60_000
    for number in (1...count).reversed() {
      builder.add(
        SegmentSource(journal: 1, firstSequence: number * 3, lastSequence: number * 3 + 1))
    }
    builder.add(SegmentSource(journal: 1, firstSequence: 300, lastSequence: count))
    let sources = try Segment(bytes: try builder.finish(), name: "sources").sources
    #expect(sources.count == 99 + 1 + Int(count - count / 3))
    #expect(sources[99] == SegmentSource(journal: 1, firstSequence: 300, lastSequence: count + 1))
  }

  @Test func theSameRecordsGiveTheSameBytes() throws {
    func bytes() throws -> [UInt8] {
      var source = RandomRecords(seed: 33)
      var builder = SegmentBuilder(id: UniqueID(bits: 1))
      for record in source.records(300) { builder.append(record) }
      return try builder.finish()
    }
    #expect(try bytes() == bytes())
  }
}
