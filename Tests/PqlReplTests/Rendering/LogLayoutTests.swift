import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct LogLayoutTests {
  static func record(_ message: String) -> Record {
    Record(
      id: UniqueID(bits: 1), time: 1_767_225_600_123_456_789, sequence: 1,
      session: UniqueID(bits: 1), level: .warning, event: "message", message: message)
  }

  static func text(_ record: Record, width: Int = 100, _ style: Style = .plain) -> String {
    LogLayout(zone: .utc, style: style, width: width).text(record)
  }

  @Test func isOneLineIfItFits() {
    var record = Self.record("disk is slow")
    record.scopes = ["App/Store", "UI"]
    record.tags = [
      LogTag("ms", .double(1.5)), LogTag("who", .string("a b")), LogTag("ok", .bool(true)),
    ]
    #expect(
      Self.text(record, width: 120) == """
        2026-01-01 00:00:00.123 warning App/Store + UI  disk is slow  ms=1.5 who="a b" ok=true

        """)
  }

  @Test func foldsDetailsThatDoNotFit() {
    var record = Self.record("disk is slow")
    record.event = "disk.slow"
    record.exit = "failure"
    record.exitReason = "timed out"
    record.duration = 1_500_000_000
    record.externalID = "x"
    record.payload = Array(#"{"a":1}"#.utf8)
    #expect(
      Self.text(record, width: 60) == """
        2026-01-01 00:00:00.123 warning  disk is slow
            event=disk.slow exit=failure reason="timed out"
            duration=1.5s extid=x payload={"a":1}

        """)
  }

  @Test func attachmentsAreListed() {
    var record = Self.record("card declined")
    record.attachments =
      AttachmentList([
        .init(name: "cart.json", type: "application/json", content: .bytes([1, 2, 3])),
        .init(
          name: "a\u{1b}.png", type: "image/png",
          content: .file(UniqueID(bits: 1), byteCount: 180_222, checksum: 1)),
        .init(name: "x", type: "text/plain", content: .lost(reason: "disk full", byteCount: 9)),
      ]).json
    #expect(
      Self.text(record, width: 60) == #"""
        2026-01-01 00:00:00.123 warning  card declined
            attachment="cart.json application/json 3 B"
            attachment="a\u{1b}.png image/png 180222 B"
            attachment="x text/plain 9 B, not kept: disk full"

        """#)
    record.attachments = Array("no list".utf8)
    #expect(Self.text(record).contains("attachment=damaged"))
  }

  @Test func linesOfAMessageCannotPassForRecords() {
    let record = Self.record("trace:\n2026-01-01 00:00:00.000 fault   all is lost\n\u{1b}[2J")
    #expect(
      Self.text(record) == #"""
        2026-01-01 00:00:00.123 warning  trace:
            2026-01-01 00:00:00.000 fault   all is lost
            \u{1b}[2J

        """#)
  }

  @Test func linesOfAMessageMayEndWithCarriageReturns() {
    #expect(
      Self.text(Self.record("one\r\ntwo\rthree\r\n")) == #"""
        2026-01-01 00:00:00.123 warning  one
            two\rthree
        \#("    ")

        """#)
  }

  @Test func everythingFromDataIsEscaped() {
    var record = Self.record("\r\u{9b}")
    let evil = "\u{1b}]0;x\u{7}\u{202e}\n"
    record.scopes = [evil]
    record.event = evil
    record.exit = evil
    record.tags = [LogTag(evil, .string(evil)), LogTag("j", .json(evil))]
    record.externalID = evil
    record.payload = Array(evil.utf8)
    let text = Self.text(record)
    for scalar in text.unicodeScalars where scalar != "\n" {
      #expect(![.control, .format].contains(scalar.properties.generalCategory), "\(text)")
    }
    // Nothing from the data begins a line.
    for line in text.split(separator: "\n").dropFirst() { #expect(line.hasPrefix("    ")) }
  }

  @Test func colourOnlyRepeats() {
    let style = Style(.always, isTerminal: false, environment: { _ in nil })
    let colored = Self.text(Self.record("m"), style)
    #expect(colored.contains("\u{1b}[33mwarning\u{1b}[0m"))
    let stripped = colored.replacing(/\u{1b}\[[0-9;]*m/, with: "")
    #expect(stripped == Self.text(Self.record("m")))
  }

  @Test func longPayloadsAreCut() {
    var record = Self.record("m")
    record.payload = Array(#"{"a":"\#(String(repeating: "x", count: 500))"}"#.utf8)
    let lines = Self.text(record).split(separator: "\n")
    #expect(lines[1].hasSuffix("x…"))
    #expect(lines[1].count < 200)
  }
}
