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
package struct KillTest<C: Candidate> {
  private let options: Options
  private var rounds = 0
  /// Appends that returned.
  private var returned = 0
  /// Those of them that are not there.
  private var lost = 0
  /// Appends that did not return, and are there all the same.
  private var unreturned = 0
  /// Entries that nobody appended or that are there twice, and places that cannot be read.
  private var damaged = 0

  package init(_ candidate: C.Type, _ options: Options) {
    self.options = options
  }

  /// Whether every promise was kept.
  package var isSound: Bool { lost == 0 && damaged == 0 }

  /// Variant, threads, rounds, returned, lost, unreturned, damaged.
  package var fields: [String] {
    [options.variant]
      + [options.threads, rounds, returned, lost, unreturned, damaged].map { "\($0)" }
  }

  /// Runs `count` more writers to their deaths.
  package mutating func run(rounds count: Int) throws {
    let counters = options.directory + "/returned"
    for _ in 0..<count {
      options.clear()
      let region = SharedCounters(counters, isNew: true)
      runChild(delay: 15 + rounds % 20 * 7, counters: counters)
      try check(region)
      rounds += 1
    }
    options.remove()
    unlink(counters)
  }

  private func runChild(delay: Int, counters: String) {
    let arguments = [
      CommandLine.arguments[0], options.directory, options.variant,
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

  private mutating func check(_ counters: SharedCounters) throws {
    let limit = options.appendsPerThread
    var seen = [[UInt8]](
      repeating: [UInt8](repeating: 0, count: limit), count: options.threads)
    var expected = Payload()
    var strangers = 0
    let places = try C.recover(options.variant, directory: options.logDirectory) { payload in
      guard let (thread, number) = Payload.name(of: payload), thread < seen.count, number < limit
      else {
        strangers += 1
        return
      }
      expected.fill(thread: thread, number: number)
      guard let start = payload.baseAddress, memcmp(expected.bytes, start, payload.count) == 0,
        seen[thread][number] == 0
      else {
        strangers += 1
        return
      }
      seen[thread][number] = 1
    }
    damaged += strangers + places
    for thread in 0..<options.threads {
      let acknowledged = counters[thread].load(ordering: .acquiring)
      returned += acknowledged
      lost += seen[thread][..<acknowledged].count { $0 == 0 }
      unreturned += seen[thread][acknowledged...].count { $0 == 1 }
    }
  }

  /// The writer: appends until it kills itself.
  package func die(after delay: Int, counters path: String) throws {
    let log = try C.open(options.variant, directory: options.logDirectory)
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
        log.append(payload.bytes)
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
