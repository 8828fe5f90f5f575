import JournalKit
import SegmentIndex
import Synchronization

/// What a span's records are made of; the same for all of them.
struct SpanPlan {
  var name: String
  var entity: String?
  var level: LogLevel
  var lifetime = SpanLifetime.scoped
  var survivesRelaunch = false
  var budget: Duration?
}

extension Periscope {
  /// The span that the running code is measured by.
  var currentSpan: UniqueID? { spans.current(ObjectIdentifier(self)) }

  /// Runs `body` measured by the span `id`.
  func context(of id: UniqueID) -> SpanContext {
    SpanContext(span: id, owner: ObjectIdentifier(self))
  }

  /// Begins a span, and ends the one that was begun for the same thing. Nil when none can be begun here.
  func begin(_ plan: SpanPlan, _ place: LogPlace, _ site: CallSite) -> SpanRegistry.Entry? {
    let thread = EmitThread.current
    guard !journal.isForked, !thread.isYielding, thread.enter() else {
      refuse()
      return nil
    }
    defer { thread.leave() }
    let entry = entry(of: plan, place)
    var began = entry.isLogged ? admit(record(of: entry, SpanEvent.began, site), thread) : nil
    makeRoom(site)
    while true {
      let old = entry.key.flatMap { key in spans.registry.withLock { $0.entry(key) } }
      var ended = old.flatMap { old in
        old.isLogged
          ? admit(endRecord(of: old, .superseded, site, whenBegan: entry), thread) : nil
      }
      var isDueFirst = false
      let sinks = spans.registry.withLock { registry -> [Int]? in
        guard registry.begin(entry, replacing: old?.id) else { return nil }
        isDueFirst = registry.hastenLook(for: entry)
        return stamp(&ended, thread) + stamp(&began, thread)
      }
      // Somebody else began or ended it meanwhile.
      guard let sinks else { continue }
      write([ended, began], sinks, thread)
      if isDueFirst { wakeWatchdog() }
      return entry
    }
  }

  private func entry(of plan: SpanPlan, _ place: LogPlace) -> SpanRegistry.Entry {
    let tick = spans.clock.now()
    var entry = SpanRegistry.Entry(
      id: spans.newID(), name: plan.name, paths: place.paths, start: clock.now(), startTick: tick)
    entry.entity = plan.entity
    entry.parent = currentSpan
    entry.tags = place.tags
    entry.level = plan.level
    entry.isLogged = floors.accepts(plan.level, at: place.paths)
    entry.survivesRelaunch = plan.survivesRelaunch
    if case .bounded(let bound) = plan.lifetime { entry.bound = bound }
    entry.budget = plan.budget
    entry.expiry = entry.bound.map { tick.addingOrMax($0.nanoseconds) }
    entry.overdue = plan.budget.map { tick.addingOrMax($0.nanoseconds) }
    return entry
  }

  /// Ends the span that was begun for `entity`; false when there is none.
  func end(_ key: SpanRegistry.Key, _ exit: SpanExit, _ site: CallSite) -> Bool {
    guard !journal.isForked, !EmitThread.current.isYielding else { return false }
    while let entry = spans.registry.withLock({ $0.entry(key) }) {
      // Somebody else may have ended it meanwhile, and even begun it again.
      if end(entry, exit, site) { return true }
    }
    return false
  }

  /// Ends a span; false when it is not open any more.
  @discardableResult
  func end(_ entry: SpanRegistry.Entry, _ exit: SpanExit, _ site: CallSite?) -> Bool {
    let thread = EmitThread.current
    // Whoever holds the locks does not exist in a forked child, or is this thread, deeper down.
    guard !journal.isForked, !thread.isYielding else { return false }
    // Deep inside the logging of others the record is left out, but the span ends.
    let isEntered = thread.enter()
    defer { if isEntered { thread.leave() } }
    var ended =
      entry.isLogged && isEntered ? admit(endRecord(of: entry, exit, site), thread) : nil
    let sinks = spans.registry.withLock { registry -> [Int]? in
      registry.end(entry.id) ? stamp(&ended, thread) : nil
    }
    guard let sinks else { return false }
    if !isEntered && entry.isLogged { refuse() }
    if isEntered { write([ended], sinks, thread) }
    return true
  }

  /// Lets the oldest spans expire when there is no room for another one.
  private func makeRoom(_ site: CallSite) {
    while let oldest = spans.registry.withLock({ $0.oldestIfFull }) {
      end(oldest, .expired("too many spans are open"), site)
    }
  }

  // MARK: Records

  /// What `record` becomes on its way to everybody. A record of a pair never vanishes alone.
  private func admit(_ record: Record, _ thread: EmitThread) -> Record? {
    guard let redaction else { return record }
    return thread.redacting { redaction.apply(to: record) } ?? record.strippedToSpan
  }

  private func stamp(_ record: inout Record?, _ thread: EmitThread) -> [Int] {
    guard var stamped = record else { return [] }
    defer { record = stamped }
    return stamp(&stamped, isProtected: true, isShared: isShared(thread))
  }

  private func write(_ records: [Record?], _ sinks: [Int], _ thread: EmitThread) {
    for case let record? in records { journal.append(record, record.payload.rawSpan, thread.entry) }
    pipeline.wake(sinks)
  }

