import Foundation
import JournalKit
import PeriscopeCore

/// Logs on two threads for ever, and says what was logged.
func logFromTwoThreads(_ store: PeriscopeStore) {
  let log = store.log("Crash")
  for thread in 0..<2 {
    Thread.detachNewThread {
      let log = log("Thread-\(thread)")
      for number in 1... {
        log.tagged("n", number).info("number \(number) of thread \(thread)")
        // One short write to a pipe is atomic, so lines of the two threads never mix.
        say("\(thread) \(number)")
      }
    }
  }
}

/// What exit handlers log to; they can be given nothing.
nonisolated(unsafe) private var exitLog: Log<Message>?

/// Exits while two threads log, a sink takes what they log, and a span is open; a handler logs as well.
func exitWhileOthersLog(_ store: PeriscopeStore) -> Never {
  let log = store.log("Exit")
  unsafe exitLog = log
  store.add(sink: MemorySink())
  atexit {
    unsafe exitLog?.notice("exiting")
    unsafe exitLog?.measure("exit handler") {}
  }
  for thread in 0..<2 {
    Thread.detachNewThread { for number in 1... { log("Thread-\(thread)").info("\(number)") } }
  }
  log.begin("lease", for: 1)
  for number in 1...1_000 { log.info("\(number)") }
  exit(0)
}

/// A store whose journal has segments of this length.
private func store(
  in directory: String, segmentByteCount: Int, _ isMapped: Bool
) throws -> PeriscopeStore {
  var configuration = Journal.Configuration()
  configuration.segmentByteCount = segmentByteCount
  configuration.backend = isMapped ? .mapped : .written
  return try PeriscopeStore.make(
    storage: .directory(directory), session: .current(app: "crash-writer 1.0"),
    configuration: configuration, environment: JournalEnvironment())
}

/// Closes every file that the store has open behind its back, and goes on logging: the process neither ends nor waits, and
/// what did not reach the store was counted.
func logWithoutDescriptors(_ directory: String, isMapped: Bool) throws {
  let store = try store(in: directory, segmentByteCount: 64 << 10, isMapped)
  let log = store.log("Files")
  for number in 1...10 { log.info("before \(number)") }
  for descriptor in 3..<256 as Range<Int32> { close(descriptor) }
  // Enough for several segments.
  for number in 1...500 { log.info("after \(number)") }
  log.fault("wants to be on the disk")
  say("\(store.appendFailureCount)")
  store.close()
}

/// Logs more than the system lets this process put into one file, and says how much of it was counted as not written. To
/// pass the limit is a signal.
func logWithShortFiles(_ directory: String, isMapped: Bool) throws {
  limitFiles(to: 40_000)
  let store = try store(in: directory, segmentByteCount: 1 << 20, isMapped)
  let log = store.log("Short")
  for number in 1...1_000 { log.info("record \(number)") }
  log.fault("wants to be on the disk")
  say("\(store.appendFailureCount)")
  store.close()
}

/// Lets this process make no file longer than that. To pass the limit is a signal.
private func limitFiles(to byteCount: rlim_t) {
  signal(SIGXFSZ, SIG_DFL)
  var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
  #if canImport(Darwin)
    unsafe setrlimit(RLIMIT_FSIZE, &limit)
  #else
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
  #endif
}

/// Makes a file shorter that is longer than this process may make one, and then longer again; says how long it is each
/// time.
func cutLongFile(_ directory: String) throws {
  let fileSystem = POSIXFileSystem()
  let file = try fileSystem.open(directory + "/long", .createNew)
  try fileSystem.truncate(file, length: 100_000)
  limitFiles(to: 40_000)
  // The limit is looked up when a file is opened.
  try fileSystem.close(try fileSystem.open(directory + "/other", .createNew))
  for length in [60_000, 60_000, 50_000, 55_000, 100_000, 30_000, 40_000, 40_001] as [Int64] {
    do throws(DiskError) {
      try fileSystem.truncate(file, length: length)
    } catch {
      guard error.code == DiskError.fileTooLarge else { throw error }
    }
    say("\(try fileSystem.status(of: file).length)")
  }
}
