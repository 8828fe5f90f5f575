import JournalKit
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Writers that kill themselves in the middle of it: every append that returned must be there afterwards, once
/// and unchanged.
///
/// Each thread of the writer counts the appends that returned in a file that it shares with this program.
struct KillTest {
  private let options: Options
  private var returned = 0
  private var lost = 0
  private var unreturned = 0
  private var damaged = 0

  init(_ options: Options) {
    self.options = options
  }

  var isSound: Bool { lost == 0 && damaged == 0 }

  /// Runs `rounds` writers to their deaths.
  consuming func run(rounds: Int) throws -> (line: String, isSound: Bool) {
    let counters = options.directory + "/returned"
    for round in 0..<rounds {
      try options.clearDirectory()
      let region = SharedCounters(counters, isNew: true)
      try runChild(delay: 15 + round % 20 * 7, counters: counters)
      check(try options.recover(), region)
    }
    try options.clearDirectory()
    unlink(counters)
    let fields = [options.threads, rounds, returned, lost, unreturned, damaged]
    let line = ([options.variant.rawValue] + fields.map { "\($0)" }).joined(separator: "\t")
    return (line, isSound)
  }

  private func runChild(delay: Int, counters: String) throws {
    let arguments = [
      CommandLine.arguments[0], options.directory, options.variant.rawValue,
      "\(options.threads)", "\(options.count)", "child", "\(delay)", counters,
    ]
    var process: pid_t = 0
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    guard posix_spawnp(&process, arguments[0], nil, nil, &pointers, environ) == 0 else {
      fatalError("cannot start \(arguments[0])")
    }
    var status: Int32 = 0
    while waitpid(process, &status, 0) == -1 && errno == EINTR {}
    guard status & 0x7f == SIGKILL else { fatalError("the writer was not killed") }
  }

  private mutating func check(_ recovery: JournalRecovery, _ counters: SharedCounters) {
    let limit = options.appendsPerThread
    var seen = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: limit), count: options.threads)
    var expected = Payload()
    for entry in recovery.entries {
      guard let (thread, number) = Payload.name(of: entry.payload), thread < options.threads,
        number < limit
      else {
        damaged += 1
        continue
      }
      expected.fill(thread: thread, number: number)
      guard expected.bytes == entry.payload, seen[thread][number] == 0 else {
        damaged += 1
        continue
      }
      seen[thread][number] = 1
    }
    for thread in 0..<options.threads {
      let acknowledged = counters[thread].load(ordering: .acquiring)
      returned += acknowledged
      lost += seen[thread][..<acknowledged].count { $0 == 0 }
      unreturned += seen[thread][acknowledged...].count { $0 == 1 }
    }
    damaged += recovery.report.damages.count
  }

  /// The writer: appends until it kills itself.
  func die(after delay: Int, counters path: String) throws {
    let journal = try options.openJournal()
    let counters = SharedCounters(path, isNew: false)
    let options = options
    let killTime = now() + UInt64(delay) * 1_000_000
    _ = runThreads(options.threads + 1) { thread in
      guard thread < options.threads else {
        sleep(until: killTime)
        kill(getpid(), SIGKILL)
        return
      }
      var payload = Payload()
      for number in 0..<options.appendsPerThread {
        payload.fill(thread: thread, number: number)
        AppendBenchmark.append(payload, options, to: journal)
        counters[thread].store(number + 1, ordering: .releasing)
      }
    }
  }
}

/// Numbers in a file that two processes map.
///
/// `@unchecked` because of the pointer: the region is mapped for as long as the process lives, and only used
/// through atomics.
final class SharedCounters: @unchecked Sendable {
  private let base: UnsafeMutablePointer<Atomic<Int>>

  init(_ path: String, isNew: Bool) {
    let file = open(path, O_RDWR | (isNew ? O_CREAT | O_TRUNC : 0), 0o600)
    guard file >= 0, ftruncate(file, 4096) == 0,
      let region = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      region != MAP_FAILED
    else { fatalError("cannot map \(path)") }
    close(file)
    base = region.bindMemory(to: Atomic<Int>.self, capacity: 4096 / 8)
  }

  deinit { munmap(base, 4096) }

  subscript(index: Int) -> Atomic<Int> {
    _read { yield base[index] }
  }
}
