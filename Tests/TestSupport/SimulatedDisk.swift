package import JournalKit
import Synchronization

/// A file system in memory that knows what would survive a loss of power, and fails on request.
///
/// Every file and every directory entry exists twice: as running programs see it, and as it is on
/// stable storage. `sync` and `syncDirectory` copy from the first to the second, `crash` from the
/// second to the first. Paths are absolute, without `.` and `..`.
package final class SimulatedDisk: FileSystem {
  /// Makes calls fail.
  package struct Fault: Sendable {
    /// Which calls count; nil is all of them.
    package var call: DiskError.Call?
    /// The first matching call that fails, counting from 1 at the injection.
    package var occurrence: Int
    /// Whether all later matching calls fail too.
    package var repeats: Bool
    package var code: Int32
    /// Only calls on this file or directory, or on what is in it, count; nil is all.
    package var path: String?

    package init(
      _ call: DiskError.Call? = nil, on path: String? = nil, at occurrence: Int = 1,
      repeats: Bool = false, code: Int32 = DiskError.inputOutput
    ) {
      self.call = call
      self.path = path
      self.occurrence = occurrence
      self.repeats = repeats
      self.code = code
    }
  }

  /// What of the unsynced changes a loss of power leaves behind.
  package enum Survivors: Sendable {
    case none
    /// A random subset: whole 4 KiB pages of content, and single directory entries.
    case random(seed: UInt64)
  }

  struct File {
    var content: [UInt8] = []
    var durable: [UInt8] = []
    var isDirectory = false
    var lockHolder: FileNumber?
  }

  struct OpenFile {
    var inode: UInt64
    var isWritable: Bool
  }

  /// A file's bytes as the memory of a running program.
  ///
  /// `@unchecked` because of the pointer: the region is only read here, with the disk locked.
  @safe
  struct Mapping: @unchecked Sendable {
    let inode: UInt64
    let region: UnsafeRawBufferPointer
  }

  struct State {
    /// By address.
    var mappings: [UInt: Mapping] = [:]
    var keepsAllocations = false
    var files: [UInt64: File] = [1: File(isDirectory: true)]
    var names: [String: UInt64] = ["/": 1]
    var durableNames: [String: UInt64] = ["/": 1]
    var open: [FileNumber: OpenFile] = [:]
    var lastInode: UInt64 = 1
    var lastFile: Int32 = 2
    var faults: [Fault] = []
    var callsUntilStop: Int?
    var transferLimit = Int.max
    var capacity: Int?
    var callCount = 0
    var log: [String] = []
    var strayCloseCount = 0
    var bootID: UInt128 = 0xb007
    var beforeSync: (@Sendable () -> Void)?
    var beforeRead: (left: Int, body: @Sendable () -> Void)?
    var beforeCall: (left: Int, body: @Sendable () -> Void)?
    var duringList: (isLate: @Sendable (String) -> Bool, body: @Sendable () -> Void)?
    var ignoresLocks = false
  }

  let state = Mutex(State())

  package init() {}

  package var bootID: UInt128 { state.withLock { $0.bootID } }
}

// MARK: - What tests do to it

extension SimulatedDisk {
  /// The number of calls so far, also of those that failed.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// The calls so far, such as `write /logs/1.jseg 0+256`; reads and status calls are left out.
  package var log: [String] { state.withLock { $0.log } }

  /// The most bytes that one read or write transfers.
  package var transferLimit: Int {
    get { state.withLock { $0.transferLimit } }
    set { state.withLock { $0.transferLimit = newValue } }
  }

  /// The most bytes that all files together may have; nil is no limit.
  package var capacity: Int? {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// Runs at the beginning of the next `sync`, while nothing else of the disk is held up.
  package func beforeNextSync(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.beforeSync = body }
  }

