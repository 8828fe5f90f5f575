import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct ValueTextTests {
  @Test(arguments: [
    (0, "0ns"), (999, "999ns"), (1_000, "1us"), (1_234, "1.23us"), (12_345, "12.3us"),
    (123_456, "123us"), (999_999, "999us"), (1_500_000, "1.5ms"), (999_999_999, "999ms"),
    (1_000_000_000, "1s"), (59_999_000_000, "59.9s"), (60_000_000_000, "1m00s"),
    (125_000_000_000, "2m05s"), (3_600_000_000_000, "1h00m"), (90_000_000_000_000, "1d01h"),
    (-1_500_000, "-1.5ms"), (Int64.min, "-106751d23h"), (Int64.max, "106751d23h"),
  ])
  func durationsHaveThreeDigitsOrTwoUnits(nanoseconds: Int64, text: String) {
    #expect(durationText(nanoseconds) == text)
  }

  @Test(arguments: [
    (0, "0.0"), (1, "1"), (-2.5, "-2.5"), (0.1 + 0.2, "0.3"), (1.0 / 3, "0.333333"),
    (123_456.789, "123456.789"), (1e20, "1e+20"), (1e-7, "1e-07"), (66.66666, "66.6667"),
    (Double.nan, "nan"), (.infinity, "inf"), (.leastNonzeroMagnitude, "5e-324"),
    (1e15, "1000000000000000"),
  ])
  func doublesAreRounded(value: Double, text: String) {
    #expect(roundedText(value) == text)
  }

  @Test func timesAreInTheirZone() {
    let zone = TimeZoneRules(initialOffset: -3_600)
    #expect(timeText(0, in: zone) == "1969-12-31 23:00:00.000")
    #expect(timeText(1_767_225_600_123_999_999, in: .utc) == "2026-01-01 00:00:00.123")
    #expect(timeText(.min, in: zone) == "1677-09-21 00:12:43.145")
    #expect(timeText(.max, in: .utc) == "2262-04-11 23:47:16.854")
  }

  @Test func valuesAreSafe() {
    #expect(Value.string("a\u{1b}b").text(in: .utc) == #"a\u{1b}b"#)
    #expect(Value.list([.string("a\n"), .int(1)]).text(in: .utc) == #"a\n, 1"#)
    #expect(Value.level(.error).text(in: .utc) == "error")
    #expect(Value.size(10_240).text(in: .utc) == "10KiB")
  }
}
