import JournalKit
import SegmentIndex
import Testing

@Suite struct JSONWriterTests {
  @Test func putsCommasWhereTheyBelong() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("a")
    writer.beginArray()
    writer.value(Int64.min)
    writer.value(UInt64.max)
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.endArray()
    writer.null()
    writer.endArray()
    writer.key("b")
    writer.raw(Array("[1]".utf8))
    writer.key("c")
    writer.raw(Array("2".utf8).rawSpan)
    writer.key("")
    writer.value(true)
    writer.endObject()
    let expected =
      #"{"a":[-9223372036854775808,18446744073709551615,{},[],null],"b":[1],"c":2,"":true}"#
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
  }

  @Test func appendsToWhatIsThere() {
    var writer = JSONWriter()
    writer.bytes = Array("x ".utf8)
    writer.value("\u{1}")
    #expect(writer.bytes == Array(#"x "\u0001""#.utf8))
  }

  @Test(
    arguments: [
      (0, "0.0"), (-0.0, "-0.0"), (1.5, "1.5"), (1e100, "1e+100"),
      (.leastNonzeroMagnitude, "5e-324"),
      (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, #""NaN""#),
      (.infinity, #""Infinity""#), (-.infinity, #""-Infinity""#),
    ] as [(Double, String)])
  func writesDoubles(_ value: Double, _ text: String) {
    var writer = JSONWriter()
    writer.value(value)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
  }

  @Test func escapesWhatMustBeEscapedAndNothingElse() {
    var writer = JSONWriter()
    writer.value(String(decoding: UInt8(0)...127, as: UTF8.self) + "é\u{2028}😀")
    let expected =
      #""\u0000\u0001\u0002\u0003\u0004\u0005\u0006\u0007\b\t\n\u000b\f\r\u000e\u000f\u0010\u0011\u0012\u0013"#
      + #"\u0014\u0015\u0016\u0017\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f !\"#
      + "\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ["
      + #"\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"# + "\u{7f}é\u{2028}😀\""
    #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
  }
}