  /// Runs at the beginning of the `occurrence`th `read` from now, while nothing else of the disk is held up.
  package func beforeRead(_ occurrence: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.beforeRead = (occurrence, body) }
  }

  /// Runs before the `occurrence`th call of any kind from now, while nothing of the disk is held up.
  package func beforeCall(_ occurrence: Int, _ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.beforeCall = (occurrence, body) }
  }

  /// Runs while the next `list` is under way: it has looked for some names before, and looks for those that are
  /// `late` afterwards.
  package func duringNextList(
    late isLate: @escaping @Sendable (String) -> Bool, _ body: @escaping @Sendable () -> Void
  ) {
    state.withLock { $0.duringList = (isLate, body) }
  }

  /// Forgets what was to run and has not.
  package func removeHooks() {
    state.withLock { state in
      state.beforeSync = nil
      state.beforeRead = nil
      state.beforeCall = nil
      state.duringList = nil
    }
  }

  /// Whether anyone gets every lock, as on file systems that only pretend to have them.
  package var ignoresLocks: Bool {
    get { state.withLock { $0.ignoresLocks } }
    set { state.withLock { $0.ignoresLocks = newValue } }
  }

  /// Whether the disk is one on which segments may be mapped.
  package var keepsAllocations: Bool {
    get { state.withLock { $0.keepsAllocations } }
    set { state.withLock { $0.keepsAllocations = newValue } }
  }

  /// The number of regions that are mapped for writing.
  package var mappingCount: Int { state.withLock { $0.mappings.count } }

  /// The number of files that are open.
  package var openFileCount: Int { state.withLock { $0.open.count } }

  /// How often a number was closed that no open file had.
  package var strayCloseCount: Int { state.withLock { $0.strayCloseCount } }

  package func inject(_ fault: Fault) {
    state.withLock { $0.faults.append(fault) }
  }

  package func removeFaults() {
    state.withLock { $0.faults = [] }
  }

  /// The process dies after `calls` more calls: all later ones fail and change nothing.
  package func stop(after calls: Int) {
    state.withLock { $0.callsUntilStop = calls }
  }

  /// Whether the process has died.
  package var isStopped: Bool { state.withLock { $0.callsUntilStop.map { $0 < 0 } ?? false } }

  /// A new process on the same running system: what was written is there, open files and locks are not.
  package func restart() {
    state.withLock { state in
      state.callsUntilStop = nil
      state.faults = []
      state.open = [:]
      state.endMappings()
      for inode in state.files.keys { state.files[inode]?.lockHolder = nil }
      state.removeUnnamed()
    }
  }

  /// The power goes, and the system starts again.
  package func crash(keeping survivors: Survivors = .none) {
    state.withLock { state in
      state.endMappings()
      var generator: SeededRandom? =
        if case .random(let seed) = survivors { SeededRandom(seed: seed) } else { nil }
      state.settleNames(&generator)
      for inode in state.files.keys.sorted() {
        state.files[inode]?.settle(&generator)
      }
      state.open = [:]
      state.callsUntilStop = nil
      state.faults = []
      state.bootID += 1
      state.removeUnnamed()
    }
  }

  /// The content of the file at `path`; nil when there is none.
  package func content(of path: String) -> [UInt8]? {
    state.withLock { state in
      state.takeInMappings()
      return state.names[path].flatMap { state.files[$0]?.content }
    }
  }

  /// Replaces the content of the file at `path`, as damage or another program would, also on stable
  /// storage; creates the file and its directories when missing.
  package func setContent(of path: String, to bytes: [UInt8]) {
    if content(of: path) == nil {
      if let parent = FilePath.parent(of: path) { try? createDirectory(parent) }
      if let file = try? open(path, .createNew) { try? close(file) }
    }
    state.withLock { state in
      guard let inode = state.names[path] else { return }
      state.files[inode]?.content = bytes
      state.files[inode]?.durable = bytes
      state.durableNames = state.names
    }
  }

  /// Every file's path, sorted.
  package var paths: [String] {
    state.withLock { state in
      state.names.filter { state.files[$0.value]?.isDirectory == false }.keys.sorted()
    }
  }

  /// An independent disk with the same content, and nobody using it.
  package func copy() -> SimulatedDisk {
    let copy = SimulatedDisk()
    let snapshot = state.withLock { state in
      state.takeInMappings()
      return state
    }
    copy.state.withLock { state in
      state = snapshot
      state.mappings = [:]
    }
    copy.restart()
    return copy
  }
}

extension SimulatedDisk.File {
  static let pageSize = 4096

  /// Keeps what is durable, and of the rest what chance keeps.
  mutating func settle(_ generator: inout SeededRandom?) {
    lockHolder = nil
    guard content != durable else { return }
    guard var random = generator else {
      content = durable
      return
    }
    let length = Bool.random(using: &random) ? content.count : durable.count
    var result = [UInt8](repeating: 0, count: length)
    for start in stride(from: 0, to: length, by: Self.pageSize) {
      let source = Bool.random(using: &random) ? content : durable
      let end = min(start + Self.pageSize, length, source.count)
      if start < end { result.replaceSubrange(start..<end, with: source[start..<end]) }
    }
    content = result
    durable = result
    generator = random
  }
}

extension SimulatedDisk.State {
  /// Makes what programs stored into mapped files the files' content.
  mutating func takeInMappings() {
    for mapping in mappings.values {
      unsafe files[mapping.inode]?.content.withUnsafeMutableBytes { content in
        let count = unsafe min(content.count, mapping.region.count)
        unsafe content.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: unsafe mapping.region[..<count]))
      }
    }
  }

  /// The program that mapped them is gone; what it stores from now on, it stores nowhere.
  mutating func endMappings() {
    takeInMappings()
    mappings = [:]
  }

  mutating func settleNames(_ generator: inout SeededRandom?) {
    var settled = durableNames
    if var random = generator {
      for path in Set(names.keys).union(durableNames.keys).sorted()
      where names[path] != durableNames[path] && Bool.random(using: &random) {
        settled[path] = names[path]
      }
      generator = random
    }
    // An entry is reachable only when the directories above it are.
    names = settled.filter { path, _ in
      var parent = FilePath.parent(of: path)
      while let current = parent {
        guard settled[current] != nil else { return false }
        parent = FilePath.parent(of: current)
      }
      return true
    }
    durableNames = names
  }

  /// Frees files that have no name and nobody has open.
  mutating func removeUnnamed() {
    let used = Set(names.values).union(durableNames.values).union(open.values.map(\.inode))
    files = files.filter { used.contains($0.key) }
  }
}
