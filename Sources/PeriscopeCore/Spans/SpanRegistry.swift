import PQL
package import SegmentIndex

/// The spans that are open: a plain value, so that every order of events can be tried without threads.
///
/// Who changes it says what it believes is there: a change that comes too late changes nothing. So records can be made, and
/// the program's own code be run for them, before the lock is taken that guards this.
package struct SpanRegistry {
  /// What a span that is begun for something is found by.
  package struct Key: Hashable, Sendable {
    private let parts: [Value]

    package init(scope: String, name: String, entity: String) {
      // Texts that are equal only to the byte.
      parts = [.string(scope), .string(name), .string(entity)]
    }
  }

  /// An open span.
  package struct Entry: Sendable {
    package let id: UniqueID
    package let name: String
    package var entity: String?
    package var parent: UniqueID?
    package var paths: [String]
    package var tags: [LogTag] = []
    package var level: LogLevel = .info
    /// When it began: by the wall, in nanoseconds since 1970, and by the clock of spans.
    package var start: Int64
    package var startTick: Int64
    /// The tick at which it expires.
    package var expiry: Int64?
    /// The tick at which it is overdue, and the budget.
    package var overdue: Int64?
    package var budget: Duration?
    package var bound: Duration?
    package var survivesRelaunch = false
    /// Whether its begin was logged. Its end is logged if and only if it was.
    package var isLogged = true
    /// Whether it began in a process that died.
    package var isResumed = false

    package init(id: UniqueID, name: String, paths: [String], start: Int64, startTick: Int64) {
      self.id = id
      self.name = name
      self.paths = paths
      self.start = start
      self.startTick = startTick
    }

    /// What it is found by; nil for one that is measured.
    package var key: Key? {
      entity.map { Key(scope: paths.first ?? "", name: name, entity: $0) }
    }

    /// When the watchdog must look at it.
    var deadline: Int64? {
      switch (expiry, overdue) {
      case (let expiry?, let overdue?): min(expiry, overdue)
      case (let expiry, let overdue): expiry ?? overdue
      }
    }
  }

  /// What the watchdog found.
  package enum Due {
    case expired(Entry)
    case overdue(Entry)
  }

  /// How many spans may be open. A program that never ends any must not take all memory: the oldest expire then.
  private let limit: Int
  private var entries: [UniqueID: Entry] = [:]
  private var keys: [Key: UniqueID] = [:]
  /// When the watchdog must look at spans, and which in a row they are.
  private var deadlines: [UniqueID: (tick: Int64, number: UInt64)] = [:]
  private var lastNumber: UInt64 = 0
  /// When the watchdog looks next, as far as it knows.
  private var nextLook: Int64 = .max
  /// The order in which they began, those that ended included until there are too many of them.
  private var order: [UniqueID] = []
  private var head = 0

  package init(limit: Int = 65_536) {
    self.limit = limit
  }

  package var count: Int { entries.count }
  /// All that are open, in the order in which they began.
  package var all: [Entry] { order[head...].compactMap { entries[$0] } }

  /// The open span that `key` finds.
  package func entry(_ key: Key) -> Entry? {
    keys[key].flatMap { entries[$0] }
  }

  /// Whether there is no room for another span, and which one must make way.
  package var oldestIfFull: Entry? {
    guard entries.count >= limit else { return nil }
    return order[head...].lazy.compactMap { entries[$0] }.first
  }

  /// Adds a span in place of `old`, which must be the open one of the same key; nil says that there is none. False when
  /// that is not so: then nothing is changed.
  package mutating func begin(_ entry: Entry, replacing old: UniqueID?) -> Bool {
    if let key = entry.key {
      guard keys[key] == old else { return false }
      if let old { remove(old) }
      keys[key] = entry.id
    }
    entries[entry.id] = entry
    order.append(entry.id)
    lastNumber += 1
    deadlines[entry.id] = entry.deadline.map { ($0, lastNumber) }
    return true
  }

  /// Removes a span; false when it is not open any more.
  package mutating func end(_ id: UniqueID) -> Bool {
    guard entries[id] != nil else { return false }
    remove(id)
    return true
  }

  /// Notes that a span was said to be overdue; false when it is not open any more, or that was said before.
  package mutating func noteOverdue(_ id: UniqueID) -> Bool {
    guard entries[id]?.overdue != nil else { return false }
    entries[id]?.overdue = nil
    let number = deadlines[id]?.number ?? 0
    deadlines[id] = entries[id]?.deadline.map { ($0, number) }
    return true
  }

  /// What is due at `tick`, in the order in which the spans began. Nothing is changed.
  package func due(at tick: Int64) -> [Due] {
    deadlines.filter { $0.value.tick <= tick }.sorted { $0.value.number < $1.value.number }
      .compactMap { deadline in
        entries[deadline.key].map { entry in
          entry.expiry.map { $0 <= tick } == true ? .expired(entry) : .overdue(entry)
        }
      }
  }

  /// When the watchdog must look again; it will.
  package mutating func planLook() -> Int64? {
    let next = deadlines.values.lazy.map(\.tick).min()
    nextLook = next ?? .max
    return next
  }

  /// Whether the watchdog must be woken, because a span that has begun is due before it looks.
  package mutating func hastenLook(for entry: Entry) -> Bool {
    guard let deadline = entry.deadline, deadline < nextLook else { return false }
    nextLook = deadline
    return true
  }

  /// Says that the watchdog will not look.
  package mutating func forgetLook() {
    nextLook = .max
  }

  private mutating func remove(_ id: UniqueID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    if let key = entry.key, keys[key] == id { keys[key] = nil }
    deadlines[id] = nil
    while head < order.count, entries[order[head]] == nil { head += 1 }
    // Ended ones in the middle must not pile up behind one that stays open.
    if order.count > 64, order.count > 2 * entries.count {
      order = order[head...].filter { entries[$0] != nil }
      head = 0
    }
  }
}
