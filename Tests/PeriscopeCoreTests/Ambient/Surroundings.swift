import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport

/// A made-up machine: files in which it tells of itself, a clock, and a worker that works when a test wants it.
final class Surroundings: Sendable {
  let disk = SimulatedDisk()
  let now = Mutex<Int64>(1_000_000_000_000)
  private let work = Mutex<[(body: @Sendable () -> Duration?, isStopped: Flag)]>([])

  /// The files, below `/machine`.
  var files: SystemFiles { SystemFiles(root: "/machine", fileSystem: disk) }

  var environment: JournalEnvironment {
    var environment = JournalEnvironment(
      simulated: disk, clock: WallClock { [self] in now.withLock { $0 } })
    environment.worker = { [self] body in
      let isStopped = Flag()
      work.withLock { $0.append((body, isStopped)) }
      return Worker(isStopped: isStopped)
    }
    return environment
  }

  private struct Worker: BackgroundWorker {
    let isStopped: Flag
    func wake() -> Bool { true }
    func stop() { isStopped.set() }
  }

  /// Lets every worker that was not stopped work once; returns how long they want to sleep.
  @discardableResult
  func tick(after pause: Duration = .zero) -> [Duration?] {
    now.withLock { $0 += pause.components.seconds * 1_000_000_000 }
    return work.withLock { $0 }.filter { !$0.isStopped.isSet }.map { $0.body() }
  }

  var workerCount: Int { work.withLock { $0.filter { !$0.isStopped.isSet }.count } }

  /// Puts a file there, in place of another one.
  func write(_ path: String, _ text: String) throws {
    try write(path, Array(text.utf8))
  }

  func write(_ path: String, _ bytes: [UInt8]) throws {
    let path = "/machine/" + path
    try disk.createDirectory(FilePath.parent(of: path) ?? "/")
    if try disk.status(at: path) != nil { try disk.unlink(path) }
    try disk.writeNew(path, bytes.rawSpan, sync: false)
  }

  func remove(_ path: String) throws {
    try disk.unlink("/machine/" + path)
  }
}

/// A truth value that several owners share.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set() { value.store(true, ordering: .relaxed) }
}

/// Keeps what a source reports.
final class Reports: Sendable {
  private let events = Mutex<[any AmbientEvent]>([])

  var add: @Sendable (any AmbientEvent) -> Void {
    { [self] event in events.withLock { $0.append(event) } }
  }

  /// What was reported since the last time.
  func take() -> [any AmbientEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}

extension AmbientProbe {
  /// Asks once, as after `last`.
  func ask(after last: (any AmbientEvent)? = nil) -> (any AmbientEvent)? {
    look(last)
  }
}
