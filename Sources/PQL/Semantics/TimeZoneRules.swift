internal import SegmentIndex

/// The offsets from UTC of a place over time: all that the language needs to know of a time zone.
public struct TimeZoneRules: Sendable, Hashable {
  /// From `second` on the clocks show UTC plus `offset`.
  public struct Transition: Sendable, Hashable {
    /// Seconds since 1970, UTC.
    public var second: Int64
    /// Seconds east of UTC, less than a day.
    public var offset: Int32

    /// A change to `offset` at `second`.
    public init(second: Int64, offset: Int32) {
      self.second = second
      self.offset = offset
    }
  }

  /// The offset before the first transition, in seconds east of UTC.
  public let initialOffset: Int32
  /// The changes, in order of time.
  public let transitions: [Transition]

  /// Universal time.
  public static let utc = TimeZoneRules(initialOffset: 0)

  /// A zone with these rules. Offsets beyond a day are cut to it.
  public init(initialOffset: Int32, transitions: [Transition] = []) {
    func cut(_ offset: Int32) -> Int32 { min(max(offset, -86_399), 86_399) }
    self.initialOffset = cut(initialOffset)
    self.transitions = transitions.sorted { $0.second < $1.second }
      .map { Transition(second: $0.second, offset: cut($0.offset)) }
  }

  /// Seconds east of UTC at `time`, in nanoseconds since 1970.
  package func offset(at time: Int64) -> Int32 {
    let second = time.floorDivided(by: nanosecondsPerSecond)
    let next = transitions.indices.partitionPoint { transitions[$0].second <= second }
    return next == 0 ? initialOffset : transitions[next - 1].offset
  }

  /// What the clocks show at `time`: nanoseconds since 1970-01-01T00:00 local; nil past 64 bits.
  package func local(_ time: Int64) -> Int64? {
    time.adding(Int64(offset(at: time)) * nanosecondsPerSecond)
  }

  /// The first instant at which the clocks show `local` or later; nil past 64 bits.
  ///
  /// A time that the clocks skip is the instant of the skip; of a time that they show twice it is the
  /// first.
  package func time(ofLocal local: Int64) -> Int64? {
    var best: Int64?
    // The periods whose clocks can show it begin within a day of it.
    let second = local.floorDivided(by: nanosecondsPerSecond)
    let near = transitions.filter { ($0.second &- second).magnitude <= 2 * 86_400 }
    let before = transitions.last { $0.second < second - 2 * 86_400 }?.offset ?? initialOffset
    var starts: [(start: Int64?, offset: Int32)] = [(nil, before)]
    starts += near.map { ($0.second.multiplied(by: nanosecondsPerSecond), $0.offset) }
    for (index, period) in starts.enumerated() {
      guard var instant = local.adding(-Int64(period.offset) * nanosecondsPerSecond)
      else { continue }
      if let start = period.start { instant = max(instant, start) }
      if index + 1 < starts.count, let end = starts[index + 1].start, instant >= end { continue }
      best = min(best ?? instant, instant)
    }
    return best
  }

  /// The local midnight that begins the day of `time`, and the one `days` later. At the ends of what 64
  /// bits hold the days are cut to it.
  ///
  /// Once a day has begun it goes on: where clocks are set back over midnight, what they show again of the day before is
  /// part of the new one.
  package func days(_ days: Int64, from origin: Int64 = 0, around time: Int64) -> Range<Int64>? {
    let local = local(time) ?? (time < 0 ? .min : .max)
    let day = local.floorDivided(by: nanosecondsPerDay) - origin
    var first = day.floorDivided(by: days) * days + origin
    func beginning(of day: Int64) -> Int64? {
      day.multiplied(by: nanosecondsPerDay).flatMap(self.time(ofLocal:))
    }
    var start = beginning(of: first) ?? .min
    var end = beginning(of: first + days) ?? .max
    while end <= time, end < .max {
      first += days
      (start, end) = (end, beginning(of: first + days) ?? .max)
    }
    return start < end ? start..<end : nil
  }

  /// `2026-09-01T10:00:05.25+02:00`: the time on this zone's clocks, with its offset. `digits` are the
  /// places of the second; nil for as many as it has.
  package func text(_ time: Int64, digits: Int? = nil) -> String {
    let offset = offset(at: time)
    guard let local = local(time) else { return TimeZoneRules.utc.text(time, digits: digits) }
    return civilText(local, digits: digits) + offsetText(offset)
  }
}

let nanosecondsPerSecond: Int64 = 1_000_000_000
let nanosecondsPerDay: Int64 = 86_400_000_000_000
