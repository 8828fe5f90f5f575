import JournalKit
import PQL
import PeriscopeCore
import TestSupport
import Testing

@Suite struct TimestampTests {
  static func read(_ text: String, _ unit: Timestamp.Unit? = nil) -> Int64? {
    Timestamp(text: Array(text.utf8).rawSpan, unit: unit)?.nanoseconds
  }

  @Test(arguments: [
    ("2026-01-31", 1_769_817_600_000_000_000),
    ("2026-01-31T09:05", 1_769_850_300_000_000_000),
    ("2026-01-31T09:05:07", 1_769_850_307_000_000_000),
    ("2026-01-31t09:05:07z", 1_769_850_307_000_000_000),
    ("2026-01-31 09:05:07", 1_769_850_307_000_000_000),
    ("2026/01/31 09:05:07,5", 1_769_850_307_500_000_000),
    ("2026-01-31T09:05:07.123456789Z", 1_769_850_307_123_456_789),
    ("2026-01-31T09:05:07.1234567899999Z", 1_769_850_307_123_456_789),
    ("2026-01-31T09:05:07 UTC", 1_769_850_307_000_000_000),
    ("2026-01-31T09:05:07+05:30", 1_769_830_507_000_000_000),
    ("2026-01-31T09:05:07+0530", 1_769_830_507_000_000_000),
    ("2026-01-31T09:05:07 -01", 1_769_853_907_000_000_000),
    // A leap day, a leap second, and times before 1970.
    ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000),
    ("1969-12-31T23:59:59.75Z", -250_000_000),
    ("1677-09-21T00:12:44Z", -9_223_372_036_000_000_000),
    ("2262-04-11T23:47:16.854775807Z", .max),
  ])
  func readsCalendarTimes(text: String, nanoseconds: Int64) {
    #expect(Self.read(text) == nanoseconds)
  }

  @Test(arguments: [
    // By the number's size: up to 11 digits are seconds, then milliseconds, microseconds,
    // nanoseconds.
    ("1767225600", 1_767_225_600_000_000_000),
    ("1767225600123", 1_767_225_600_123_000_000),
    ("1767225600123456", 1_767_225_600_123_456_000),
    ("1767225600123456789", 1_767_225_600_123_456_789),
    ("99999999", 99_999_999_000_000_000),
    ("100000000000", 100_000_000_000_000_000),
    ("0", 0),
    ("-1", -1_000_000_000),
    // A double would make …456 of this fraction's …457.
    ("1767225600.123456457", 1_767_225_600_123_456_457),
    ("1767225600123.456789", 1_767_225_600_123_456_789),
    ("1767225600.1234567899", 1_767_225_600_123_456_789),
    ("1.7672256e9", 1_767_225_600_000_000_000),
    ("1.767225600123E+12", 1_767_225_600_123_000_000),
    ("17672256000e-1", 1_767_225_600_000_000_000),
    ("0.000000001", 1),
    ("0.0000000000000000000000001", 0),
    // Zeros after the nineteenth digit still count.
    ("1767225600.1234567890000000000000", 1_767_225_600_123_456_789),
  ])
  func readsEpochNumbers(text: String, nanoseconds: Int64) {
    #expect(Self.read(text) == nanoseconds)
  }

  @Test func readsEpochNumbersInAKnownUnit() {
    #expect(Self.read("5", .nanoseconds) == 5)
    #expect(Self.read("5", .microseconds) == 5_000)
    #expect(Self.read("5", .milliseconds) == 5_000_000)
    #expect(Self.read("5", .seconds) == 5_000_000_000)
    #expect(Self.read("2026-01-31", .microseconds) == 1_769_817_600_000_000_000)
  }

  @Test(arguments: [
    "", "-", ".", "e5", "1e", "1e+", "1x", "+1", " 1", "1 ", "1.2.3", "NaN",
    "2026", "2026-1-31", "2026-13-01", "2026-00-01", "2026-02-29", "2026-01-00", "2026-01-32",
    "2026-01/31", "2026-01-31T", "2026-01-31T24:00", "2026-01-31T09:60", "2026-01-31T09:05:61",
    "2026-01-31T09:05:07.", "2026-01-31T09:05:07+", "2026-01-31T09:05:07+24",
    "2026-01-31T09:05:07+05:60", "2026-01-31T09:05:07+05:3", "2026-01-31T09:05:07Zulu",
    "2026-01-31T09:05:07 U", "26-01-31", "12/31/2026",
    // Out of the range of 64 bits.
    "1e999", "9223372036854775808", "99999999999", "2262-04-11T23:47:17Z", "0001-01-01",
  ])
  func refusesWhatIsNoTime(text: String) {
    // "2026" alone is a number of seconds, not a year.
    #expect(text == "2026" ? Self.read(text) == 2_026_000_000_000 : Self.read(text) == nil)
  }

  @Test func readsWhatQueriesPrint() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<2_000 {
      // The text of a time before year 1678's first second needs a second that 64 bits cannot hold.
      let time = Int64.random(in: .min + 1_000_000_000 ... .max, using: &random)
      #expect(Self.read(TimeZoneRules.utc.text(time, digits: 9)) == time, "\(random)")
    }
  }
}
