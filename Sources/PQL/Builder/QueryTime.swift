/// A time in a query: a moment, or one that is known when the query runs.
public struct QueryTime: QueryContent {
  let expression: Expression

  private init(_ expression: Expression) {
    self.expression = expression
  }

  private init(word: String) {
    self.init(Expression(.literal(.string(word)), 0..<0))
  }

  /// The time in a row, as a moment.
  public init?(queryValue: Value) {
    guard case .time(let time) = queryValue else { return nil }
    self = .nanoseconds(time)
  }

  /// When the query runs.
  public static let now = QueryTime(word: "now")
  /// The last midnight in the query's zone.
  public static let today = QueryTime(word: "today")
  /// The midnight before.
  public static let yesterday = QueryTime(word: "yesterday")

  /// A moment in nanoseconds since 1970, UTC. The first and the last second that 64 bits hold are cut off.
  public static func nanoseconds(_ time: Int64) -> QueryTime {
    QueryTime(Expression(.literal(.time(TimeLiteral(nanoseconds: time))), 0..<0))
  }

  /// This long before the query runs.
  public static func ago(_ duration: Duration) -> QueryTime { now - duration }

  /// The time later by a duration.
  public static func + (time: QueryTime, duration: Duration) -> QueryTime {
    time.moved(by: duration.wholeNanoseconds)
  }

  /// The time earlier by a duration.
  public static func - (time: QueryTime, duration: Duration) -> QueryTime {
    time.moved(by: -duration.wholeNanoseconds)
  }

  private func moved(by nanoseconds: Int64) -> QueryTime {
    // A moved time moves once, as in the text.
    if case .moved(let base, let first) = expression.kind {
      let (sum, overflow) = first.addingReportingOverflow(nanoseconds)
      let total = overflow ? (first < 0 ? Int64.min : .max) : sum
      return QueryTime(Expression(.moved(base, by: max(total, -.max)), 0..<0))
    }
    return QueryTime(Expression(.moved(expression, by: nanoseconds), 0..<0))
  }
}
