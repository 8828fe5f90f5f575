package import PQL

// Values as people read them: rounded where more digits only hide the number, and safe for a
// terminal.

extension Value {
  /// The value for a person, on one line. A time has its offset, because clocks show an hour twice.
  ///
  /// - Parameter timeDigits: digits of a second that are shown of a time.
  package func text(in zone: TimeZoneRules, timeDigits: Int = 3) -> String {
    switch self {
    case .double(let value): roundedText(value)
    case .duration(let value): durationText(value)
    case .time(let value): zone.text(value, digits: timeDigits)
    case .list(let values):
      values.map { $0.text(in: zone, timeDigits: timeDigits) }.joined(separator: ", ")
    default: description.terminalSafe
    }
  }

  /// Whether the value stands right in a table.
  var isNumber: Bool {
    switch self {
    case .int, .double, .duration, .size: true
    default: false
    }
  }

  /// Whether it is a time that a thousandth of a second does not tell from every other.
  var isFinerThanMilliseconds: Bool {
    if case .time(let time) = self { time % 1_000_000 != 0 } else { false }
  }

  /// Whether the value still says something when its end is cut off.
  var isCuttable: Bool {
    switch self {
    case .string, .json, .list, .uuid: true
    default: false
    }
  }
}

/// `2026-01-31 09:05:07.123` in the zone, without its offset: for people who know where they are.
package func timeText(_ time: Int64, in zone: TimeZoneRules) -> String {
  let day: Int64 = 86_400_000_000_000
  // At the very ends of 64 bits there is no room for the offset.
  let local = zone.local(time) ?? time
  let days = local / day - (local % day < 0 ? 1 : 0)
  return "\(CivilDate(dayNumber: days)) \(clockText(local &- days &* day, digits: 3))"
}

/// `1.23ms`, `12.3s`, `2m03s`, `3h05m`, `2d04h`: three digits, or two units.
package func durationText(_ nanoseconds: Int64) -> String {
  let sign = nanoseconds < 0 ? "-" : ""
  let value = nanoseconds.magnitude
  for (name, scale): (String, UInt64) in [("ns", 1), ("us", 1_000), ("ms", 1_000_000)]
  where value < scale * 1_000 {
    return sign + threeDigits(value, scale) + name
  }
  let seconds = value / 1_000_000_000
  func pair(_ large: UInt64, _ small: UInt64, _ units: (String, String)) -> String {
    "\(sign)\(large)\(units.0)\(small < 10 ? "0" : "")\(small)\(units.1)"
  }
  if seconds < 60 { return sign + threeDigits(value, 1_000_000_000) + "s" }
  if seconds < 3_600 { return pair(seconds / 60, seconds % 60, ("m", "s")) }
  if seconds < 86_400 { return pair(seconds / 3_600, seconds / 60 % 60, ("h", "m")) }
  return pair(seconds / 86_400, seconds / 3_600 % 24, ("d", "h"))
}

/// `value / scale` with three significant digits, cut off rather than rounded up into another unit.
private func threeDigits(_ value: UInt64, _ scale: UInt64) -> String {
  let whole = value / scale
  let thousandths = value % scale * 1_000 / scale
  let places = whole >= 100 ? 0 : whole >= 10 ? 1 : 2
  let digits = String(1_000 + thousandths).dropFirst().prefix(places)
  let fraction = digits.reversed().drop { $0 == "0" }.reversed()
  return fraction.isEmpty ? "\(whole)" : "\(whole).\(String(fraction))"
}

/// The number with six significant digits, so that the noise of sums and divisions does not show.
package func roundedText(_ value: Double) -> String {
  // So near to zero that there are fewer than six digits.
  guard value.isFinite, abs(value) > 1e-290 else { return value.description }
  var scale = 1.0
  while abs(value) * scale < 100_000 { scale *= 10 }
  // From six digits on nothing is cut.
  let rounded = scale == 1 ? value : (value * scale).rounded() / scale
  if rounded == rounded.rounded(), abs(rounded) <= 0x1p53 { return String(Int64(rounded)) }
  return rounded.description
}
