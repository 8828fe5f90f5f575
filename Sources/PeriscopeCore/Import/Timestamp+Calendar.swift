internal import JournalKit
internal import PQL

extension Timestamp {
  /// Reads an ISO 8601 date and time in the variants that loggers write:
  ///
  ///     2026-01-31                        midnight
  ///     2026-01-31T09:05                  seconds may be absent
  ///     2026/01/31 09:05:07,123456789     slashes, a space, a comma
  ///     2026-01-31T09:05:07.1Z            Z, z or UTC
  ///     2026-01-31T09:05:07+05:30         also +0530 and +05
  ///
  /// Without an offset it is UTC. Digits finer than a nanosecond are cut off. A leap second is the
  /// second after it.
  package init?(calendar text: RawSpan) {
    var reader = CalendarReader(text)
    guard let days = reader.date() else { return nil }
    var seconds = days * 86_400
    var nanoseconds: Int64 = 0
    if !reader.isAtEnd {
      guard reader.skip("T") || reader.skip("t") || reader.skip(" "), let clock = reader.clock()
      else { return nil }
      seconds += clock.seconds
      nanoseconds = clock.nanoseconds
      guard let offset = reader.offset() else { return nil }
      seconds -= offset
    }
    guard reader.isAtEnd else { return nil }
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(nanoseconds)
    guard !overflow, !carry else { return nil }
    self.init(nanoseconds: sum)
  }
}

/// Reads the parts of a date and time, one after another.
private struct CalendarReader: ~Escapable {
  let text: RawSpan
  var at = 0

  @_lifetime(copy text)
  init(_ text: RawSpan) {
    self.text = text
  }

  var isAtEnd: Bool { at == text.byteCount }

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard at < text.byteCount, text[at] == UInt8(ascii: scalar) else { return false }
    at += 1
    return true
  }

  /// Exactly `count` digits.
  mutating func number(_ count: Int) -> Int64? {
    guard at + count <= text.byteCount else { return nil }
    var value: Int64 = 0
    for index in at..<at + count {
      let digit = text[index] &- 0x30
      guard digit < 10 else { return nil }
      value = value * 10 + Int64(digit)
    }
    at += count
    return value
  }

  /// `YYYY-MM-DD` or `YYYY/MM/DD`, as days since 1970.
  mutating func date() -> Int64? {
    guard let year = number(4) else { return nil }
    let separator: Unicode.Scalar = skip("/") ? "/" : "-"
    guard separator == "/" || skip("-"), let month = number(2), skip(separator),
      let day = number(2), (1...12).contains(month), day >= 1
    else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    // A day past the month's end comes back as another date.
    return CivilDate(dayNumber: date.dayNumber) == date ? date.dayNumber : nil
  }

  /// `hh:mm`, then perhaps `:ss` and a fraction.
  mutating func clock() -> (seconds: Int64, nanoseconds: Int64)? {
    guard let hour = number(2), hour < 24, skip(":"), let minute = number(2), minute < 60
    else { return nil }
    let seconds = hour * 3_600 + minute * 60
    guard skip(":") else { return (seconds, 0) }
    guard let second = number(2), second <= 60 else { return nil }
    guard skip(".") || skip(",") else { return (seconds + second, 0) }
    guard let nanoseconds = fraction() else { return nil }
    return (seconds + second, nanoseconds)
  }

  private mutating func fraction() -> Int64? {
    var nanoseconds: Int64 = 0
    var digits = 0
    while let digit = number(1) {
      if digits < 9 { nanoseconds = nanoseconds * 10 + digit }
      digits += 1
    }
    guard digits > 0 else { return nil }
    for _ in min(digits, 9)..<9 { nanoseconds *= 10 }
    return nanoseconds
  }

  /// How many seconds the clock is ahead of UTC; 0 at the end of the text.
  mutating func offset() -> Int64? {
    _ = skip(" ")
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    if skip("U") { return skip("T") && skip("C") ? 0 : nil }
    let isBehind = skip("-")
    guard isBehind || skip("+"), let hour = number(2), hour < 24 else { return nil }
    _ = skip(":")
    let minute = isAtEnd ? 0 : number(2)
    guard let minute, minute < 60 else { return nil }
    return (hour * 3_600 + minute * 60) * (isBehind ? -1 : 1)
  }
}