  private func record(
    of entry: SpanRegistry.Entry, _ event: String, _ site: CallSite?
  ) -> Record {
    var record = Record(
      id: UniqueID(bits: 0), time: event == SpanEvent.began ? entry.start : clock.now(),
      sequence: 0, session: journal.session.id, level: entry.level, event: event,
      message: entry.name)
    record.scopes = entry.paths
    record.tags = entry.tags
    ambient.stamp(&record.tags)
    record.span = entry.id
    record.externalID = entry.entity
    if let site { record.set(site) }
    var fields = SpanFields(entry)
    switch event {
    case SpanEvent.overdue: fields.budget = entry.budget?.nanoseconds
    case SpanEvent.began, SpanEvent.resumed:
      fields.bound = entry.bound?.nanoseconds
      if entry.survivesRelaunch { fields.survives = true }
      if event == SpanEvent.resumed { fields.began = entry.start }
    default: break
    }
    record.payload = EmitThread.current.withPayload { encoder in
      // They hold nothing that could not be encoded.
      try? encoder.encode(fields)
      return encoder.array
    }
    return record
  }

  /// The end of `entry`: now, or when the span that takes its place began.
  private func endRecord(
    of entry: SpanRegistry.Entry, _ exit: SpanExit, _ site: CallSite?,
    whenBegan next: SpanRegistry.Entry? = nil
  ) -> Record {
    var record = record(of: entry, SpanEvent.ended, site)
    if let next { record.time = next.start }
    record.level = exit.isAbnormal ? entry.level.raised(to: .warning) : entry.level
    record.exit = exit.mode.name
    record.exitReason = exit.reason
    record.message = "\(entry.name): \(exit.mode.name)"
    if let reason = exit.reason { record.message += ", \(reason)" }
    switch exit.mode {
    case .orphaned: break
    // The clock of spans does not outlive the process.
    case _ where entry.isResumed:
      record.duration = max(0, record.time.subtractingOrMax(entry.start))
    default: record.duration = max(0, (next?.startTick ?? spans.clock.now()) - entry.startTick)
    }
    return record
  }

  // MARK: Watchdog

  private func wakeWatchdog() {
    spans.wakeWatchdog {
      environment.worker { [weak self] in self?.watch() }
    }
  }

  /// Ends spans that expired, and tells of those that are overdue. Returns how long there is nothing more to do.
  func watch() -> Duration? {
    guard !journal.isForked else { return nil }
    let due = spans.registry.withLock { $0.due(at: spans.clock.now()) }
    for due in due {
      switch due {
      case .expired(let entry):
        end(entry, .expired("after \(entry.bound ?? .zero)"), nil)
      case .overdue(let entry): tellOverdue(entry)
      }
    }
    let next = spans.registry.withLock { $0.planLook() }
    return next.map { .nanoseconds(max(0, $0 - spans.clock.now())) }
  }

  private func tellOverdue(_ entry: SpanRegistry.Entry) {
    let thread = EmitThread.current
    guard thread.enter() else { return }
    defer { thread.leave() }
    var overdue: Record?
    if entry.isLogged {
      var record = record(of: entry, SpanEvent.overdue, nil)
      record.level = entry.level.raised(to: .warning)
      record.message = "\(entry.name) takes longer than \(entry.budget ?? .zero)"
      overdue = admit(record, thread)
    }
    let sinks = spans.registry.withLock { registry -> [Int]? in
      registry.noteOverdue(entry.id) ? stamp(&overdue, thread) : nil
    }
    if let sinks { write([overdue], sinks, thread) }
  }

  // MARK: From one process to the next

  /// Makes a span, which outlived its process, this process's own.
  func resume(_ entry: SpanRegistry.Entry) {
    let thread = EmitThread.current
    guard thread.enter() else { return }
    defer { thread.leave() }
    var resumed = admit(record(of: entry, SpanEvent.resumed, nil), thread)
    var isDueFirst = false
    let sinks = spans.registry.withLock { registry -> [Int]? in
      let old = entry.key.flatMap { registry.entry($0)?.id }
      // What is begun here already counts.
      guard old == nil, registry.begin(entry, replacing: nil) else { return nil }
      isDueFirst = registry.hastenLook(for: entry)
      return stamp(&resumed, thread)
    }
    guard let sinks else { return }
    write([resumed], sinks, thread)
    if isDueFirst { wakeWatchdog() }
  }

  /// Says that a span's process died before the span ended.
  func orphan(_ entry: SpanRegistry.Entry) {
    let thread = EmitThread.current
    guard thread.enter() else { return }
    defer { thread.leave() }
    var ended = admit(
      endRecord(of: entry, .orphaned("the process ended first"), nil), thread)
    let sinks = stamp(&ended, thread)
    write([ended], sinks, thread)
  }
}

extension Int64 {
  fileprivate func addingOrMax(_ other: Int64) -> Int64 {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }

  func subtractingOrMax(_ other: Int64) -> Int64 {
    let (difference, isTooLarge) = subtractingReportingOverflow(other)
    return isTooLarge ? .max : difference
  }
}
