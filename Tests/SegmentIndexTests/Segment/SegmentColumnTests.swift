import SegmentIndex
import TestSupport
import Testing

/// That each column says of its rows what the records say.
@Suite struct SegmentColumnTests {
  /// Made once: every test only reads it.
  private static let shared = Result {
    var source = RandomRecords(seed: 21)
    let records = source.smallRecords(4200)
    return (records: sorted(records), segment: try SegmentIndexTests.segment(of: records))
  }

  private let records: [Record]
  private let segment: Segment

  init() throws {
    (records, segment) = try Self.shared.get()
  }

  /// Terms whose indices differ by 256 are remembered in the same place.
  @Test func termsThatWereAskedForLatelyAreToldApart() throws {
    let records = (0..<1000).map { index in
      var record = Record(
        id: UniqueID(bits: UInt128(index)), time: Int64(index), sequence: UInt64(index),
        session: UniqueID(bits: 1), level: .info, event: "e", message: "")
      record.tags = [LogTag("number", .int(Int64(index)))]
      return record
    }
    let segment = try SegmentIndexTests.segment(of: records)
    for rows in [[0, 1, 2], [0, 1, 257], [1, 256, 257], [256, 512, 768, 999], [0, 257, 999]] {
      for _ in 0..<2 {
        var reader = try RecordReader(segment)
        #expect(try reader.records(at: rows) == rows.map { records[$0] })
      }
    }
  }

  @Test(arguments: [
    SegmentField.session, .level, .event, .version, .scopes, .span, .exit, .exitReason, .function,
    .file, .externalID, .tag("user_id"), .tag("é"), .tag("e\u{301}"), .tag(""), .tag("\0"),
  ])
  func codesCountsAndPostingListsAreThoseOfTheRecords(_ field: SegmentField) throws {
    guard case .terms(let column) = try segment.column(field) else {
      Issue.record("\(field) is no column of terms")
      return
    }
    let expected = records.map { $0.term(of: field) }
    let terms = try column.terms
    #expect(zip(terms, terms.dropFirst()).allSatisfy { $0 < $1 })
    var codes: [UInt32] = []
    var row = 0
    for granule in 0..<segment.granuleCount {
      try column.decode(granule: granule, into: &codes)
      #expect(codes.count == segment.rows(ofGranule: granule).count)
      for code in codes {
        let term = code == 0 ? nil : terms[Int(code) - 1]
        if term != expected[row] { Issue.record("row \(row): \(term as Any)") }
        row += 1
      }
    }
    // The second time those of few terms are known.
    for _ in 0..<2 {
      #expect(try column.rowCounts == terms.indices.map(column.rowCount(ofTerm:)))
    }
    for (index, term) in terms.enumerated().prefix(30) {
      let rows = expected.indices.filter { expected[$0] == term }
      #expect(try column.rowCount(ofTerm: index) == rows.count)
      #expect(try column.granules(ofTerm: index) == Set(rows.map { $0 / 4096 }).sorted())
      #expect(try column.index(of: term) == index)
      var found: [Int] = []
      try column.rows(ofTerm: index) { found.append($0) }
      let areRight = found == rows
      #expect(areRight, "rows of \(term)")
    }
    #expect(try column.index(of: .string("no record has this")) == nil)
  }

  /// Rows of a granule to ask for: some, one, the first and the last, all, none.
  private func selections(_ count: Int) -> [[Int]] {
    var random = SeededRandom(seed: 5)
    let some = (0..<count).filter { _ in Int.random(in: 0..<20, using: &random) == 0 }
    return [some, [count / 2], [0, count - 1], Array(0..<count), []]
  }

