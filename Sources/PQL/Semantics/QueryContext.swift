public import SegmentIndex

/// What a query means but does not say: the time, the zone, the running session, and the values of its
/// parameters.
public struct QueryContext: Sendable {
  /// The time that `now`, `last 2h` and `today` mean, in nanoseconds since 1970. It stays the same for
  /// the whole run.
  public var now: Int64
  /// The zone of times without an offset, and of calendar days.
  public var zone: TimeZoneRules = .utc
  /// The session that `session = current` means.
  public var currentSession: UniqueID?
  /// The values of `$name`, by name without the `$`.
  public var parameters: [String: Value] = [:]
  /// What the run may use.
  public var limits = QueryLimits()

  /// The context of a query at `now`.
  public init(now: Int64) {
    self.now = now
  }
}

/// What a run may use. A run that reaches a limit stops there, keeps what it has, and says so in its
/// summary.
public struct QueryLimits: Sendable, Hashable {
  /// Rows of the result.
  public var rowCount = 100_000
  /// Groups of `stats`, `top` and `dedup`.
  public var groupCount = 10_000
  /// Bins of a `timeline`.
  public var binCount = 2_000

  /// The defaults.
  public init() {}
}
