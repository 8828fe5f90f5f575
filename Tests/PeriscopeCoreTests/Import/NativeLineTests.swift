import Foundation
import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

/// Lines that Periscope prints, and their relatives.
@Suite struct NativeLineTests {
  static let id = UniqueID(bits: 0xdae7_20b2_cf03_4d21_ac7a_4bee_ca84_ebca)

  static var fullRecord: Record {
    var record = Record(
      id: id, time: 1_767_225_600_123_456_789, sequence: 7, session: UniqueID(bits: 1),
      level: LogLevel("chatty", severity: 150), event: "photo.imported", message: "a \"b\"\n")
    record.version = 3
    record.scopes = ["App/Photos", "UI"]
    record.tags = [
      LogTag("s", .string("é")), LogTag("i", .int(-4)), LogTag("d", .double(2)),
      LogTag("b", .bool(true)), LogTag("j", .json("[1, 2]")), LogTag("n", .json("null")),
    ]
    record.payload = Array(#"{"n": 1.50}"#.utf8)
    record.span = UniqueID(bits: 2)
    record.exit = "failure"
    record.exitReason = "timed out"
    record.duration = 5
    record.function = "run()"
    record.file = "App/Main.swift"
    record.line = 12
    record.externalID = "x-1"
    record.attachments =
      AttachmentList([
        .init(name: "a.json", type: "application/json", content: .bytes(Array(#"{"n":3}"#.utf8))),
        .init(
          name: "b.png", type: "image/png",
          content: .file(UniqueID(bits: 3), byteCount: 180_222, checksum: 7)),
      ]).json
    return record
  }

  @Test func isPinned() {
    let expected = #"""
      {"id":"dae720b2-cf03-4d21-ac7a-4beeca84ebca","time":"2026-01-01T00:00:00.123456789Z",
      "sequence":7,"level":"chatty","severity":150,"event":"photo.imported","version":3,
      "message":"a \"b\"\n","scope":["App/Photos","UI"],
      "session":"00000000-0000-0000-0000-000000000001",
      "span":"00000000-0000-0000-0000-000000000002","exit":"failure","reason":"timed out",
      "duration":5,"function":"run()","file":"App/Main.swift","line":12,"extid":"x-1",
      "attachments":2,"attached":{"count":2,"items":[
      {"name":"a.json","type":"application/json","text":"{\"n\":3}"},
      {"name":"b.png","type":"image/png","size":180222,
      "file":"00000000-0000-0000-0000-000000000003","crc":7}]},
      "tags":{"s":"é","i":-4,"d":2.0,"b":true,"j":[1, 2],"n":null},"payload":{"n": 1.50}}
      """#.split(separator: "\n").joined()
    #expect(String(decoding: Self.fullRecord.json, as: UTF8.self) == expected)
  }

  @Test func readsBack() throws {
    var importer = LineImporter()
    let line = Self.fullRecord.json
    #expect(try importer.record(fromLine: line.rawSpan, lineNumber: 1) == Self.fullRecord)
  }

  @Test(arguments: ["7", "[]", "\"list\"", "{\"items\":[7]}"])
  func whatIsNoListOfAttachmentsMakesALineForeign(_ list: String) throws {
    let line = String(decoding: Self.fullRecord.json, as: UTF8.self)
    let start = try #require(line.range(of: "\"attached\":"))
    let end = try #require(line.range(of: ",\"tags\""))
    let read = try LineImporter.record(
      line.replacingCharacters(in: start.upperBound..<end.lowerBound, with: list))
    #expect(read.session == LineImporter.testSession)
    #expect(read.attachments.isEmpty && read.message.hasPrefix("a \"b\""))
  }

  @Test func numbersThatJSONCannotWriteBecomeText() throws {
    var record = Self.fullRecord
    record.tags = [LogTag("n", .double(.nan)), LogTag("i", .double(-.infinity))]
    let read = try LineImporter.record(String(decoding: record.json, as: UTF8.self))
    #expect(read.tags == [LogTag("n", .string("NaN")), LogTag("i", .string("-Infinity"))])
  }

  @Test func sequencesHaveNoSign() throws {
    var record = Self.fullRecord
    record.sequence = .max
    let line = String(decoding: record.json, as: UTF8.self)
    #expect(line.contains(#""sequence":18446744073709551615,"#))
    #expect(try LineImporter.record(line) == record)
  }

  /// Each key is a column of the store, whoever wrote the line.
  @Test func tooManyTagsMakeALineForeign() throws {
    var record = Self.fullRecord
    record.message = "m"
    record.tags = (0..<128).map { LogTag("k\($0)", .int($0)) }
    #expect(try LineImporter.record(String(decoding: record.json, as: UTF8.self)) == record)
    record.tags.append(LogTag("k128", .int(128)))
    let read = try LineImporter.record(String(decoding: record.json, as: UTF8.self))
    #expect(read.session == LineImporter.testSession)
    #expect(read.tags.count == 128)
    #expect(read.message == record.message && read.level.name == record.level.name)
    #expect(read.payloadText.contains(#""k128":128"#))
  }

  @Test func keysAreComparedByTheirBytes() throws {
    var record = Self.fullRecord
    record.tags = [LogTag("caf\u{e9}", .int(1)), LogTag("cafe\u{301}", .int(2))]
    let read = try LineImporter.record(String(decoding: record.json, as: UTF8.self))
    #expect(read.tags.map(\.value) == [.int(1), .int(2)])
  }

  @Test func someKeysHaveTwoNames() throws {
    let record = try LineImporter.record(
      #"""
      {"id":"00000000-0000-0000-0000-000000000005","t":1767225600345106944,"level":"info",
      "severity":200,"event":"a.ended","message":"m","scopes":["a","b"],
      "session":"9a15a311-eb5a-49f9-a5ae-305b83acfb7e","exit":"success","duration_ns":12}
      """#)
    #expect(record.id == UniqueID(bits: 5))
    #expect(record.level == .info)
    #expect(record.scopes == ["a", "b"])
    #expect(record.duration == 12)
  }

  @Test func keysMayComeInAnyOrder() throws {
    let line = #"""
      {"message":"m","session":"9a15a311-eb5a-49f9-a5ae-305b83acfb7e","t":1767225600345106944,
      "exit":null,"event":"a.b","tags":{"k":true},"level":"notice","span":null}
      """#
    let record = try LineImporter.record(line)
    let session = try #require(UniqueID("9a15a311-eb5a-49f9-a5ae-305b83acfb7e"))
    #expect(record.session == session)
    #expect(record.id == UniqueID(session: session, sequence: 1))
    #expect(record.time == 1_767_225_600_345_106_944)
    #expect(record.level == .notice)
    #expect(record.tags == [LogTag("k", .bool(true))])
  }

  /// One strange key, type or missing field, and the line is nobody's own: its identity and session
  /// are then just tags.
  @Test(arguments: [
    #""pid":1"#, #""id":"1""#, #""sequence":-1"#, #""line":1.5"#, #""scopes":[1]"#, #""tags":[]"#,
    #""severity":99999999999"#, #""span":"x""#, #""time":"noon""#, #""level":"info""#,
  ])
  func strangeMembersMakeALineForeign(member: String) throws {
    let record = try LineImporter.record(
      #"""
      {"session":"9a15a311-eb5a-49f9-a5ae-305b83acfb7e","t":1767225600345106944,"level":"error",
      "event":"a.b","message":"m",\#(member)}
      """#)
    #expect(record.session == LineImporter.testSession)
    #expect(record.tag("session") == .string("9a15a311-eb5a-49f9-a5ae-305b83acfb7e"))
    #expect(record.level == .error && record.event == "a.b" && record.message == "m")
    #expect(record.time == 1_767_225_600_345_106_944)
  }

  @Test(arguments: 0..<4) func everyRecordReadsBack(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var importer = LineImporter()
    for _ in 0..<300 {
      let record = Record.random(using: &random)
      let read = try importer.record(fromLine: record.json.rawSpan, lineNumber: 1)
      #expect(read == record, "\(random)")
    }
  }
}

extension Record {
  /// A record with anything in it that JSON can carry.
  fileprivate static func random(using random: inout SeededRandom) -> Record {
    func text() -> String {
      let alphabet: [Character] = [
        "a", "b", "é", "\"", "\\", "\n", "\u{0}", "\u{202e}", "🧭", "/", " ",
      ]
      let count = Int.random(in: 0..<20, using: &random)
      return String((0..<count).map { _ in alphabet.randomElement(using: &random) ?? "x" })
    }
    func maybe<T>(_ value: @autoclosure () -> T) -> T? {
      Bool.random(using: &random) ? value() : nil
    }
    func integer() -> Int64 { Int64.random(in: .min ... .max, using: &random) }
    var record = Record(
      id: UniqueID(using: &random), time: integer() / 2,
      sequence: UInt64.random(in: 0 ... .max, using: &random),
      session: UniqueID(using: &random),
      level: LogLevel(text(), severity: Int32.random(in: .min ... .max, using: &random)),
      event: text(), message: text())
    record.version = maybe(integer()) ?? 1
    record.scopes = (0..<Int.random(in: 0..<4, using: &random)).map { _ in text() }
    for index in 0..<Int.random(in: 0..<6, using: &random) {
      let value: LogTagValue =
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .string(text())
        case 1: .int(integer())
        case 2:
          .double(
            Double(
              sign: .minus, exponent: Int.random(in: -1_070...1_000, using: &random),
              significand: Double.random(in: 1..<2, using: &random)))
        case 3: .bool(Bool.random(using: &random))
        default: .json(#"{"a": [null, 1.0]}"#)
        }
      record.tags.append(LogTag("\(index)\(text())", value))
    }
    record.payload = maybe(Array(#"{ "p": [1, "x"] }"#.utf8)) ?? []
    record.span = maybe(UniqueID(using: &random))
    record.exit = maybe(text())
    record.exitReason = maybe(text())
    record.duration = maybe(integer())
    record.function = maybe(text())
    record.file = maybe(text())
    record.line = maybe(integer())
    record.externalID = maybe(text())
    return record
  }
}
