import JournalKit
import Synchronization
import TestSupport
import Testing

/// A journal on a simulated disk, with everything about it repeatable.
struct JournalFixture {
  static let directory = "/logs/journal"

  let disk: SimulatedDisk
  let backend: Journal.Configuration.Backend
  private let random: RandomSource
  private let worker = Worker()

  private final class RandomSource: Sendable {
    let generator = Mutex(SeededRandom(seed: 7))
  }

  /// Works when it is woken, at once, and when the test says that time has passed.
  private final class Worker: BackgroundWorker {
    private let work = Mutex<(@Sendable () -> Duration?)?>(nil)

    func start(_ work: @escaping @Sendable () -> Duration?) -> Worker {
      self.work.withLock { $0 = work }
      return self
    }

    func run() -> Duration? { work.withLock { $0 }?() }
    @discardableResult
    func wake() -> Bool {
      _ = run()
      return true
    }
    func stop() { work.withLock { $0 = nil } }
  }

  init(
    disk: SimulatedDisk = SimulatedDisk(), backend: Journal.Configuration.Backend = .written
  ) {
    self.disk = disk
    self.backend = backend
    random = RandomSource()
  }

  var environment: JournalEnvironment {
    let random = random
    return JournalEnvironment(
      fileSystem: disk, clock: WallClock { 1_700_000_000_000_000_000 },
      random: { random.generator.withLock { $0.next() } },
      worker: { [worker] work in worker.start(work) })
  }

  /// The time for the upkeep of the journal that was opened last has come; returns when it comes again.
  @discardableResult
  func upkeep() -> Duration? { worker.run() }

  /// Small segments, so that a few entries fill several.
  func open(
    budget: Int = 1 << 20, segment: Int? = 1 << 10,
    header: (@Sendable () -> [[UInt8]])? = nil
  ) throws(JournalError) -> Journal {
    try Journal(
      directory: Self.directory,
      configuration: Journal.Configuration(
        maximumByteCount: budget, segmentByteCount: segment, backend: backend,
        segmentHeader: header),
      environment: environment)
  }

  func recover() throws(JournalError) -> JournalRecovery {
    try JournalRecovery.recover(directory: Self.directory, fileSystem: disk)
  }

  /// The path of a segment.
  func path(_ number: UInt64) -> String {
    "\(Self.directory)/\(JournalFormat.fileName(ofSegment: number))"
  }

  /// The numbers of the segments on the disk.
  var segments: [UInt64] {
    let names = (try? disk.list(Self.directory)) ?? []
    return names.compactMap(JournalFormat.segmentNumber(ofFile:))
  }

  /// An entry that says which one it is; the lengths differ, multiples of eight among them.
  static func entry(_ number: Int) -> [UInt8] {
    Array("entry \(number) ".utf8) + [UInt8](repeating: UInt8(number & 0xff), count: number % 23)
  }

  static func entries(_ numbers: some Sequence<Int>) -> [[UInt8]] {
    numbers.map(entry)
  }
}

extension JournalRecovery {
  var payloads: [[UInt8]] { entries.map(\.payload) }
  var sequences: [UInt64] { entries.map(\.sequence) }
  /// The sum of what is missing; nil when some of it is unknown.
  var missing: UInt64? {
    report.damages.reduce(0) { sum, damage in
      sum.flatMap { sum in damage.missing.map { sum + $0 } }
    }
  }
}
