internal import PQL

/// A zone's rule for every year, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule {
  /// Seconds east of UTC in standard time.
  let offset: Int32
  /// Summer time, if there is one.
  let daylight: Daylight?

  struct Daylight {
    let offset: Int32
    let start: Change
    let end: Change
  }

  /// When clocks change: a day of the year and seconds from its midnight.
  struct Change {
    enum Day {
      /// `J60`: a day of 1 to 365 that never counts February 29.
      case julian(Int64)
      /// `59`: a day of 0 to 365.
      case ordinal(Int64)
      /// `M10.5.0`: the n-th weekday of a month, 5 for the last; Sunday is 0.
      case weekday(month: Int64, week: Int64, day: Int64)
    }

    let day: Day
    /// From -167 to 167 hours.
    let second: Int64
  }

  /// Reads a rule; nil when the text is none.
  init?(_ text: [UInt8]) {
    var reader = RuleReader(rest: text[...])
    guard reader.skipName(), let west = reader.clock(hourLimit: 24) else { return nil }
    offset = Int32(-west)
    guard !reader.rest.isEmpty else {
      daylight = nil
      return
    }
    guard reader.skipName() else { return nil }
    var summer = offset + 3_600
    if reader.rest.first != UInt8(ascii: ",") {
      guard let west = reader.clock(hourLimit: 24) else { return nil }
      summer = Int32(-west)
    }
    guard let start = reader.change(), let end = reader.change(), reader.rest.isEmpty
    else { return nil }
    daylight = Daylight(offset: summer, start: start, end: end)
  }

  /// The changes of a year.
  func transitions(in year: Int64) -> [TimeZoneRules.Transition] {
    guard let daylight else { return [] }
    // The clock that shows the time of a change is the one before it.
    return [
      .init(second: daylight.start.second(in: year) - Int64(offset), offset: daylight.offset),
      .init(second: daylight.end.second(in: year) - Int64(daylight.offset), offset: offset),
    ]
  }
}

extension ZoneRule.Change {
  /// When a clock that runs through the year shows it, in seconds since 1970.
  func second(in year: Int64) -> Int64 {
    let newYear = CivilDate(year: year, month: 1, day: 1).dayNumber
    let dayNumber: Int64
    switch day {
    case .ordinal(let day): dayNumber = newYear + day
    case .julian(let day):
      let hasLeapDay = CivilDate(year: year, month: 3, day: 1).dayNumber - newYear == 60
      dayNumber = newYear + day - 1 + (hasLeapDay && day >= 60 ? 1 : 0)
    case .weekday(let month, let week, let day):
      let first = CivilDate(year: year, month: month, day: 1).dayNumber
      let next =
        month == 12
        ? CivilDate(year: year + 1, month: 1, day: 1).dayNumber
        : CivilDate(year: year, month: month + 1, day: 1).dayNumber
      // 1970-01-01 was a Thursday. Years here are after 1600, so days that matter are not far below zero.
      let weekday = ((first + 4) % 7 + 7) % 7
      var found = first + (day - weekday + 7) % 7 + (week - 1) * 7
      while found >= next { found -= 7 }
      dayNumber = found
    }
    return dayNumber * 86_400 + second
  }
}

/// Reads the parts of a rule, one after another.
private struct RuleReader {
  var rest: ArraySlice<UInt8>

  mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: scalar) else { return false }
    rest.removeFirst()
    return true
  }

  /// A zone's abbreviation: three letters or more, or anything in `<>`.
  mutating func skipName() -> Bool {
    if skip("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return false }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    rest.removeFirst(name.count)
    return name.count >= 3
  }

  mutating func number(atMost limit: Int64) -> Int64? {
    let digits = rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard 1...3 ~= digits.count else { return nil }
    rest.removeFirst(digits.count)
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return value <= limit ? value : nil
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func clock(hourLimit: Int64) -> Int64? {
    let isNegative = skip("-")
    if !isNegative { _ = skip("+") }
    guard let hour = number(atMost: hourLimit) else { return nil }
    var second = hour * 3_600
    for unit in [60, 1] as [Int64] {
      guard skip(":") else { break }
      guard let part = number(atMost: 59) else { return nil }
      second += part * unit
    }
    return isNegative ? -second : second
  }

  /// `,M10.5.0/3`: a comma, a day, and perhaps a time.
  mutating func change() -> ZoneRule.Change? {
    guard skip(","), let day = day() else { return nil }
    guard skip("/") else { return ZoneRule.Change(day: day, second: 7_200) }
    guard let second = clock(hourLimit: 167) else { return nil }
    return ZoneRule.Change(day: day, second: second)
  }

  private mutating func day() -> ZoneRule.Change.Day? {
    if skip("M") {
      guard let month = number(atMost: 12), month > 0, skip("."),
        let week = number(atMost: 5), week > 0, skip("."), let day = number(atMost: 6)
      else { return nil }
      return .weekday(month: month, week: week, day: day)
    }
    guard skip("J") else { return number(atMost: 365).map { .ordinal($0) } }
    guard let day = number(atMost: 365), day > 0 else { return nil }
    return .julian(day)
  }
}
