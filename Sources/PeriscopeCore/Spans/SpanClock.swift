/// Tells how much time has passed, whatever is done to the time of day; injected, so that tests decide.
package struct SpanClock: Sendable {
  private let read: @Sendable () -> Int64

  package init(_ now: @escaping @Sendable () -> Int64) {
    read = now
  }

  /// Nanoseconds since a time that stays the same as long as the process lives.
  package func now() -> Int64 { read() }

  private static let origin = ContinuousClock.now

  /// A clock that goes on while the machine sleeps.
  package static let system = SpanClock { origin.duration(to: .now).nanoseconds }
}

extension Duration {
  /// The duration in nanoseconds, as far as 64 bits reach.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongToo) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || isTooLongToo ? (seconds < 0 ? .min : .max) : sum
  }
}
