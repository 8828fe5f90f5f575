import PQL
import SegmentIndex
import Synchronization

/// Which levels are logged: everywhere, and in parts of the scope tree.
///
/// Whether an event is logged is asked by every thread all the time, and changed now and then. So the floors are a table
/// that never changes; a change makes another one. A call that no floor lets through costs one load and a compare, and
/// nobody who asks waits for a lock.
final class LevelFloors: Sendable {
  /// The floors at one time.
  private final class Table: Sendable {
    /// The levels below certain scopes; longer paths first, so that the nearest ancestor is found first.
    let subtrees: [(path: String, floor: LogLevel)]
    let global: LogLevel?

    init(_ settings: Settings) {
      global = settings.global
      subtrees = settings.subtrees.sorted { $0.path.utf8.count > $1.path.utf8.count }
    }

    func accepts(_ level: LogLevel, at path: String) -> Bool {
      let floor = subtrees.first { Self.holds(path, isUnder: $0.path) }?.floor ?? global
      return floor.map { level.severity >= $0.severity } ?? true
    }

    private static func holds(_ path: String, isUnder ancestor: String) -> Bool {
      let (path, ancestor) = (path.utf8, ancestor.utf8)
      guard path.starts(with: ancestor) else { return false }
      let end = path.index(path.startIndex, offsetBy: ancestor.count)
      return end == path.endIndex || path[end] == UInt8(ascii: "/")
    }
  }

  private struct Settings {
    var global: LogLevel?
    var subtrees: [(path: String, floor: LogLevel)] = []
    /// Tables that a reader may still have.
    var retired: [Table] = []
  }

  /// The least severity that any floor lets through.
  private let gate = Atomic<Int32>(.min)
  /// The address of the table, which is retained; 0 as long as there never were subtrees, and `gate` says it all.
  private let table = Atomic<UInt>(0)
  /// How many threads are reading a table.
  private let readers = Atomic<Int>(0)
  private let settings = Mutex(Settings())

  deinit { _ = Self.take(table.load(ordering: .acquiring)) }

  /// Whether an event of `severity` is logged, as far as that alone decides.
  @inline(__always)
  func mayAccept(severity: Int32) -> Bool {
    severity >= gate.load(ordering: .relaxed)
  }

  /// Whether an event of `level` is logged in one of the scopes `paths`.
  func accepts(_ level: LogLevel, at paths: [String]) -> Bool {
    guard mayAccept(severity: level.severity) else { return false }
    guard table.load(ordering: .relaxed) != 0 else { return true }
    readers.add(1, ordering: .sequentiallyConsistent)
    defer { readers.subtract(1, ordering: .sequentiallyConsistent) }
    guard let table = Self.look(table.load(ordering: .sequentiallyConsistent)) else { return true }
    return paths.contains { table.accepts(level, at: $0) }
  }

  /// The floor where no subtree has another.
  var global: LogLevel? {
    get { settings.withLock { $0.global } }
    set { change { $0.global = newValue } }
  }

  /// The floor of the subtree below `scope`; nil when it has none of its own.
  subscript(scope: ScopeID) -> LogLevel? {
    get {
      settings.withLock { settings in
        settings.subtrees.first { $0.path.isSameText(as: scope.path) }?.floor
      }
    }
    set {
      change { settings in
        settings.subtrees.removeAll { $0.path.isSameText(as: scope.path) }
        if let newValue { settings.subtrees.append((scope.path, newValue)) }
      }
    }
  }

  private func change(_ body: (inout Settings) -> Void) {
    settings.withLock { settings in
      body(&settings)
      // Once there is a table, there is always one. While it and the gate change one after the other, an event meets the old
      // floors or the new ones; without one, it could pass by the old gate alone what both reject.
      let isNeeded = !settings.subtrees.isEmpty || table.load(ordering: .relaxed) != 0
      let next = isNeeded ? Table(settings) : nil
      let old = table.exchange(Self.give(next), ordering: .sequentiallyConsistent)
      let floors = settings.subtrees.map(\.floor.severity) + [settings.global?.severity ?? .min]
      gate.store(floors.min() ?? .min, ordering: .relaxed)
      if let old = Self.take(old) { settings.retired.append(old) }
      // Who begins to read now finds the new table.
      if readers.load(ordering: .sequentiallyConsistent) == 0 { settings.retired = [] }
    }
  }

  // An atomic has room for an address, not for a reference.

  private static func give(_ table: Table?) -> UInt {
    guard let table else { return 0 }
    return unsafe UInt(bitPattern: Unmanaged.passRetained(table).toOpaque())
  }

  private static func look(_ address: UInt) -> Table? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
    return unsafe Unmanaged<Table>.fromOpaque(pointer).takeUnretainedValue()
  }

  private static func take(_ address: UInt) -> Table? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
    return unsafe Unmanaged<Table>.fromOpaque(pointer).takeRetainedValue()
  }
}
