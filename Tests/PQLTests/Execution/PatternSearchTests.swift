import PQL
import SegmentIndex
import TestSupport
import Testing

/// Queries that patterns answer, or answer in part, compared with the reference, which knows of none.
@Suite struct PatternSearchTests {
  private static let start: Int64 = 1_788_220_800_000_000_000

  private func records(_ messages: [String], _ payloads: [String]) -> [Record] {
    zip(messages, payloads).enumerated().map { index, texts in
      var record = Record(
        id: UniqueID(bits: UInt128(index)), time: Self.start + Int64(index),
        sequence: UInt64(index), session: UniqueID(bits: 1), level: .info, event: "e",
        message: texts.0)
      record.payload = Array(texts.1.utf8)
      return record
    }
  }

  private func segment(_ records: [Record]) throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for record in records { builder.append(record) }
    return try Segment(bytes: try builder.finish(), name: "patterns")
  }

  private func expectSame(_ text: String, _ records: [Record], _ segment: Segment) throws {
    let query = try DifferentialTests.bound(text, [segment], QueryContext(now: Self.start))
    let expected = ReferenceEvaluator(records: records).run(query)
    let answer = Executor.run(query, on: [segment])
    #expect(answer.rows == expected.rows, "\(text)")
    #expect(answer.summary.gaps.isEmpty)
  }

  private func message(_ random: inout SeededRandom) -> String {
    let number = Int.random(in: 0..<1000, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return "Disk check 10.0.\(number % 7).\(number % 256) done in \(number).\(number % 10) ms"
    case 1: return "task \(String(number * 77_777, radix: 16)) of USER\(number % 9) asked"
    case 2: return "straße \(number) gesperrt, Kilo\(number)"
    case 3: return "ID \(String(number + 0xABC000, radix: 16, uppercase: true)) closed"
    case 4: return "nothing varies"
    case 5: return "token x\(number)y\(number)z\(number) asks"
    case 6: return "ſ\(number)k and \u{212a}\(number % 3)"
    default: return "Upload \(number) completed in \(number * 3) ms"
    }
  }

  /// Needles are cut from the messages, with their case changed, so that many are found.
  @Test func messagesAreFoundHoweverTheyAreKept() throws {
    for seed in UInt64(0)..<6 {
      var random = SeededRandom(seed: seed)
      let messages = (0..<400).map { _ in message(&random) }
      let records = records(messages, messages.map { _ in "" })
      let segment = try segment(records)
      for _ in 0..<40 {
        let scalars = Array(messages[Int.random(in: 0..<400, using: &random)].unicodeScalars)
        let start = Int.random(in: 0..<scalars.count, using: &random)
        let end = Int.random(in: start..<min(start + 9, scalars.count), using: &random) + 1
        var needle = String(String.UnicodeScalarView(scalars[start..<end]))
        if Bool.random(using: &random) { needle = needle.uppercased() }
        if Int.random(in: 0..<8, using: &random) == 0 { needle += "9" }
        try expectSame("message:\"\(needle)\" | count", records, segment)
      }
      for text in ["| count", "not message:ms | count", "message:*o*ms | count"] {
        try expectSame(text, records, segment)
      }
    }
  }

  /// What is sought stands often in a literal in part, and in numbers beside it.
  @Test func needlesWhoseCoreIsOftenInLiteralsAreFound() throws {
    let long = String(repeating: "s", count: 300)
    let messages = (0..<30).map { index in
      switch index % 3 {
      case 0: "\(long) in \(index) \(long)"
      case 1: "1\(long) \(index)s"
      default: "\(index)\(index % 2 == 0 ? "s" : "t") of \(long)"
      }
    }
    let records = records(messages, messages.map { _ in "" })
    let segment = try segment(records)
    for text in ["1s", "s 3", "9 s", "of s", "1t"] {
      try expectSame("message:\"\(text)\" | count", records, segment)
      try expectSame("message:\"\(text)\" | select time", records, segment)
    }
  }

  /// Messages of which only they themselves tell are counted at once where that is little to read, and like any other
  /// search where they are in many granules.
  @Test func whatIsInManyGranulesIsNotCountedAtOnce() throws {
    func segment(_ granules: Int) throws -> Segment {
      let messages = (0..<granules * Segment.granuleRowCount).map { index in
        index % Segment.granuleRowCount < 2 ? "user\(index % 7)x asks" : "nothing varies"
      }
      return try self.segment(records(messages, messages.map { _ in "" }))
    }
    func scanned(_ segments: [Segment]) throws -> Int {
      let query = try DifferentialTests.bound(
        "message:r3x | count", segments, QueryContext(now: Self.start))
      return Executor.run(query, on: segments).summary.scannedGranuleCount
    }
    #expect(try scanned([segment(1)]) == 0)
    #expect(try scanned([segment(5)]) == 5)
    // Those of many segments are read by several threads, and counted as the reference counts them.
    let small = Array(repeating: try segment(1), count: 40)
    let query = try DifferentialTests.bound(
      "message:r1x | count", small, QueryContext(now: Self.start))
    let result = Executor.run(query, on: small)
    #expect(result.summary.scannedGranuleCount == 0 && result.summary.matchedCount == 40)
    #expect(result.summary.scannedCount == 80)
    #expect(result.table?.rows[0][0] == .int(40))
  }

  /// What cannot be read is not counted, and the answer says so: wherever a segment is damaged.
  @Test func damagedMessagesAreNotCountedAtOnce() throws {
    let messages = (0..<300).map { $0 % 100 < 2 ? "user\($0)x asks" : "nothing varies" }
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for record in records(messages, messages.map { _ in "" }) { builder.append(record) }
    let bytes = try builder.finish()
    let whole = try Segment(bytes: bytes, name: "whole")
    let query = try DifferentialTests.bound(
      "message:r1 | count", [whole], QueryContext(now: Self.start))
    let summary = Executor.run(query, on: [whole]).summary
    #expect(summary.scannedGranuleCount == 0 && summary.scannedCount > 0, "messages are read")
    var gapCount = 0
    for block in try whole.blocks() where !block.isEmpty {
      for place in [block.lowerBound, block.lowerBound + block.count / 2, block.upperBound - 1] {
        var damaged = bytes
        damaged[place] ^= 1
        guard let segment = try? Segment(bytes: damaged, name: "damaged") else { continue }
        let result = Executor.run(query, on: [whole, segment])
        let isWhole = result.summary.gaps.isEmpty
        #expect(result.table?.rows[0][0] == .int(isWhole ? 6 : 3), "byte \(place)")
        if !isWhole { gapCount += 1 }
      }
    }
    #expect(gapCount > 0)
  }

  private func payload(_ random: inout SeededRandom) -> String {
    let number = Int.random(in: 0..<100_000, using: &random)
    switch Int.random(in: 0..<14, using: &random) {
    case 0: return #"{"n":-\#(number),"k":{"x":[\#(number % 7),\#(number % 5)]}}"#
    case 1: return #"{"n":\#(Double(number) / 100)}"#
    case 2: return #"{"n":\#(number).50}"#
    case 3: return #"{"n":"\#(number)"}"#
    case 4: return #"{"k\#(number % 3)":1,"n":\#(number),"k1":2}"#
    case 5: return #"{"n":0\#(number)}"#
    case 6: return #"{"n":\#(number % 10)e\#(number % 3)}"#
    case 7: return #"{"s":"\\u00e\#(number % 10) \" \#(number)","n":\#(number)}"#
    case 8: return #"{"n":\#(number),"n":7}"#
    case 9: return #"{"n" : -0}"#
    case 10: return #"{"n":12345678901234567890,"k":{"x":\#(number)}}"#
    case 11: return #"[{"n":\#(number)},\#(number)"#
    case 12: return #"{"n":ab\#(number % 10)c4}"#
    default: return #"{"n":\#(number),"k":{"x":true}}"#
    }
  }

  @Test func pathsOfThePayloadAreReadHoweverTheyAreKept() throws {
    for seed in UInt64(0)..<6 {
      var random = SeededRandom(seed: seed)
      let payloads = (0..<600).map { _ in payload(&random) }
      let records = records(payloads.map { _ in "" }, payloads)
      let segment = try segment(records)
      for path in ["n", "k.x", "k.x[1]", "k1", "k", "s", "none", "[0].n"] {
        let field = path.hasPrefix("[") ? "payload\(path)" : "payload.\(path)"
        try expectSame("| select \(field)", records, segment)
        try expectSame("has \(field) | count", records, segment)
        try expectSame("\(field) > 500 | count", records, segment)
      }
      try expectSame("| select payload", records, segment)
    }
  }
}
