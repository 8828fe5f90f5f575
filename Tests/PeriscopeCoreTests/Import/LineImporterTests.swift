import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

@Suite struct LineImporterTests {
  @Test func numbersTheRecordsOfItsSession() throws {
    var importer = LineImporter()
    let first = try importer.record(#"{"msg":"a"}"#)
    _ = try? importer.record("broken")
    let second = try importer.record(#"{"msg":"b"}"#)
    #expect(first?.sequence == 1)
    #expect(second?.sequence == 2)
    #expect(second?.session == LineImporter.testSession)
    #expect(second?.id == UniqueID(session: LineImporter.testSession, sequence: 2))
  }

  @Test func aLineWithoutTimeHasThatOfTheLineBefore() throws {
    var importer = LineImporter()
    #expect(try importer.record(#"{"msg":"a"}"#)?.time == LineImporter.testTime)
    #expect(try importer.record(#"{"msg":"b","time":5}"#)?.time == 5_000_000_000)
    #expect(try importer.record(#"{"msg":"c"}"#)?.time == 5_000_000_000)
    #expect(importer.undatedCount == 2)
  }

  @Test func blankLinesAreNoRecords() throws {
    var importer = LineImporter()
    for line in ["", " \t", "\r", "\r\n", "\u{feff}", "\u{feff}\r\n"] {
      #expect(try importer.record(line) == nil)
    }
  }

  @Test func acceptsByteOrderMarkAndCarriageReturn() throws {
    #expect(try LineImporter.record("\u{feff}{\"msg\":\"a\"}\r\n").message == "a")
  }

  @Test(arguments: [
    ("nonsense", 0, "expected an object"),
    ("[1]", 0, "expected an object"),
    (#""text""#, 0, "expected an object"),
    (#"{"a":}"#, 5, "expected a value"),
    (#"{"a":1"#, 6, "expected a comma or the object's end"),
    (#"{"a":1} x"#, 8, "expected the end of the text"),
    ("\u{feff}{\"a\":01}", 8, "a number begins with a zero"),
  ])
  func saysWhatIsWrong(line: String, offset: Int, reason: String) {
    var importer = LineImporter()
    #expect(throws: ImportError(line: 9, offset: offset, reason: reason)) {
      try importer.record(line, lineNumber: 9)
    }
  }

  @Test func invalidTextIsRepaired() throws {
    var importer = LineImporter()
    let line =
      Array(#"{"msg":"a"#.utf8) + [0xff] + Array(#"\ud800","k":"v","p":["é"#.utf8) + [0x80]
      + Array(#""]}"#.utf8)
    let record = try importer.record(fromLine: line.rawSpan, lineNumber: 1)
    #expect(record?.message == "a\u{fffd}\u{fffd}")
    #expect(record?.tags == [LogTag("k", .string("v"))])
    #expect(record?.payloadText == #"{"p":["é\#u{fffd}"]}"#)
  }

  @Test func deepNestingIsAnError() {
    var importer = LineImporter()
    let deep = String(repeating: #"{"a":"#, count: 100_000)
    #expect(throws: ImportError.self) { try importer.record(deep) }
    let arrays = #"{"a":"# + String(repeating: "[", count: 100_000)
    #expect(throws: ImportError.self) { try importer.record(arrays) }
  }

  /// Whatever is done to a line, the answer is a record, nil or an error: never a trap.
  @Test(arguments: 0..<8) func mutatedLinesNeverTrap(seed: UInt64) throws {
    let seeds = [
      #"{"level":40,"time":1767225600123,"name":"a.b","msg":"x\n","l":[1,{"b":2}],"o":{"p":{}}}"#,
      #"{"timeUnixNano":"17672256000","severityNumber":13,"body":"b","attributes":{"a.b":1e5}}"#,
      #"{"__REALTIME_TIMESTAMP":"1767225600000001","PRIORITY":"3","MESSAGE":[72,105,255]}"#,
      """
      {"id":"dae720b2-cf03-4d21-ac7a-4beeca84ebca","t":1767225600345106944,"level":"info",\
      "severity":200,"event":"a.b","message":"m","scopes":["a/b"],\
      "session":"9a15a311-eb5a-49f9-a5ae-305b83acfb7e","tags":{"k":1.5},"payload":{"n":[1]}}
      """,
    ].map { Array($0.utf8) }
    let interesting = Array(#"{}[],:"\0123456789.-+eEntfu"#.utf8) + [0, 0x1f, 0x80, 0xc3, 0xff]
    var random = SeededRandom(seed: seed)
    var importer = LineImporter()
    var accepted = 0
    for round in 0..<1_500 {
      var line = seeds[round % seeds.count]
      for _ in 0..<Int.random(in: 1...4, using: &random) where !line.isEmpty {
        let at = Int.random(in: 0..<line.count, using: &random)
        let byte = interesting[Int.random(in: 0..<interesting.count, using: &random)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: line[at] = byte
        case 1: line.insert(byte, at: at)
        case 2: line.remove(at: at)
        default: line.removeSubrange(at..<min(line.count, at + 9))
        }
      }
      if let record = try? importer.record(fromLine: line.rawSpan, lineNumber: round) {
        accepted += 1
        // What was accepted can be written and read again.
        var again = LineImporter()
        #expect(
          try again.record(fromLine: record.json.rawSpan, lineNumber: 1) == record, "\(random)")
      }
    }
    #expect(accepted > 100, "\(random)")
  }
}
