/// How a span ended, and why.
public struct SpanExit: Sendable, Hashable {
  /// The ways to end. More may come: do not switch over all of them.
  public struct Mode: Sendable, Hashable {
    /// The name that the store keeps: `exit = failure`.
    public let name: String

    /// It did what it should.
    public static let success = Mode(name: "success")
    /// It did not.
    public static let failure = Mode(name: "failure")
    /// Nobody wanted it any more.
    public static let cancelled = Mode(name: "cancelled")
    /// It began again before it had ended.
    public static let superseded = Mode(name: "superseded")
    /// It took longer than it may.
    public static let expired = Mode(name: "expired")
    /// The process died first.
    public static let orphaned = Mode(name: "orphaned")
  }

  /// How it ended.
  public let mode: Mode
  /// Why, for people.
  public let reason: String?

  private init(_ mode: Mode, _ reason: String? = nil) {
    self.mode = mode
    self.reason = reason
  }

  /// It did what it should.
  public static let success = SpanExit(.success)
  /// It did what it should, and there is something to say about it.
  public static func success(_ reason: String) -> SpanExit { SpanExit(.success, reason) }
  /// It did not do what it should.
  public static func failure(_ reason: String) -> SpanExit { SpanExit(.failure, reason) }
  /// It did not do what it should, because of `error`.
  public static func failure(_ error: some Error) -> SpanExit { SpanExit(.failure, "\(error)") }
  /// Nobody wanted it any more.
  public static let cancelled = SpanExit(.cancelled)
  /// Nobody wanted it any more, for a reason.
  public static func cancelled(_ reason: String) -> SpanExit { SpanExit(.cancelled, reason) }
  /// It began again before it had ended.
  public static let superseded = SpanExit(.superseded)
  /// It took longer than it may.
  public static func expired(_ reason: String) -> SpanExit { SpanExit(.expired, reason) }
  /// The process died first.
  public static func orphaned(_ reason: String) -> SpanExit { SpanExit(.orphaned, reason) }

  /// Whether the span did neither what it should nor what somebody wanted instead: then its end is a warning.
  public var isAbnormal: Bool { mode != .success && mode != .cancelled }
}
