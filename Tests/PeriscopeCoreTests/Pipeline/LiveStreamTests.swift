import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// Whoever waits for a live stream is told by the thread that logs, in the middle of that: what runs there is anybody's
/// code.
@Suite struct LiveStreamTests {
  /// Does something of its own whenever it gets work, and leaves the work to the test.
  final class ChattyExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let whenTold = Mutex<(@Sendable () -> Void)?>(nil)

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
      whenTold.withLock { $0 }?()
    }

    func whenTold(_ body: @escaping @Sendable () -> Void) {
      whenTold.withLock { $0 = body }
    }

    /// Does what there is to do.
    func run() {
      while case let waiting = jobs.withLock({ $0 }), !waiting.isEmpty {
        jobs.withLock { $0 = [] }
        for job in waiting { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      }
    }
  }

  @Test func anExecutorThatLogsKeepsNobodyWaiting() async throws {
    let store = try PeriscopeStoreTests.Machine(worker: InlineWorker.init).open()
    let (log, executor, sink) = (store.log("App"), ChattyExecutor(), MemorySink())
    store.add(sink: sink)
    let stream = store.liveRecords()
    let read = Mutex<[String]>([])
    let reading = Task(executorPreference: executor) {
      for await record in stream { read.withLock { $0.append(record.message) } }
    }
    // Now it waits for the first record.
    executor.run()
    let began = Mutex<[UniqueID?]>([])
    executor.whenTold {
      log.info("told")
      let id = log.begin("span", for: 1)
      began.withLock { $0.append(id) }
      log.end("lease", for: 1)
      log.measure("step") { log.info("measured") }
      _ = store.openSpans()
    }
    log.info("one")
    executor.run()
    // This one is told with the lock of spans held, too.
    log.begin("lease", for: 1)
    executor.run()
    #expect(began.withLock { $0 } == [nil, nil])
    #expect(store.openSpans().map(\.name) == ["lease"])
    executor.whenTold {}
    store.close()
    executor.run()
    #expect(read.withLock { $0 } == ["one", "lease"])
    // It comes to nobody but the store.
    #expect(sink.records.map(\.message) == ["one", "lease"])
    let stored = try store.query("| sort sequence").records.map(\.message)
    #expect(stored.filter { $0 == "told" || $0 == "measured" }.count == 4)
    #expect(Set(stored) == ["one", "lease", "told", "measured"])
    reading.cancel()
    executor.run()
  }
}
