/// A date, or a date and a time of day, as a query writes it.
///
/// Without an offset it means the query's time zone, which only the one who runs the query knows; so it
/// stays civil until it is bound.
package struct TimeLiteral: Sendable, Hashable {
  /// Nanoseconds since 1970-01-01T00:00 on the literal's own clock.
  package let local: Int64
  /// Seconds east of UTC, when the literal says so.
  package let offset: Int32?

  /// The moment `nanoseconds` after 1970, UTC. The first and the last second that 64 bits hold have no
  /// spelling; moments in them are moved out of them.
  init(nanoseconds: Int64) {
    local = min(max(nanoseconds, Self.first), -Self.first)
    offset = 0
  }

  private static let first: Int64 = -9_223_372_036_000_000_000

  /// The length of the time at the front of `bytes`, by form alone: `2026-09-01`, then optionally
  /// `T10:00`, `:00`, `.123456789`, and `Z` or `+02:00`.
  static func length(in bytes: ArraySlice<UInt8>) -> Int? {
    var scanner = Scanner(bytes)
    guard scanner.take("dddd-dd-dd") else { return nil }
    guard scanner.take("Tdd:dd") else { return scanner.taken }
    if scanner.take(":dd") {
      _ = scanner.takeFraction()
    }
    if !scanner.take("Z"), !scanner.take("+dd:dd") {
      _ = scanner.take("-dd:dd")
    }
    return scanner.taken
  }

  /// Reads a text of that form; nil when there is no such date or it does not fit 64 bits.
  package init?(_ text: String) {
    var scanner = Scanner(Array(text.utf8)[...])
    guard scanner.take("dddd-dd-dd"), let days = Self.days(scanner.numbers) else { return nil }
    var clock: [Int64] = [0, 0, 0]
    var fraction: Int64 = 0
    var offset: Int32?
    if scanner.take("Tdd:dd") {
      clock = [scanner.numbers[3], scanner.numbers[4], 0]
      if scanner.take(":dd") {
        clock[2] = scanner.numbers[5]
        fraction = scanner.takeFraction() ?? 0
      }
      offset = scanner.takeOffset()
    }
    guard scanner.isAtEnd, clock[0] < 24, clock[1] < 60, clock[2] < 60 else { return nil }
    let seconds = days * 86_400 + clock[0] * 3_600 + clock[1] * 60 + clock[2]
    guard let local = seconds.multiplied(by: 1_000_000_000)?.adding(fraction),
      local.adding(-Int64(offset ?? 0) * 1_000_000_000) != nil
    else { return nil }
    self.local = local
    self.offset = offset
  }

  /// Days since 1970-01-01 of [year, month, day]; nil when the calendar has no such day.
  private static func days(_ numbers: [Int64]) -> Int64? {
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    guard 1...12 ~= month, day >= 1 else { return nil }
    let date = CivilDate(year: year, month: month, day: day)
    // A day past the month's end comes back as another date.
    return CivilDate(dayNumber: date.dayNumber) == date ? date.dayNumber : nil
  }
}

extension TimeLiteral: CustomStringConvertible {
  /// The canonical spelling: no more precision than needed, and no offset that was not there.
  package var description: String {
    guard let offset else {
      let isMidnight = local.floorRemainder(dividingBy: nanosecondsPerDay) == 0
      return isMidnight
        ? CivilDate(dayNumber: local.floorDivided(by: nanosecondsPerDay)).description
        : civilText(local, showsSeconds: false)
    }
    return civilText(local, showsSeconds: false) + offsetText(offset)
  }
}

/// Takes digits by a small pattern and remembers the numbers.
private struct Scanner {
  private let start: Int
  private var rest: ArraySlice<UInt8>
  private(set) var numbers: [Int64] = []

  init(_ bytes: ArraySlice<UInt8>) {
    start = bytes.startIndex
    rest = bytes
  }

  var taken: Int { rest.startIndex - start }
  var isAtEnd: Bool { rest.isEmpty }

  /// Takes text of the form `pattern`, in which each run of `d` is a number of that many digits; takes
  /// nothing when the text differs.
  mutating func take(_ pattern: StaticString) -> Bool {
    let form = Array(pattern.description.utf8)
    guard rest.count >= form.count else { return false }
    var found: [Int64] = []
    var inNumber = false
    for (index, sign) in form.enumerated() {
      let byte = rest[rest.startIndex + index]
      guard sign == UInt8(ascii: "d") else {
        guard sign == byte else { return false }
        inNumber = false
        continue
      }
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return false }
      if !inNumber { found.append(0) }
      inNumber = true
      found[found.count - 1] = found[found.count - 1] * 10 + Int64(byte - UInt8(ascii: "0"))
    }
    numbers += found
    rest.removeFirst(form.count)
    return true
  }

  /// Takes `.` and one to nine digits; the result is in nanoseconds.
  mutating func takeFraction() -> Int64? {
    guard rest.first == UInt8(ascii: ".") else { return nil }
    let digits = rest.dropFirst().prefix(9).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    guard !digits.isEmpty else { return nil }
    rest.removeFirst(digits.count + 1)
    let value = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    return (digits.count..<9).reduce(value) { scaled, _ in scaled * 10 }
  }

  /// Takes `Z` or an offset of less than a day; the result is in seconds.
  mutating func takeOffset() -> Int32? {
    if take("Z") { return 0 }
    let before = rest
    let sign: Int32 = take("+dd:dd") ? 1 : take("-dd:dd") ? -1 : 0
    guard sign != 0 else { return nil }
    let parts = numbers.suffix(2).map(Int32.init)
    guard parts[0] < 24, parts[1] < 60 else {
      rest = before
      return nil
    }
    return sign * (parts[0] * 3_600 + parts[1] * 60)
  }
}
