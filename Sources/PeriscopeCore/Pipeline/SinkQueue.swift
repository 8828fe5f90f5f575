package import SegmentIndex

/// What one sink still has to get, and what it has to do: a plain value, whose every change says what follows.
///
/// One thing is under way at a time: `next()` hands it out, and `finish()` says that it is done. So a sink sees records in
/// order, and flushes between them.
package struct SinkQueue {
  /// How much waits at most.
  package struct Limits {
    package var records = 8_192
    package var bytes = 16 << 20
    /// Protected records stay when others are dropped. A sink that takes nothing any more must not take all memory: at
    /// this many times the limits, they are dropped as well.
    package var protectedFactor = 16

    package init() {}
  }

  /// What a sink has to do.
  package enum Work {
    case deliver(Batch)
    case flush
    /// Nothing follows.
    case detach
  }

  /// What a sink gets at once.
  package struct Batch {
    /// Scopes that it may not know.
    package var scopes: [ScopeID] = []
    package var records: [Record] = []
    /// What it should have got before that.
    package var drops: Drops?
  }

  /// Records that made way for others.
  package struct Drops: Equatable {
    package var count = 0
    package var first: UInt64 = .max
    package var last: UInt64 = 0

    mutating func add(_ record: Record) {
      count += 1
      first = min(first, record.sequence)
      last = max(last, record.sequence)
    }
  }

  private let limits: Limits
  /// The sink wants nothing milder.
  private let minimumSeverity: Int32
  private var ordinary = Line()
  private var protected = Line()
  private var drops = Drops()
  private var scopes = KnownScopes()
  /// How many records were pushed; how many of those are delivered or dropped; how many were when a flush began.
  private var pushed: UInt64 = 0
  private var settled: UInt64 = 0
  private var flushed: UInt64 = 0
  /// The first and the last record that ask for a flush which has not begun.
  private var urgent: ClosedRange<UInt64>?
  private var waiters: [(goal: UInt64, number: Int)] = []
  private var isClosing = false
  private var underWay: UnderWay?
  /// Whether somebody was told that there is work, and did not hear yet that there is none.
  private var isScheduled = false

  private enum UnderWay {
    case delivery(upTo: UInt64)
    case flush(upTo: UInt64)
    case detaching
  }

  package init(limits: Limits = Limits(), minimumSeverity: Int32 = .min) {
    self.limits = limits
    self.minimumSeverity = minimumSeverity
  }

  /// How many records wait now.
  package var pendingCount: Int { ordinary.count + protected.count }
  /// Whether a sink has everything, and was flushed if somebody wanted that.
  package var isIdle: Bool { underWay == nil && !hasWork }

  /// Adds a record; true when the sink must be woken.
  package mutating func push(_ record: Record, isProtected: Bool) -> Bool {
    guard !isClosing, record.level.severity >= minimumSeverity else { return false }
    pushed += 1
    if record.level.isAtLeast(.error) { addUrgent() }
    if isProtected {
      protected.append(record, pushed)
    } else {
      ordinary.append(record, pushed)
    }
    makeRoom()
    return schedule()
  }

  private mutating func makeRoom() {
    while ordinary.count > limits.records || ordinary.bytes > limits.bytes,
      let record = ordinary.removeFirst()
    {
      drops.add(record)
    }
    while protected.count > limits.records * limits.protectedFactor
      || protected.bytes > limits.bytes * limits.protectedFactor,
      let record = protected.removeFirst()
    {
      drops.add(record)
    }
  }

  /// Asks for a flush after all that was pushed so far; `number` is told when it is done. True when the sink must be woken.
  package mutating func requestFlush(_ number: Int) -> Bool {
    waiters.append((pushed, number))
    return schedule()
  }

  /// Lets nothing more come. True when the sink must be woken.
  package mutating func close() -> Bool {
    guard !isClosing else { return false }
    isClosing = true
    if pushed > flushed { addUrgent() }
    return schedule()
  }

  private mutating func schedule() -> Bool {
    guard !isScheduled, hasWork else { return false }
    isScheduled = true
    return true
  }

  /// Says that whoever was to be woken could not be; the next one who comes may try.
  package mutating func unschedule() {
    isScheduled = false
  }

  private var hasWork: Bool {
    pendingCount > 0 || drops.count > 0 || wantsFlush || isClosing
  }

  /// Asks for a flush after the last record.
  private mutating func addUrgent() {
    urgent = (urgent?.lowerBound ?? pushed)...pushed
  }

  /// However many records asked for a flush, one does.
  private var wantsFlush: Bool {
    urgent.map { $0.lowerBound <= settled } == true || waiters.contains { $0.goal <= settled }
  }

  /// What to do now; nil when there is nothing, until somebody must wake the sink again, or when somebody is at it
  /// already: who is asks again.
  package mutating func next() -> Work? {
    guard underWay == nil else { return nil }
    let isDelivered = pendingCount == 0 && drops.count == 0
    if isDelivered { settled = pushed }
    // Before the next records: they may never end.
    if wantsFlush {
      underWay = .flush(upTo: settled)
      urgent = urgent.flatMap { $0.upperBound > settled ? settled + 1...$0.upperBound : nil }
      return .flush
    }
    if !isDelivered { return .deliver(takeAll()) }
    if isClosing {
      underWay = .detaching
      return .detach
    }
    isScheduled = false
    return nil
  }

  private mutating func takeAll() -> Batch {
    var batch = Batch(records: Line.merged(&ordinary, &protected))
    if drops.count > 0 {
      batch.drops = drops
      drops = Drops()
    }
    batch.scopes = scopes.new(in: batch.records)
    underWay = .delivery(upTo: pushed)
    return batch
  }

  /// Says that what was under way is done; returns the numbers of those whose flush is done as well.
  package mutating func finish() -> [Int] {
    defer { underWay = nil }
    switch underWay {
    case .delivery(let position):
      settled = position
      return []
    case .flush(let position):
      flushed = position
      let served = waiters.filter { $0.goal <= position }.map(\.number)
      waiters.removeAll { $0.goal <= position }
      return served
    case .detaching, nil: return []
    }
  }

  /// The numbers of those who wait for a flush, which will not come any more.
  package mutating func abandonWaiters() -> [Int] {
    defer { waiters = [] }
    return waiters.map(\.number)
  }
}
