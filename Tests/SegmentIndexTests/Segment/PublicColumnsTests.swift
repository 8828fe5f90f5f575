import SegmentIndex
import Testing

/// What an engine of one's own sees of a segment: every field of every record, by way of its column.
@Suite struct PublicColumnsTests {
  private static let session = UniqueID(bits: 0xabc)

  private static func record(_ number: Int) -> Record {
    let sequence = UInt64(number + 1)
    var record = Record(
      id: number % 2 == 0
        ? UniqueID(session: session, sequence: sequence) : UniqueID(bits: UInt128(number) << 64),
      time: Int64(number) * 1_000, sequence: sequence, session: session,
      level: number % 9 == 0 ? .error : .info, event: "event.\(number % 5)",
      message: "message \(number) of many")
    if number % 3 == 0 { record.duration = Int64(number) - 4_000 }
    if number % 4 == 0 { record.payload = Array("{\"n\":\(number)}".utf8) }
    if number % 7 == 0 { record.tags.append(LogTag("user", .string("u\(number % 40)"))) }
    record.tags.append(LogTag("latency", .double(Double(number) / 8)))
    return record
  }

  private static let records = (0..<9_000).map(record)

  private static func segment() throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    // Rows are ordered by time, however they come.
    for record in records.reversed() { builder.append(record) }
    return try Segment(bytes: builder.finish(), name: "memory")
  }

  @Test func integersAndPresence() throws {
    let segment = try Self.segment()
    guard case .integers(let times) = try segment.column(.time),
      case .integers(let durations) = try segment.column(.duration)
    else { throw Missing() }
    var values: [Int64] = []
    for granule in 0..<segment.granuleCount {
      let rows = segment.rows(ofGranule: granule)
      let expected = Self.records[rows]
      try times.decode(granule: granule, into: &values)
      #expect(values == expected.map(\.time))
      #expect(times.bounds(granule: granule) == values[0]...values[values.count - 1])
      #expect(try segment.timeBounds(ofGranule: granule) == times.bounds(granule: granule))
      try durations.decode(granule: granule, into: &values)
      #expect(values == expected.map { $0.duration ?? 0 })
      let words = try #require(try durations.presence(granule: granule))
      #expect(
        values.indices.map { words[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
          == expected.map { $0.duration != nil })
      #expect(try times.presence(granule: granule) == nil)
    }
  }

  @Test func termsAndWhatIsKnownOfThem() throws {
    let segment = try Self.segment()
    guard case .terms(let users) = try segment.column(.tag("user")),
      case .terms(let levels) = try segment.column(.level)
    else { throw Missing() }
    let terms = try users.terms
    #expect(terms.count == users.termCount && terms == terms.sorted())
    var codes: [UInt32] = []
    var found: [LogTagValue?] = []
    for granule in 0..<segment.granuleCount {
      try users.decode(granule: granule, into: &codes)
      for code in codes {
        guard code > 0 else {
          found.append(nil)
          continue
        }
        guard case .string(let text) = terms[Int(code) - 1] else { throw Missing() }
        found.append(.string(text))
      }
    }
    #expect(found == Self.records.map { $0.tags.first { $0.key == "user" }?.value })
    let error = try #require(try levels.index(of: .level(.error)))
    #expect(try levels.term(at: error) == .level(.error))
    #expect(try levels.rowCount(ofTerm: error) == Self.records.count { $0.level == .error })
    #expect(try levels.granules(ofTerm: error) == [0, 1, 2])
    #expect(try levels.index(of: .string("error")) == nil)
  }

  @Test func textsIdentitiesAndNumbers() throws {
    let segment = try Self.segment()
    guard case .texts(let messages) = try segment.column(.message),
      case .texts(let payloads) = try segment.column(.payload),
      case .identities(let ids) = try segment.column(.id),
      case .numbers(let latencies) = try segment.column(.tag("latency"))
    else { throw Missing() }
    var identities: [UInt128] = []
    var integers: [Int64] = []
    for granule in 0..<segment.granuleCount {
      let expected = Self.records[segment.rows(ofGranule: granule)]
      let texts = try messages.decode(granule: granule)
      #expect((0..<texts.count).map(texts.text) == expected.map(\.message))
      let json = try payloads.decode(granule: granule)
      #expect((0..<json.count).map { Array(json.text(of: $0).utf8) } == expected.map(\.payload))
      try ids.decode(granule: granule, into: &identities)
      #expect(identities == expected.map(\.id.bits))
      try latencies.integers.decode(granule: granule, into: &integers)
      #expect(
        integers.map { LogTagValue.double(latencies.value($0)) }
          == expected.map { $0.tags[$0.tags.count - 1].value })
    }
  }

  @Test func whatNoRecordHasIsNoColumn() throws {
    let segment = try Self.segment()
    #expect(segment.tagKeys.sorted() == ["latency", "user"])
    for field: SegmentField in [.tag("User"), .span, .attachments, .externalID] {
      let column = try segment.column(field)
      #expect(column == nil, "\(field)")
    }
  }

  @Test func aFileThatIsNotThereIsAnError() {
    let error = #expect(throws: SegmentError.self) { try Segment(path: "/nowhere/a.pseg") }
    #expect(error?.segment == "/nowhere/a.pseg")
  }

  private struct Missing: Error {}
}
