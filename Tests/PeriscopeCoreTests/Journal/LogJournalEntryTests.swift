import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

@Suite struct LogJournalEntryTests {
  static let session = UniqueID("7d444840-9dc0-41d1-b245-5ffdce74fad2") ?? UniqueID(bits: 0)

  static func record(_ sequence: UInt64 = 7) -> Record {
    Record(
      id: UniqueID(session: session, sequence: sequence), time: 1_767_225_601_500_000_000,
      sequence: sequence, session: session, level: .error, event: "payment.failed",
      message: "card declined")
  }

  /// The examples of `docs/format/entry.md`: what an entry's bytes are is a promise.
  @Test func entriesHaveThePromisedShape() throws {
    let page = try FormatPage("entry.md").text
    let info = SessionInfo(
      id: Self.session, start: 1_767_225_600_000_000_000, app: "Shop 3.2.1", os: "Linux 6.18",
      device: "till-7")
    #expect(page.contains(String(decoding: LogJournalEntry.encoded(info), as: UTF8.self)))

    var record = Self.record()
    record.scopes = ["Shop/Payments"]
    record.tags = [
      LogTag("user", .int(42)), LogTag("ratio", .double(0.5)), LogTag("region", .string("eu")),
    ]
    record.payload = Array(#"{"code":51}"#.utf8)
    record.function = "pay(_:)"
    record.file = "Shop/Till.swift"
    record.line = 88
    let bytes = LogJournalEntry.encoded(record, in: Self.session)
    #expect(page.contains(String(decoding: bytes, as: UTF8.self)))
    #expect(try LogJournalEntry(decoding: bytes.rawSpan, in: Self.session) == .record(record))
  }

  @Test func everyFieldComesBackExactly() throws {
    var record = Self.record()
    record.level = LogLevel("trace", severity: 50)
    record.version = -3
    record.message = "nul \0, quote \", line\n, \u{1F4F7}, \u{202E}"
    record.scopes = ["A", "B/C"]
    record.tags = [
      LogTag("", .string("")), LogTag("int", .int(.min)), LogTag("one", .double(1)),
      LogTag("zero", .double(-0.0)), LogTag("inf", .double(-.infinity)),
      LogTag("yes", .bool(true)), LogTag("json", .json("[1, 2]")),
    ]
    record.payload = Array(#" {"b" : 1.50 , "a": null}"#.utf8.dropFirst())
    record.session = UniqueID(bits: 5)
    record.id = UniqueID(bits: 1)
    record.span = UniqueID(bits: .max)
    record.exit = "failure"
    record.exitReason = ""
    record.duration = .min
    record.externalID = "x"
    let bytes = LogJournalEntry.encoded(record, in: Self.session)
    #expect(try LogJournalEntry(decoding: bytes.rawSpan, in: Self.session) == .record(record))
  }

  @Test func theLastSequenceComesBack() throws {
    let record = Self.record(.max)
    let bytes = LogJournalEntry.encoded(record, in: Self.session)
    #expect(try LogJournalEntry(decoding: bytes.rawSpan, in: Self.session) == .record(record))
  }

  @Test func notANumberKeepsItsBits() throws {
    let bits: UInt64 = 0x7ff8_0000_0000_beef
    var record = Self.record()
    record.tags = [LogTag("nan", .double(Double(bitPattern: bits)))]
    let bytes = LogJournalEntry.encoded(record, in: Self.session)
    guard
      case .record(let read)? = try LogJournalEntry(decoding: bytes.rawSpan, in: Self.session),
      case .double(let value)? = read.tags.first?.value
    else {
      Issue.record("the tag did not come back")
      return
    }
    #expect(value.bitPattern == bits)
  }

  @Test(arguments: [
    #"{"v":2,"kind":"record","payload":{"anything":true}}"#,
    #"{"v":1,"kind":"weather","payload":{}}"#,
  ])
  func whatANewerBuildWroteIsSkipped(text: String) throws {
    #expect(try LogJournalEntry(decoding: Array(text.utf8).rawSpan, in: Self.session) == nil)
  }

  @Test func unknownKeysAndAnyOrderAreAccepted() throws {
    let text = #"""
      {"payload":{"new":[1,{}],"message":"m","t":3,"seq":2,"event":"e"},"more":1,"kind":"record","v":1}
      """#
    var expected = Record(
      id: UniqueID(session: Self.session, sequence: 2), time: 3, sequence: 2, session: Self.session,
      level: .info, event: "e", message: "m")
    expected.scopes = []
    #expect(
      try LogJournalEntry(decoding: Array(text.utf8).rawSpan, in: Self.session) == .record(expected)
    )
  }

  @Test(arguments: [
    "", "{}", "[1]", #"{"v":1,"kind":"record"}"#, #"{"v":1,"kind":"record","payload":7}"#,
    #"{"v":1,"kind":"record","payload":{"t":1.5}}"#,
    #"{"v":1,"kind":"record","payload":{"seq":-1}}"#,
    #"{"v":1,"kind":"record","payload":{"id":"no"}}"#,
    #"{"v":1,"kind":"record","payload":{"tags":{"a":null}}}"#,
    #"{"v":1,"kind":"record","payload":{}} x"#,
  ])
  func whatIsNoEntryIsAnError(text: String) {
    #expect(throws: JSONError.self) {
      try LogJournalEntry(decoding: Array(text.utf8).rawSpan, in: Self.session)
    }
  }

  /// Bytes from a disk never trap, whatever happened to them.
  @Test func damagedEntriesNeverTrap() {
    let whole = LogJournalEntry.encoded(Self.record(), in: Self.session)
    var random = SeededRandom(seed: 42)
    for length in 0..<whole.count {
      #expect(throws: JSONError.self) {
        try LogJournalEntry(decoding: Array(whole.prefix(length)).rawSpan, in: Self.session)
      }
    }
    for _ in 0..<2000 {
      var bytes = whole
      bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      _ = try? LogJournalEntry(decoding: bytes.rawSpan, in: Self.session)
    }
  }

  /// What the importer accepts at its deepest must also be read back from inside the envelope.
  @Test func aPayloadAtTheDepthLimitComesBack() throws {
    var record = Self.record()
    record.payload = Array(
      (String(repeating: "[", count: 64) + String(repeating: "]", count: 64)).utf8)
    let bytes = LogJournalEntry.encoded(record, in: Self.session)
    #expect(try LogJournalEntry(decoding: bytes.rawSpan, in: Self.session) == .record(record))
  }
}
