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
  /// By what another thread can end the run.
  public var cancellation: QueryCancellation?

  /// The context of a query at `now`.
  public init(now: Int64) {
    self.now = now
  }

  /// The context with everything that it has.
  package init(
    now: Int64, zone: TimeZoneRules, session: UniqueID?, parameters: [String: Value],
    limits: QueryLimits, cancellation: QueryCancellation?
  ) {
    self.now = now
    self.zone = zone
    currentSession = session
    self.parameters = parameters
    self.limits = limits
    self.cancellation = cancellation
  }
}

/// What a run may use.
///
/// A run that reaches a limit of rows, groups or bins keeps what it has, and says so in its summary. One that
/// runs out of time or memory has no answer: it throws `Diagnostics` with a code that begins with L.
public struct QueryLimits: Sendable, Hashable {
  /// Rows of the result.
  public var rowCount = 100_000
  /// Groups of `stats`, `top` and `dedup`.
  public var groupCount = 10_000
  /// Bins of a `timeline`.
  public var binCount = 2_000
  /// How long the run may take; nil for as long as it needs. It is looked at before every 4,096 records.
  public var duration: Duration? = .seconds(30)
  /// How many bytes the run may hold, about, in rows, groups and records; mapped files do not count.
  public var byteCount = 64 << 20

  /// The defaults.
  public init() {}

  /// As many rows and bytes, and as much time, as it takes: for a person who can interrupt.
  public static var unlimited: QueryLimits {
    var limits = QueryLimits()
    limits.rowCount = .max
    limits.duration = nil
    limits.byteCount = .max
    return limits
  }
}
