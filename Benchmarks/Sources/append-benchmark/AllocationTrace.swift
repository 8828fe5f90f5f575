import AppendHarness
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

// Of a header that Swift does not see.
#if canImport(Glibc)
  @_silgen_name("mtrace") private func beginTrace()
  @_silgen_name("muntrace") private func endTrace()
#else
  private func beginTrace() { fatalError("only the GNU C library has a trace of allocations") }
  private func endTrace() {}
#endif

/// Counts what appending allocates, with the C library's own trace, through which everything in the process
/// allocates, Swift's library too.
///
/// The trace is in a library of its own, which has to be there before everything else: so the program starts itself
/// again with it, and the child writes a line for each allocation.
struct AllocationTrace {
  /// Allocations of the child's that prove the trace to be at work.
  private static let controlCount = 10
  let options: Options

  private var path: String { options.directory + "/allocations" }

  /// Variant, threads, appends, and what the whole process allocated from the second append of each thread to the last:
  /// upkeep and new segments included, starting the threads not.
  func run() throws -> [String] {
    guard getenv("MALLOC_TRACE") == nil else { return try append() }
    setenv("MALLOC_TRACE", path, 1)
    setenv("LD_PRELOAD", "libc_malloc_debug.so.0", 1)
    runAgain()
    let count = countAllocations() - Self.controlCount
    guard count >= 0 else { fatalError("nothing is traced: is libc_malloc_debug.so.0 missing?") }
    unlink(path)
    let appends = options.threads * options.appendsPerThread
    return [options.variant] + [options.threads, appends, count].map { "\($0)" }
  }

  private func runAgain() {
    var process: pid_t = 0
    var pointers = CommandLine.arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var status: Int32 = 0
    guard posix_spawnp(&process, CommandLine.arguments[0], nil, nil, &pointers, environ) == 0,
      waitpid(process, &status, 0) == process, status == 0
    else { fatalError("cannot run again") }
  }

  /// The child's part: returns nothing to print.
  private func append() throws -> [String] {
    options.clear()
    let log = try JournalCandidate.open(options.variant, directory: options.logDirectory)
    let begun = Atomic(0)
    let done = Atomic(0)
    _ = runThreads(options.threads) { thread in
      var payload = Payload()
      payload.fill(thread: thread, number: 0)
      log.append(payload.bytes)
      // One thread begins and ends the trace while all others wait.
      Self.meet(begun, options.threads)
      if thread == 0 {
        beginTrace()
        for _ in 0..<Self.controlCount { Self.keep(strdup("control")) }
      }
      Self.meet(begun, 2 * options.threads)
      for number in 1...options.appendsPerThread {
        payload.fill(thread: thread, number: number)
        log.append(payload.bytes)
      }
      Self.meet(done, options.threads)
      if thread == 0 { endTrace() }
      Self.meet(done, 2 * options.threads)
    }
    log.close()
    options.remove()
    return []
  }

  private static let kept = Mutex(0)

  private static func keep(_ pointer: UnsafeMutablePointer<CChar>?) {
    kept.withLock { $0 ^= Int(bitPattern: pointer) }
  }

  private static func meet(_ arrived: borrowing Atomic<Int>, _ count: Int) {
    arrived.add(1, ordering: .acquiringAndReleasing)
    while arrived.load(ordering: .acquiring) < count { sched_yield() }
  }

  /// The lines such as `@ /lib/libc.so.6:[0x9a3b1] + 0x55d0 0x20`; `>` is what `realloc` returned.
  private func countAllocations() -> Int {
    guard let file = fopen(path, "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    var count = 0
    while fgets(&line, Int32(line.count), file) != nil {
      if strstr(line, "] + 0x") != nil || strstr(line, "] > 0x") != nil { count += 1 }
    }
    return count
  }
}
