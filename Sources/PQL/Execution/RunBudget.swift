internal import Synchronization

/// What a run may still use of time and memory. All parts of a run share one, on however many threads.
///
/// It is asked before each granule, and now and then where rows are computed. Once it has said no it always does, so
/// that every loop of the run ends; then the run's answer is worth nothing and is thrown away.
package final class RunBudget: Sendable {
  /// Why a run must stop.
  enum Stop: UInt8 {
    case cancelled = 1
    case time
    case memory
  }

  private let cancellation: QueryCancellation?
  private let deadline: ContinuousClock.Instant?
  private let limits: QueryLimits
  private let now: @Sendable () -> ContinuousClock.Instant
  /// The raw value of the `Stop`, 0 while there is none.
  private let state = Atomic<UInt8>(0)
  /// The bytes of every `HeldMemory` of the run.
  private let heldByteCount = Atomic<Int>(0)

  /// A budget of what the limits allow, from now on.
  package init(
    _ limits: QueryLimits, _ cancellation: QueryCancellation? = nil,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.limits = limits
    self.cancellation = cancellation
    self.now = now
    deadline = limits.duration.map { now().advanced(by: $0) }
  }

  /// Whether the run may go on with `byteCount` bytes in its hands besides all that its parts hold.
  func allows(holding byteCount: Int = 0) -> Bool {
    guard stop == nil else { return false }
    if let cancellation, cancellation.isCancelled {
      note(.cancelled)
    } else if byteCount > freeByteCount {
      note(.memory)
    } else if let deadline, now() >= deadline {
      note(.time)
    }
    return stop == nil
  }

  /// How many bytes the run may hold besides what its parts do; negative when they hold too many.
  var freeByteCount: Int { limits.byteCount - heldByteCount.load(ordering: .relaxed) }

  /// Counts bytes that a part of the run holds from now on; a negative number is of those that it no longer does.
  func hold(_ byteCount: Int) {
    heldByteCount.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// Whether the run may go on to row `index`: asks for one in 1,024.
  func allowsRow(_ index: Int) -> Bool {
    index & 1_023 != 0 || allows()
  }

  /// Ends the run for a reason that the caller found.
  func note(_ stop: Stop) {
    state.store(stop.rawValue, ordering: .relaxed)
  }

  /// Why the run must stop; nil while it may go on.
  var stop: Stop? { Stop(rawValue: state.load(ordering: .relaxed)) }

  /// The most bytes that the run may hold.
  var byteLimit: Int { limits.byteCount }

  /// How many parts that may each hold so many bytes the run can have at the same time, with a quarter left for what comes
  /// after them; at least 1.
  package func partCount(ofBytes byteCount: Int) -> Int {
    max(1, byteLimit / 4 * 3 / max(byteCount, 1))
  }

  /// What to tell whoever asked, when the run had to stop.
  package var diagnostics: Diagnostics? {
    switch stop {
    case nil: nil
    case .cancelled: Diagnostics([Diagnostic(.cancelled, "the query was cancelled", at: 0..<0)])
    case .time:
      Diagnostics([
        Diagnostic(
          .outOfTime, "the query took longer than \(Quantity.durationText(duration)), the limit",
          at: 0..<0
        ).helping("ask for less: a shorter time, such as last 1h, or fewer columns and groups")
      ])
    case .memory:
      Diagnostics([
        Diagnostic(
          .outOfMemory,
          "the query needs more than \(Quantity.sizeText(Int64(limits.byteCount))) of memory, the limit",
          at: 0..<0
        ).helping("ask for less: | limit N, fewer groups, or only the columns that matter")
      ])
    }
  }

  private var duration: Int64 { limits.duration?.wholeNanoseconds ?? 0 }
}
