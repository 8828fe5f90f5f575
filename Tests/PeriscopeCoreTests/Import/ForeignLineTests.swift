import PeriscopeCore
import SegmentIndex
import Testing

/// One line of each convention, and the rules of `docs/import.md` one by one.
@Suite struct ForeignLineTests {
  @Test func readsPino() throws {
    let record = try LineImporter.record(
      #"""
      {"level":40,"time":1767225600123,"pid":7,"hostname":"box","name":"cart","msg":"slow \"cart\""}
      """#)
    #expect(record.time == 1_767_225_600_123_000_000)
    #expect(record.level == .warning)
    #expect(record.message == #"slow "cart""#)
    #expect(record.scopes == ["cart"])
    #expect(record.tags == [LogTag("pid", .int(7)), LogTag("hostname", .string("box"))])
    #expect(record.event == "imported")
    #expect(record.payload.isEmpty)
  }

  @Test func readsLogstash() throws {
    let record = try LineImporter.record(
      #"""
      {"@timestamp":"2026-01-01T00:00:00.5Z","@version":"1","level":"ERROR","logger_name":"shop.cart",
      "thread_name":"main","message":"no","context":{"request":"r1","retry":{"count":2}}}
      """#)
    #expect(record.time == 1_767_225_600_500_000_000)
    #expect(record.level == .error)
    #expect(record.scopes == ["shop/cart"])
    #expect(record.tag("context.request") == .string("r1"))
    #expect(record.tag("context.retry.count") == .int(2))
    #expect(record.tag("@version") == .string("1"))
  }

  @Test func readsZap() throws {
    let record = try LineImporter.record(
      #"""
      {"level":"info","ts":1767225600.123456789,"logger":"api","caller":"http/serve.go:42","msg":"up"}
      """#)
    #expect(record.time == 1_767_225_600_123_456_789)
    #expect(record.file == "http/serve.go")
    #expect(record.line == 42)
    #expect(record.tags.isEmpty)
  }

  @Test func readsSlog() throws {
    let record = try LineImporter.record(
      #"""
      {"time":"2026-01-01T01:00:00.25+01:00","level":"WARN","msg":"late",
      "source":{"function":"main.run","file":"main.go","line":9},"attempt":3,"ok":false}
      """#)
    #expect(record.time == 1_767_225_600_250_000_000)
    #expect(record.function == "main.run")
    #expect(record.file == "main.go")
    #expect(record.line == 9)
    #expect(record.tags == [LogTag("attempt", .int(3)), LogTag("ok", .bool(false))])
  }

  @Test func readsJournald() throws {
    let record = try LineImporter.record(
      #"""
      {"__REALTIME_TIMESTAMP":"1767225600000001","PRIORITY":"3","SYSLOG_IDENTIFIER":"sshd",
      "_PID":"12","MESSAGE":[72,105,255,33]}
      """#)
    #expect(record.time == 1_767_225_600_000_001_000)
    #expect(record.level == .error)
    #expect(record.scopes == ["sshd"])
    #expect(record.message == "Hi\u{fffd}!")
    #expect(record.tags == [LogTag("_PID", .string("12"))])
  }

  @Test func readsDocker() throws {
    let record = try LineImporter.record(
      #"{"log":"ready\r\n","stream":"stderr","time":"2026-01-01T00:00:00.000000001Z"}"#)
    #expect(record.time == 1_767_225_600_000_000_001)
    #expect(record.message == "ready")
    #expect(record.level == .info)
    #expect(record.tags == [LogTag("stream", .string("stderr"))])
  }

  @Test func readsOpenTelemetry() throws {
    let record = try LineImporter.record(
      #"""
      {"timeUnixNano":"1767225600000000009","severityText":"WARN","severityNumber":13,
      "body":{"stringValue":"hot"},"attributes":{"thread":"main","code.namespace":"a.b.C"}}
      """#)
    #expect(record.time == 1_767_225_600_000_000_009)
    #expect(record.level == .warning)
    #expect(record.message == "hot")
    #expect(record.scopes == ["a/b/C"])
    #expect(record.tags == [LogTag("attributes.thread", .string("main"))])
  }

  @Test func readsStructlog() throws {
    let sentence = try LineImporter.record(#"{"event":"user logged in","level":"info"}"#)
    #expect(sentence.message == "user logged in" && sentence.event == "imported")
    let name = try LineImporter.record(#"{"event":"user.login"}"#)
    #expect(name.message == "user.login" && name.event == "user.login")
    let both = try LineImporter.record(#"{"event":"user.login","message":"hello"}"#)
    #expect(both.message == "hello" && both.event == "user.login")
    let odd = try LineImporter.record(#"{"event":"two words","message":"hello"}"#)
    #expect(odd.event == "imported" && odd.tag("event") == .string("two words"))
  }

  // MARK: - Rules

  @Test func keysAreComparedByTheirLetters() throws {
    for key in ["severityText", "severity_text", "SeverityText", "SEVERITY-TEXT", "@severitytext"] {
      let record = try LineImporter.record(#"{"\#(key)":"error"}"#)
      #expect(record.level == .error, "\(key)")
      #expect(record.tags.isEmpty, "\(key)")
    }
  }

  @Test func nestedKeysAreReadAsDottedOnes() throws {
    let nested = try LineImporter.record(#"{"log":{"level":"warn","logger":"a.b"},"message":"m"}"#)
    let dotted = try LineImporter.record(#"{"log.level":"warn","log.logger":"a.b","message":"m"}"#)
    #expect(nested.level == .warning && nested.scopes == ["a/b"])
    #expect(nested == dotted)
  }

  @Test func aSecondValueForOnePartIsKeptIfItDiffers() throws {
    let same = try LineImporter.record(
      #"{"time":1767225600,"timestamp":"2026-01-01T00:00:00Z","level":"warn","levelno":30}"#)
    #expect(same.tags.isEmpty)
    let other = try LineImporter.record(#"{"timestamp":1767225601,"time":1767225600}"#)
    #expect(other.time == 1_767_225_600_000_000_000)
    #expect(other.tag("timestamp") == .int(1_767_225_601))
  }

  @Test func whatCannotBeReadGivesWayAndIsKept() throws {
    let record = try LineImporter.record(
      #"{"time":"noon","ts":1767225600,"level":[1],"msg":{"a":1}}"#)
    #expect(record.time == 1_767_225_600_000_000_000)
    #expect(record.tag("time") == .string("noon"))
    #expect(record.tag("msg.a") == .int(1))
    #expect(record.payloadText == #"{"level":[1]}"#)
    #expect(record.message == "")
  }

  @Test func nullSaysNothing() throws {
    let record = try LineImporter.record(#"{"level":null,"msg":null,"time":null,"user":null}"#)
    #expect(record.level == .info && record.message == "")
    #expect(record.tags == [LogTag("user", .json("null"))])
  }

  @Test func arraysGoIntoThePayloadToTheByte() throws {
    let record = try LineImporter.record(
      #"{"msg":"m","a":[1, 2.50],"b":{"c":{"d":[ ],"e":5},"f":[true]},"g":{},"h":{"i":[3]}}"#)
    #expect(
      record.payloadText == #"{"a":[1, 2.50],"b":{"c":{"d":[ ]},"f":[true]},"g":{},"h":{"i":[3]}}"#)
    #expect(record.tags == [LogTag("b.c.e", .int(5))])
  }

  @Test func numbersStayExact() throws {
    let record = try LineImporter.record(
      #"""
      {"int":-9223372036854775808,"big":9223372036854775808,"half":0.5,"zeros":1.10,"tenth":0.1,
      "long":0.12345678901234567890,"seventeen":0.30000000000000004,"huge":1e400,"exponent":1e3,
      "tiny":5e-324,"none":0.0}
      """#)
    #expect(record.tag("int") == .int(.min))
    #expect(record.tag("big") == .json("9223372036854775808"))
    #expect(record.tag("half") == .double(0.5))
    #expect(record.tag("zeros") == .double(1.1))
    #expect(record.tag("tenth") == .double(0.1))
    #expect(record.tag("long") == .json("0.12345678901234567890"))
    #expect(record.tag("seventeen") == .double(0.30000000000000004))
    #expect(record.tag("huge") == .json("1e400"))
    #expect(record.tag("exponent") == .double(1_000))
    #expect(record.tag("tiny") == .double(.leastNonzeroMagnitude))
    #expect(record.tag("none") == .double(0))
  }

  @Test func theLastOfEqualKeysCounts() throws {
    let record = try LineImporter.record(#"{"a":1,"b.c":2,"a":3,"b":{"c":4}}"#)
    #expect(record.tags == [LogTag("a", .int(3)), LogTag("b.c", .int(4))])
  }

  @Test func tagsAreBounded() throws {
    let members = (0..<200).map { #""k\#($0)":\#($0)"# }.joined(separator: ",")
    let long = String(repeating: "k", count: 257)
    let record = try LineImporter.record(#"{"\#(long)":1,\#(members)}"#)
    #expect(record.tags.count == 128)
    #expect(record.payloadText.hasPrefix(#"{"\#(long)":1,"k128":128,"#))
    #expect(record.payloadText.hasSuffix(#""k199":199}"#))
  }

  @Test func messagesMayBeOtherValues() throws {
    #expect(try LineImporter.record(#"{"msg":12.50}"#).message == "12.50")
    #expect(try LineImporter.record(#"{"msg":true}"#).message == "true")
    #expect(try LineImporter.record(#"{"msg":[256]}"#).payloadText == #"{"msg":[256]}"#)
    #expect(try LineImporter.record(#"{"msg":[1.0]}"#).message == "")
    #expect(try LineImporter.record(#"{"msg":"two\n\n"}"#).message == "two\n")
  }

  @Test func lineNumbersAreSplitFromFiles() throws {
    let both = try LineImporter.record(#"{"file":"a.go:7","line":9}"#)
    #expect(both.file == "a.go:7" && both.line == 9)
    let windows = try LineImporter.record(#"{"file":"C:\\a.c"}"#)
    #expect(windows.file == #"C:\a.c"# && windows.line == nil)
    let bare = try LineImporter.record(#"{"file":":7"}"#)
    #expect(bare.file == ":7" && bare.line == nil)
  }

  /// What only looks alike is not the same: nothing may be lost over it.
  @Test func textsAreComparedByTheirBytes() throws {
    let one = "caf\u{e9}"
    let other = "cafe\u{301}"
    let tags = try LineImporter.record(#"{"\#(one)":1,"\#(other)":2}"#)
    #expect(tags.tags.map(\.value) == [.int(1), .int(2)])
    let messages = try LineImporter.record(#"{"message":"\#(one)","msg":"\#(other)"}"#)
    #expect(messages.message.utf8.elementsEqual(one.utf8))
    #expect(messages.tags.map(\.key) == ["msg"])
    let objects = try LineImporter.record(#"{"\#(one)":{"a":[]},"\#(other)":{"b":[]}}"#)
    let payload = #"{"\#(one)":{"a":[]},"\#(other)":{"b":[]}}"#
    #expect(objects.payload == Array(payload.utf8))
    let levels = try LineImporter.record(#"{"level":"\#(one)","lvl":"\#(other)"}"#)
    #expect(levels.tags.map(\.key) == ["lvl"])
  }

  /// The accent takes one name's last letter with it and leaves the other's, so they mean different
  /// things, in whichever order they come.
  @Test func meaningsAreRememberedByBytes() throws {
    for names in [["fil\u{e9}", "file\u{301}"], ["file\u{301}", "fil\u{e9}"]] {
      var importer = LineImporter()
      let records = try names.map { try importer.record(#"{"\#($0)":"a.c"}"#) }
      for (name, record) in zip(names, records) {
        let isFile = name.unicodeScalars.count == 5
        #expect(record?.file == (isFile ? "a.c" : nil))
        #expect(record?.tags.count == (isFile ? 0 : 1))
      }
    }
  }

  /// As the document says: only tags are merged.
  @Test func equalKeysStayInAPayload() throws {
    let record = try LineImporter.record(#"{"a":[1],"t":0,"a":[2]}"#)
    #expect(record.payloadText == #"{"a":[1],"a":[2]}"#)
  }
}