  /// One bit for each of `count` rows, set for these.
  private func bits(of rows: [Int], count: Int) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: (count + 63) / 64)
    for row in rows { bits[row / 64] |= 1 << UInt64(row % 64) }
    return bits
  }

  @Test(arguments: [
    SegmentField.session, .level, .event, .scopes, .span, .exit, .externalID, .tag("user_id"),
  ])
  func codesOfSomeRowsAreThoseOfAll(_ field: SegmentField) throws {
    guard case .terms(let column) = try segment.column(field) else {
      Issue.record("\(field) is no column of terms")
      return
    }
    var all: [UInt32] = []
    for granule in 0..<segment.granuleCount {
      try column.decode(granule: granule, into: &all)
      for rows in selections(all.count) {
        var some: [UInt32] = []
        let bits = bits(of: rows, count: all.count)
        try column.decode(bits, ofGranule: granule, into: &some)
        #expect(some.count == all.count)
        #expect(rows.allSatisfy { some[$0] == all[$0] })
        try column.list(codesOf: bits, granule: granule, into: &some)
        #expect(some == rows.map { all[$0] })
      }
    }
  }

  @Test(arguments: [
    SegmentField.session, .level, .event, .scopes, .span, .exit, .externalID, .tag("user_id"),
  ])
  func matchesAreTheRowsWithTheCodes(_ field: SegmentField) throws {
    guard case .terms(let column) = try segment.column(field) else {
      Issue.record("\(field) is no column of terms")
      return
    }
    let last = UInt32(column.termCount)
    var codes: [UInt32] = []
    for granule in 0..<segment.granuleCount {
      try column.decode(granule: granule, into: &codes)
      func bits(_ isMatch: (UInt32) -> Bool) -> [UInt64] {
        var bits = [UInt64](repeating: 0, count: (codes.count + 63) / 64)
        for row in codes.indices where isMatch(codes[row]) {
          bits[row / 64] |= 1 << UInt64(row % 64)
        }
        return bits
      }
      for range in [1...1, last...last, 1...last, max(1, last / 3)...max(1, last / 2)] {
        #expect(try column.matches(range, granule: granule) == bits(range.contains))
      }
      let isOdd = (0...column.termCount).map { $0 % 2 == 1 }
      #expect(try column.matches(isOdd, granule: granule) == bits { $0 % 2 == 1 })
    }
  }

  /// How many of these rows have each code, run by run.
  private func counts(
    _ codes: [UInt32], of rows: [Int], in runs: [Range<Int>], _ column: TermColumn
  ) -> [Int] {
    runs.flatMap { run in
      var counts = [Int](repeating: 0, count: column.termCount + 1)
      for row in rows where run.contains(row) { counts[Int(codes[row])] += 1 }
      return counts
    }
  }

  @Test(arguments: [
    SegmentField.session, .level, .event, .scopes, .span, .exit, .externalID, .tag("user_id"),
  ])
  func countedCodesAreThoseOfTheRows(_ field: SegmentField) throws {
    guard case .terms(let column) = try segment.column(field) else {
      Issue.record("\(field) is no column of terms")
      return
    }
    var codes: [UInt32] = []
    for granule in 0..<segment.granuleCount {
      try column.decode(granule: granule, into: &codes)
      let count = codes.count
      var (isCounted, isSummed) = (false, false)
      for rows in selections(count) {
        let bits = bits(of: rows, count: count)
        for runs in [[0..<count], [0..<count / 3, 9..<9, count / 3..<count - 1]] {
          let found = try column.counts(ofCodes: bits, in: runs, granule: granule)
          guard let found else { continue }
          isCounted = true
          #expect(found == counts(codes, of: rows, in: runs, column))
        }
        let numbers = codes.indices.map { Int64(1) << Int64($0 % 50) - Int64($0) }
        guard let sums = try column.sums(of: numbers, bits, granule: granule) else { continue }
        #expect(sums.counts == counts(codes, of: rows, in: [0..<count], column))
        var totals = [Int64](repeating: 0, count: column.termCount + 1)
        for row in rows { totals[Int(codes[row])] += numbers[row] }
        #expect(sums.totals == totals)
        isSummed = true
      }
      // Those of which there are few are never better decoded.
      if column.termCount < 16, count > 1_000 { #expect(isCounted && isSummed, "\(field)") }
    }
  }

  /// Bytes that name codes which the dictionary does not have are as wrong for counting as for decoding.
  @Test func codesThatAreNotThereAreNotCounted() throws {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for record in records.prefix(600) { builder.append(record) }
    let bytes = try builder.finish()
    var refusedCount = 0
    for block in 0..<60 {
      var hostile = try HostileSegment(bytes)
      hostile.change(20, ofBlock: block, to: 0xff)
      guard let segment = try? Segment(bytes: hostile.bytes, name: "hostile") else { continue }
      for field in [SegmentField.level, .event, .exit] {
        guard case .terms(let column)? = try? segment.column(field) else { continue }
        var codes: [UInt32] = []
        let isRead: Void? = try? column.decode(granule: 0, into: &codes)
        let rows = Array(0..<600)
        let found = Result { () throws(SegmentError) in
          try column.counts(ofCodes: bits(of: rows, count: 600), in: [0..<600], granule: 0)
        }
        let numbers = [Int64](repeating: 1, count: 600)
        let sums = Result { () throws(SegmentError) in
          try column.sums(of: numbers, bits(of: rows, count: 600), granule: 0)
        }
        if case .failure = sums { #expect(isRead == nil) }
        if case .success(let sums?) = sums {
          #expect(isRead != nil && sums.counts == counts(codes, of: rows, in: [0..<600], column))
        }
        switch found {
        case .success(nil): break
        case .success(let counted?):
          #expect(isRead != nil && counted == counts(codes, of: rows, in: [0..<600], column))
        case .failure:
          #expect(isRead == nil)
          refusedCount += 1
        }
      }
    }
    #expect(refusedCount > 0)
  }

  @Test(arguments: ["", "App", "App/Photos", "App/Photos/", "App/P", "x", "a\0", "a"])
  func scopesUnderAPathAreFoundInTheBytes(_ path: String) throws {
    let lists = [
      ["App/Photos"], ["App/PhotosX", "App/Photos/Edit"], ["App"], ["x", "y"], ["a\0b"], ["a\0"],
      ["a"],
      ["App/Photos\0"], ["", "App/Photos"], [""],
    ]
    let records = lists.enumerated().map { index, scopes in
      var record = Record(
        id: UniqueID(bits: UInt128(index)), time: Int64(index), sequence: UInt64(index),
        session: UniqueID(bits: 1), level: .info, event: "e", message: "")
      record.scopes = scopes
      return record
    }
    guard case .terms(let column) = try SegmentIndexTests.segment(of: records).column(.scopes)
    else {
      Issue.record("scopes are no column of terms")
      return
    }
    let expected = try column.terms.map { term -> Bool in
      guard case .list(let scopes) = term else { return false }
      return scopes.contains { scope in
        let (bytes, root) = (Array(scope.utf8), Array(path.utf8))
        return bytes.starts(with: root)
          && (root.isEmpty || bytes.count == root.count || bytes[root.count] == UInt8(ascii: "/"))
      }
    }
    #expect(try column.codes(ofScopesUnder: path) == [false] + expected)
  }

  @Test func recordsOfSomeRowsAreThoseOfAll() throws {
    var reader = try RecordReader(segment)
    for rows in selections(records.count) {
      let some = try reader.records(at: rows)
      #expect(some.count == rows.count)
      #expect(
        zip(rows, some).allSatisfy {
          SegmentBuilder.digest(of: records[$0]) == SegmentBuilder.digest(of: $1)
        })
    }
  }

  @Test(arguments: [SegmentField.time, .sequence, .duration, .line])
  func integersAndTheirBoundsAreThoseOfTheRecords(_ field: SegmentField) throws {
    guard case .integers(let column) = try segment.column(field) else {
      Issue.record("\(field) is no column of integers")
      return
    }
    var values: [Int64] = []
    for granule in 0..<segment.granuleCount {
      let expected = records[segment.rows(ofGranule: granule)].map { $0.integer(of: field) }
      try column.decode(granule: granule, into: &values)
      #expect(values == expected.map { $0 ?? 0 })
      for rows in selections(expected.count) {
        var some: [Int64] = []
        let presence = try column.decode(
          bits(of: rows, count: expected.count), ofGranule: granule, into: &some)
        let present = expected.indices.filter { presence[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
        #expect(present == rows.filter { expected[$0] != nil })
        #expect(rows.allSatisfy { some[$0] == expected[$0] ?? 0 })
      }
      let present = expected.compactMap { $0 }
      #expect(column.bounds(granule: granule) == present.min().map { $0...(present.max() ?? $0) })
      let presence = try column.presence(granule: granule)
      for (row, value) in expected.enumerated() {
        let bit = presence.map { $0[row / 64] >> UInt64(row % 64) & 1 } ?? 1
        if (bit == 1) != (value != nil) { Issue.record("row \(row) of granule \(granule)") }
      }
      #expect(try segment.timeBounds(ofGranule: granule) == segment.timeOfGranule(granule, records))
    }
  }

  @Test(arguments: [1, 1_000, 1_000_000, 3_600_000_000_000] as [Int64])
  func timesFallIntoRuns(_ width: Int64) throws {
    // With the ends of time among them, times are kept as places, of which nothing is known without decoding; the others
    // rise, or have few bits.
    let usual = records.filter { $0.time > 1 << 60 && $0.time < .max }
    let dense = usual.enumerated().map { index, record in
      var record = record
      record.time = 1_767_225_600_000_000_000 + Int64(index / 3)
      return record
    }
    for (records, isKnown) in [(records, false), (usual, true), (dense, true)] {
      let records = sorted(records)
      let segment = try SegmentIndexTests.segment(of: records)
      guard case .integers(let column) = try segment.column(.time) else {
        Issue.record("times are no integers")
        return
      }
      for granule in 0..<segment.granuleCount {
        let times = records[segment.rows(ofGranule: granule)].map(\.time)
        // Where a time is its own end, the run is of a single row.
        func end(_ time: Int64) -> Int64 {
          time % 7 == 0 ? time : (time / width &+ 1) &* width
        }
        var expected: [Int] = []
        for (row, time) in times.enumerated() {
          if let last = expected.last, time < end(times[last]) { continue }
          expected.append(row)
        }
        let runs = try column.runs(granule: granule, endingAt: end)
        guard isKnown else { continue }
        #expect(runs?.map(\.row) == expected)
        #expect(runs?.map(\.value) == expected.map { times[$0] })
      }
    }
  }

  @Test func textsAreThoseOfTheRecords() throws {
    guard case .texts(let messages) = try segment.column(.message),
      case .texts(let payloads) = try segment.column(.payload)
    else {
      Issue.record("these are no columns of texts")
      return
    }
    for granule in 0..<segment.granuleCount {
      let expected = Array(records[segment.rows(ofGranule: granule)])
      let texts = try messages.decode(granule: granule)
      let contents = try payloads.decode(granule: granule)
      #expect(texts.count == expected.count && contents.count == expected.count)
      for (row, record) in expected.enumerated() {
        if Array(texts.bytes[texts.range(of: row)]) != Array(record.message.utf8)
          || Array(contents.bytes[contents.range(of: row)]) != record.payload
        {
          Issue.record("row \(row) of granule \(granule)")
        }
      }
    }
  }

  @Test func identitiesAreThoseOfTheRecords() throws {
    guard case .identities(let column) = try segment.column(.id) else {
      Issue.record("id is no column of identities")
      return
    }
    var identities: [UInt128] = []
    for granule in 0..<segment.granuleCount {
      try column.decode(granule: granule, into: &identities)
      #expect(identities == records[segment.rows(ofGranule: granule)].map(\.id.bits))
    }
  }

  @Test func partsOfAGranuleAreDecodedAlike() throws {
    guard case .terms(let column) = try segment.column(.tag("user_id")),
      case .integers(let durations) = try segment.column(.duration)
    else {
      Issue.record("columns are missing")
      return
    }
    var (all, some): ([UInt32], [UInt32]) = ([], [])
    var (allValues, someValues): ([Int64], [Int64]) = ([], [])
    try column.decode(granule: 0, into: &all)
    try durations.decode(granule: 0, into: &allValues)
    for rows in [0..<1, 5..<6, 63..<65, 64..<128, 100..<356, 4095..<4096, 3000..<4096] {
      try column.decode(rows: rows, into: &some)
      #expect(some == Array(all[rows]), "\(rows)")
      try durations.decode(rows: rows, into: &someValues)
      #expect(someValues == Array(allValues[rows]), "\(rows)")
    }
  }

  @Test func fieldsThatNoRowHasHaveNoColumn() throws {
    #expect(try segment.column(.tag("absent")) == nil)
    let plain = try SegmentIndexTests.segment(of: [RandomRecords.plain])
    for field: SegmentField in [
      .scopes, .payload, .span, .exit, .exitReason, .duration, .function, .file, .line, .externalID,
    ] {
      #expect(try plain.column(field) == nil, "\(field)")
    }
    let empty = try SegmentIndexTests.segment(of: [])
    #expect(try empty.column(.message) == nil && empty.timeRange == nil && empty.tagKeys == [])
  }

  @Test func manyThreadsMayReadAtOnce() async throws {
    let segment = try SegmentIndexTests.segment(of: Array(records.prefix(600)))
    let expected = Array(records.prefix(600))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 {
        group.addTask { areIdentical(try segment.records(), expected) }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}

private func == (column: SegmentColumn?, _: _OptionalNilComparisonType) -> Bool {
  if case .none = column { true } else { false }
}

extension Segment {
  fileprivate func timeOfGranule(_ granule: Int, _ records: [Record]) -> ClosedRange<Int64> {
    let rows = self.rows(ofGranule: granule)
    return records[rows.lowerBound].time...records[rows.upperBound - 1].time
  }
}

extension Record {
  fileprivate func term(of field: SegmentField) -> Term? {
    switch field {
    case .session: .identity(session)
    case .level: .level(level)
    case .event: .string(event)
    case .version: .int(version)
    case .scopes: scopes.isEmpty ? nil : .list(scopes)
    case .span: span.map { .identity($0) }
    case .exit: exit.map { .string($0) }
    case .exitReason: exitReason.map { .string($0) }
    case .function: function.map { .string($0) }
    case .file: file.map { .string($0) }
    case .externalID: externalID.map { .string($0) }
    case .tag(let key): tags.first { $0.key.utf8.elementsEqual(key.utf8) }.map { $0.value.term }
    default: nil
    }
  }

  fileprivate func integer(of field: SegmentField) -> Int64? {
    switch field {
    case .time: time
    case .sequence: Int64(bitPattern: sequence)
    case .duration: duration
    case .line: line
    default: nil
    }
  }
}

extension LogTagValue {
  fileprivate var term: Term {
    switch self {
    case .string(let value): .string(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    case .json(let value): .json(value)
    }
  }
}
