/// A date of the proleptic Gregorian calendar.
package struct CivilDate: Equatable, Sendable {
  package var year: Int64
  package var month: Int64
  package var day: Int64

  package init(year: Int64, month: Int64, day: Int64) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The date `dayNumber` days after 1970-01-01.
  ///
  /// Years are counted from March, so that the leap day is the last of its year, in eras of 400 years
  /// (Howard Hinnant, "chrono-compatible low-level date algorithms").
  package init(dayNumber: Int64) {
    let shifted = dayNumber + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// Days since 1970-01-01.
  package var dayNumber: Int64 {
    let marchYear = month <= 2 ? year - 1 : year
    let era = marchYear.floorDivided(by: 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

extension CivilDate: CustomStringConvertible {
  /// `2026-09-01`.
  package var description: String { "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))" }
}

extension Int64 {
  /// The quotient rounded down; `divisor` is positive.
  func floorDivided(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }

  /// What `floorDivided(by:)` leaves: never negative.
  func floorRemainder(dividingBy divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}

/// `2026-09-01T10:00:05.25`: the date and time that a clock shows, `local` nanoseconds after it showed
/// 1970-01-01T00:00. The other parameters are those of `clockText`.
package func civilText(
  _ local: Int64, separator: Character = "T", digits: Int? = nil, showsSeconds: Bool = true
) -> String {
  let time = local.floorRemainder(dividingBy: nanosecondsPerDay)
  return "\(CivilDate(dayNumber: local.floorDivided(by: nanosecondsPerDay)))\(separator)"
    + clockText(time, digits: digits, showsSeconds: showsSeconds)
}

/// `10:00`, `10:00:05` or `10:00:05.25`: the time of day at `nanoseconds` after midnight.
///
/// - Parameters:
///   - digits: how many places of the second to write; nil for as many as it has.
///   - showsSeconds: whether seconds are written even when they are zero.
package func clockText(
  _ nanoseconds: Int64, digits: Int? = nil, showsSeconds: Bool = true
) -> String {
  let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
  var text = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2))"
  guard showsSeconds || seconds % 60 != 0 || fraction != 0 else { return text }
  text += ":\(padded(seconds % 60, 2))"
  var places = padded(fraction, 9)
  if let digits {
    places = String(places.prefix(digits))
  } else {
    while places.last == "0" { places.removeLast() }
  }
  return places.isEmpty ? text : text + "." + places
}

/// `Z`, `+02:00` or `-07:30`.
package func offsetText(_ seconds: Int32) -> String {
  guard seconds != 0 else { return "Z" }
  let minutes = Int64(seconds.magnitude / 60)
  return "\(seconds < 0 ? "-" : "+")\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))"
}

/// The number in at least `width` digits.
private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
