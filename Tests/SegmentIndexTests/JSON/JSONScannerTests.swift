import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// Reads `text` as one whole document.
func parse(_ text: String, depthLimit: Int = 64) throws(JSONError) -> JSONValue {
  try parse(Array(text.utf8), depthLimit: depthLimit)
}

func parse(_ bytes: [UInt8], depthLimit: Int = 64) throws(JSONError) -> JSONValue {
  var scanner = JSONScanner(bytes.rawSpan, depthLimit: depthLimit)
  let value = try scanner.readValue()
  try scanner.finish()
  return value
}

/// Skips `bytes` as one whole document.
func skip(_ bytes: [UInt8], depthLimit: Int = 64) throws(JSONError) -> Range<Int> {
  var scanner = JSONScanner(bytes.rawSpan, depthLimit: depthLimit)
  let range = try scanner.skipValue()
  try scanner.finish()
  return range
}

@Suite struct JSONScannerTests {
  @Test(
    arguments: [
      ("null", .null), ("true", .bool(true)), ("false", .bool(false)), (" \t\r\n1 ", .int(1)),
      ("0", .int(0)), ("-0", .int(0)), ("9223372036854775807", .int(.max)),
      ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .double(9_223_372_036_854_775_808)),
      ("-9223372036854775809", .double(-9_223_372_036_854_775_808)),
      ("18446744073709551616", .double(18_446_744_073_709_551_616)), ("-0.0", .double(-0.0)),
      ("1.0", .double(1)), ("0.1", .double(0.1)), ("1e2", .double(100)), ("1E+2", .double(100)),
      ("12.5e-1", .double(1.25)), ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1e400", .double(.infinity)),
      ("-1e99999999999999999999", .double(-.infinity)), ("1e-99999999999999999999", .double(0)),
      ("0e99999", .double(0)),
      ("123456789012345678901234567890.5e-10", .double(12345678901234567890.12)),
      (#""""#, .string("")), (#""a\"\\\/\b\f\n\r\tz""#, .string("a\"\\/\u{8}\u{c}\n\r\tz")),
      (#""\u0041\u00e9\u20AC\ud83d\ude00\u0000""#, .string("Aé€😀\0")),
      (#""é😀\#u{7f}""#, .string("é😀\u{7f}")),
      ("[]", .array([])), ("[ ]", .array([])), ("{}", .object([])), ("{ }", .object([])),
      ("[1,[2,{}],3]", .array([.int(1), .array([.int(2), .object([])]), .int(3)])),
      (
        #"{ "a" : 1 , "a" : null , "" : [ true ] }"#,
        .object([.init("a", .int(1)), .init("a", .null), .init("", .array([.bool(true)]))])
      ),
    ] as [(String, JSONValue)])
  func accepts(_ text: String, _ value: JSONValue) throws {
    #expect(try parse(text) == value)
    let skipped = try skip(Array(text.utf8))
    #expect(
      skipped.lowerBound
        == text.utf8.firstIndex { !" \t\r\n".utf8.contains($0) }.map {
          text.utf8.distance(from: text.startIndex, to: $0)
        })
  }

  @Test(arguments: [
    ("", 0), (" ", 1), ("nul", 0), ("nulL", 0), ("True", 0), ("tru", 0), ("nullx", 4), ("1 2", 2),
    ("01", 0), ("-01", 1), ("-", 1), ("+1", 0), ("1.", 2), (".5", 0), ("1e", 2), ("1e+", 3),
    ("0x1", 1),
    ("NaN", 0), ("Infinity", 0), ("\"", 1), ("\"a", 2), (#""\"#, 1), (#""\x""#, 1), (#""\u12""#, 1),
    (#""\u12G4""#, 1), (#""\u+123""#, 1), ("\"\n\"", 1), ("\"1234567\u{1f}\"", 8), ("\"\0\"", 1),
    ("[", 1), ("[1", 2),
    ("[1,", 3), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("[1}", 2), ("]", 0), ("{", 1),
    ("{\"a\"", 4),
    ("{\"a\":", 5), ("{\"a\":1", 6), ("{\"a\":1,}", 7), ("{a:1}", 1), ("{\"a\" 1}", 5),
    ("{\"a\":1]", 6), ("{,}", 1), ("{1:2}", 1), ("{\"a\":}", 5), ("'a'", 0), ("[1]]", 3),
    ("// c\n1", 0), ("\u{feff}1", 0), ("\u{a0}1", 0),
  ])
  func rejects(_ text: String, _ offset: Int) {
    let read = #expect(throws: JSONError.self) { try parse(text) }
    #expect(read?.offset == offset)
    let skipped = #expect(throws: JSONError.self) { try skip(Array(text.utf8)) }
    #expect(skipped == read)
  }

  @Test func repairsBadTextInsteadOfLosingTheLine() throws {
    #expect(try parse(#""a\ud800b""#) == .string("a\u{fffd}b"))
    #expect(try parse(#""\udc00\ud800""#) == .string("\u{fffd}\u{fffd}"))
    #expect(try parse(#""\ud800\ud83d\ude00""#) == .string("\u{fffd}😀"))
    #expect(try parse(#""\ud800\n""#) == .string("\u{fffd}\n"))
    #expect(try parse([0x22, 0x61, 0xff, 0xc3, 0x28, 0x22]) == .string("a\u{fffd}\u{fffd}("))
    #expect(try skip([0x22, 0xff, 0x22]) == 0..<3)
  }

  @Test func depthIsLimitedAtEveryLimit() throws {
    for limit in [0, 1, 2, 64, 512] {
      for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
        let fits =
          String(repeating: open, count: limit) + "1" + String(repeating: close, count: limit)
        #expect(throws: Never.self) { try parse(fits, depthLimit: limit) }
        #expect(throws: Never.self) { try skip(Array(fits.utf8), depthLimit: limit) }
        let error = #expect(throws: JSONError.self) { try parse(open + fits, depthLimit: limit) }
        #expect(error?.reason == "nested too deeply")
      }
    }
    let siblings = "[" + String(repeating: "[],", count: 1000) + "[]]"
    #expect(try skip(Array(siblings.utf8), depthLimit: 2).count == siblings.utf8.count)
  }

  @Test func aHundredThousandBracketsAreAnErrorAndNotAStackOverflow() {
    for open in ["[", "{\"\":"] {
      let text = String(repeating: open, count: 100_000)
      #expect(throws: JSONError.self) { try parse(text, depthLimit: 512) }
      #expect(throws: JSONError.self) { try skip(Array(text.utf8), depthLimit: 512) }
    }
  }

  @Test func longNumbersAreRoundedCorrectly() throws {
    let digits = String(repeating: "9", count: 100_000)
    #expect(try parse(digits) == .double(.infinity))
    #expect(try parse("0." + digits) == .double(1))
    #expect(try parse("-0." + String(repeating: "0", count: 100_000)) == .double(-0.0))
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let significand = UInt64.random(
        in: 0...UInt64.max >> UInt64.random(in: 0...63, using: &random), using: &random)
      let text = "\(significand)e\(Int.random(in: -40...40, using: &random))"
      #expect(try parse(text) == Double(text).map { .double($0) }, "\(text)")
    }
  }

  @Test func typedReadsRefuseOtherKinds() throws {
    func fails(_ text: String, _ read: (inout JSONScanner) throws(JSONError) -> Void) -> Bool {
      let bytes = Array(text.utf8)
      var scanner = JSONScanner(bytes.rawSpan)
      do { try read(&scanner) } catch { return true }
      return false
    }
    for text in ["{}", "[]", "\"s\"", "1.5", "true", "null", ""] {
      #expect(fails(text) { (s) throws(JSONError) in _ = try s.readInt() })
      #expect(fails(text) { (s) throws(JSONError) in _ = try s.readString() } == (text != "\"s\""))
      #expect(fails(text) { (s) throws(JSONError) in _ = try s.readDouble() } == (text != "1.5"))
      #expect(fails(text) { (s) throws(JSONError) in _ = try s.readBool() } == (text != "true"))
      #expect(fails(text) { (s) throws(JSONError) in try s.readNull() } == (text != "null"))
      #expect(fails(text) { (s) throws(JSONError) in try s.enterObject() } == (text != "{}"))
      #expect(fails(text) { (s) throws(JSONError) in try s.enterArray() } == (text != "[]"))
    }
    #expect(!fails("7") { (s) throws(JSONError) in _ = try s.readDouble() })
  }

  @Test func peekingAndSkippingLeaveTheCallerInCharge() throws {
    let bytes = Array(#" {"a":[1,{"b":"]"}], "n\u0061me" : "x", "z":-1.5e3}"#.utf8)
    var scanner = JSONScanner(bytes.rawSpan)
    #expect(try scanner.peek() == .object)
    try scanner.enterObject()
    #expect(try scanner.nextKey() == "a")
    #expect(try scanner.peek() == .array)
    let skipped = try scanner.skipValue()
    #expect(String(decoding: bytes[skipped], as: UTF8.self) == #"[1,{"b":"]"}]"#)
    let key = try #require(try scanner.nextKeyRange())
    let matches = ["name", "nam", "names", #"n\u0061me"#, ""].map { scanner.key(key, is: $0) }
    #expect(matches == [true, false, false, false, false])
    #expect(try scanner.peek() == .string)
    #expect(try scanner.readString() == "x")
    let last = try #require(try scanner.nextKeyRange())
    let lastMatches = ["z", "y", "zz", ""].map { scanner.key(last, is: $0) }
    #expect(lastMatches == [true, false, false, false])
    #expect(try scanner.peek() == .number)
    #expect(try scanner.readNumber() == .double(-1500))
    #expect(try scanner.nextKey() == nil)
    #expect(try scanner.peek() == .end)
    #expect(scanner.offset == bytes.count)
    try scanner.finish()
  }

  /// Numbers are skipped without being read; whatever follows, both must agree on what is one and where it ends.
  @Test func numbersAreReadAndSkippedAlike() {
    var random = SeededRandom(seed: 17)
    let pieces = ["0", "1", "9", "12345678", "00", "-", ".", "e", "E", "+", "5", "1234567"]
    for round in 0..<6_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        text += pieces.randomElement(using: &random) ?? "0"
      }
      let padding = String(repeating: [" ", ",", "0", "}"][round % 4], count: round % 30)
      let bytes = Array((text + padding).utf8)
      var reader = JSONScanner(bytes.rawSpan)
      var skipper = JSONScanner(bytes.rawSpan)
      let number = Result { () throws(JSONError) in try reader.readNumber() }
      let range = Result { () throws(JSONError) in try skipper.skipValue() }
      switch (number, range) {
      case (.success(let number), .success(let range)):
        #expect(range == 0..<reader.offset, "\(text)\(padding)")
        let spelled = String(decoding: bytes[range], as: UTF8.self)
        switch number {
        case .int(let value): #expect(Int64(spelled) == value, "\(spelled)")
        case .double(let value): #expect(Double(spelled) == value, "\(spelled)")
        }
      case (.failure, .failure): break
      default: Issue.record("\(text)\(padding): read and skip disagree")
      }
    }
  }
}
