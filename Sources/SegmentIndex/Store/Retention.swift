/// How much a store keeps. What is beyond it goes a segment at a time, the oldest first.
///
/// The clock of a device may be wrong for a while. So age alone never takes the newest part of a store,
/// and records of the future are held to be as old as what joined the store after them.
public struct Retention: Sendable, Equatable {
  /// Records older than this go, as soon as all others in their segment are as old. Nil, the default, is no limit.
  public var maximumAge: Duration?
  /// The most bytes that all segments may take together, with the files that are attached to their records; the newest
  /// segment stays whatever it takes. Nil is no limit.
  public var maximumByteCount: UInt64?
  /// The most records; the newest segment stays whatever it holds. Nil is no limit.
  public var maximumRecordCount: UInt64?
  /// The bytes of newest segments that no age takes, so that a clock which runs ahead does not cost everything.
  /// 16 MiB by default.
  public var protectedByteCount: UInt64 = 16 << 20

  /// Keeps everything within these limits.
  public init(
    maximumAge: Duration? = nil, maximumByteCount: UInt64? = nil, maximumRecordCount: UInt64? = nil
  ) {
    self.maximumAge = maximumAge
    self.maximumByteCount = maximumByteCount
    self.maximumRecordCount = maximumRecordCount
  }

  /// Keeps everything.
  public static let unlimited = Retention()
}

extension Retention {
  private static let nanosecondsPerHour: Int64 = 3_600_000_000_000

  /// The width of the stretches of time within which segments are merged, in nanoseconds: the narrower, the nearer
  /// to its age a record goes. A sixteenth of the age, at least an hour and at most a day.
  var bucketWidth: Int64 {
    guard let age = maximumAgeNanoseconds else { return 24 * Self.nanosecondsPerHour }
    return min(max(age / 16, Self.nanosecondsPerHour), 24 * Self.nanosecondsPerHour)
  }

  private var maximumAgeNanoseconds: Int64? {
    maximumAge.map { age in
      let (seconds, attoseconds) = age.components
      let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
      guard !overflow, nanoseconds < Int64.max - 1_000_000_000 else { return .max }
      return max(nanoseconds + attoseconds / 1_000_000_000, 0)
    }
  }

  /// The segments of `entries`, which are in the order in which they joined the store, that are beyond the limits at
  /// `now`.
  package func expired(_ entries: [Manifest.Entry], now: Int64) -> Set<UniqueID> {
    let oldestFirst = Self.oldestFirst(entries, now: now)
    let cutoff = maximumAgeNanoseconds.map { age in
      let (time, overflow) = now.subtractingReportingOverflow(age)
      return overflow ? Int64.min : time
    }
    var bytes = Self.sum(entries.lazy.map(\.length))
    var records = Self.sum(entries.lazy.map { UInt64($0.rowCount) })
    var expired: Set<UniqueID> = []
    for (entry, age) in oldestFirst.dropLast() {
      // Sums of what a manifest claims may have been cut off at the top.
      let rest = bytes - min(bytes, entry.length)
      let isTooOld = cutoff.map { age < $0 } == true && rest >= protectedByteCount
      let isTooMuch =
        maximumByteCount.map { bytes > $0 } == true
        || maximumRecordCount.map { records > $0 } == true
      guard isTooOld || isTooMuch else { break }
      expired.insert(entry.id)
      bytes = rest
      records -= min(records, UInt64(entry.rowCount))
    }
    return expired
  }

  /// The segments and when each ended, as far as its times can be believed.
  private static func oldestFirst(
    _ entries: [Manifest.Entry], now: Int64
  ) -> [(entry: Manifest.Entry, end: Int64)] {
    // What is said to be of the future was there before anything that joined after it.
    var bound: Int64?
    let ends = entries.reversed().map { entry in
      let end = entry.timeRange.upperBound
      if end <= now { bound = max(bound ?? end, end) }
      return (entry: entry, end: end <= now ? end : bound ?? now)
    }
    // Of the same end, what joined first goes first.
    return ends.reversed().enumerated().sorted { left, right in
      (left.element.end, left.offset) < (right.element.end, right.offset)
    }.map(\.element)
  }

  private static func sum(_ values: some Sequence<UInt64>) -> UInt64 {
    values.reduce(0) { total, value in
      let (sum, overflow) = total.addingReportingOverflow(value)
      return overflow ? .max : sum
    }
  }
}
