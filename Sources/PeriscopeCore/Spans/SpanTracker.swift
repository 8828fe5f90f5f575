import JournalKit
import SegmentIndex
import Synchronization

/// The open spans behind their lock, and the watchdog that looks after those that may not last for ever.
///
/// The lock is taken before the pipeline's, never inside it.
final class SpanTracker: Sendable {
  let registry = BargingMutex(SpanRegistry())
  let clock: SpanClock
  /// Whether there ever was a span: else nobody needs to look for the one around a record.
  private let wasUsed = Atomic(false)
  private let salt: UniqueID
  private let lastNumber = Atomic<UInt64>(0)
  private let watchdog = Mutex<(any BackgroundWorker)?>(nil)

  init(clock: SpanClock, random: () -> UInt64) {
    self.clock = clock
    salt = UniqueID(bits: UInt128(random()) << 64 | UInt128(random()))
  }

  deinit { watchdog.withLock { $0 }?.stop() }

  /// An identity that no other span has.
  func newID() -> UniqueID {
    wasUsed.store(true, ordering: .relaxed)
    return UniqueID(session: salt, sequence: lastNumber.add(1, ordering: .relaxed).newValue)
  }

  /// The span of `owner` that the running code is measured by.
  func current(_ owner: ObjectIdentifier) -> UniqueID? {
    guard wasUsed.load(ordering: .relaxed), let context = SpanContext.current,
      context.owner == owner
    else { return nil }
    return context.span
  }

  /// Lets the watchdog look when the next deadline is; `make` makes it.
  func wakeWatchdog(_ make: () -> any BackgroundWorker) {
    let worker = watchdog.withLock { worker in
      let known = worker ?? make()
      worker = known
      return known
    }
    // For want of a thread. The next span with a deadline tries again.
    if !worker.wake() { registry.withLock { $0.forgetLook() } }
  }

  /// All open spans, longest first; those that have lasted equally long in the order in which they began.
  func openSpans(now: Int64) -> [OpenSpan] {
    // The lock is this thread's own then, deeper down.
    guard !EmitThread.current.isYielding else { return [] }
    let tick = clock.now()
    let spans = registry.withLock { $0.all }.map { entry in
      let elapsed = entry.isResumed ? now.subtractingOrMax(entry.start) : tick - entry.startTick
      return OpenSpan(
        id: entry.id, name: entry.name, entity: entry.entity,
        scopes: entry.paths.map(ScopeID.init(path:)), parent: entry.parent, start: entry.start,
        elapsed: .nanoseconds(max(0, elapsed)))
    }
    return spans.enumerated().sorted {
      ($0.element.elapsed, $1.offset) > ($1.element.elapsed, $0.offset)
    }.map(\.element)
  }
}
