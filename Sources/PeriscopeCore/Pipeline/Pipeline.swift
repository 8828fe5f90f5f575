import JournalKit
import SegmentIndex
import Synchronization

/// Brings records from the threads that log to sinks and live streams.
///
/// A thin shell around `PipelineState`: it holds the lock, has a thread for each sink, and calls no sink while the lock is
/// held. A log without sinks and streams costs one load here.
final class Pipeline: Sendable {
  private struct Shared {
    var state: PipelineState
    var sinks: [Int: any LogSink] = [:]
    var workers: [Int: any BackgroundWorker] = [:]
    var streams: [Int: AsyncStream<Record>.Continuation] = [:]
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var lastNumber = 0
    var isClosed = false

    var uses: UInt8 {
      (sinks.isEmpty ? 0 : Pipeline.sinkUse) | (streams.isEmpty ? 0 : Pipeline.streamUse)
    }

    mutating func newNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let shared: BargingMutex<Shared>
  private static let sinkUse: UInt8 = 1
  private static let streamUse: UInt8 = 2
  private let uses = Atomic<UInt8>(0)
  private let environment: JournalEnvironment
  private let session: UniqueID

  init(
    session: UniqueID, environment: JournalEnvironment,
    limits: SinkQueue.Limits = SinkQueue.Limits()
  ) {
    self.session = session
    self.environment = environment
    shared = BargingMutex(Shared(state: PipelineState(limits: limits)))
  }

  /// Whether anybody wants records; what a sink logs is for streams only.
  func isInUse(bySink: Bool) -> Bool {
    uses.load(ordering: .relaxed) & (bySink ? Self.streamUse : Self.sinkUse | Self.streamUse) != 0
  }

  /// Gives a record its place among all records with `stamp`, and everybody the record, in that order. Returns the sinks
  /// to be woken.
  func push(
    _ record: inout Record, isProtected: Bool, _ stamp: (inout Record) -> Void
  ) -> [Int] {
    let thread = EmitThread.current
    return shared.withLock { shared in
      stamp(&record)
      if !shared.streams.isEmpty {
        // This tells the executor of whoever waits, which is anybody's code and may log.
        thread.yielding {
          for stream in shared.streams.values { stream.yield(record) }
        }
      }
      return thread.isDelivering ? [] : shared.state.push(record, isProtected: isProtected)
    }
  }

  /// Lets sinks do what they have to. No lock may be held.
  func wake(_ numbers: [Int]) {
    guard !numbers.isEmpty else { return }
    let workers = shared.withLock { shared in
      numbers.compactMap { number in shared.workers[number].map { (number, $0) } }
    }
    for (number, worker) in workers where !worker.wake() {
      // For want of a thread. The next record tries again.
      shared.withLock { $0.state.unschedule(number) }
    }
  }

  // MARK: Sinks

  func add(_ sink: any LogSink, _ minimumLevel: LogLevel?) -> LogSinkToken {
    shared.withLock { shared in
      guard let number = shared.state.add(minimumSeverity: minimumLevel?.severity ?? .min)
      else { return LogSinkToken(number: 0) }
      shared.sinks[number] = sink
      // This ends with `detach`, which everyone who adds a sink and everyone who closes a pipeline comes to.
      shared.workers[number] = environment.worker {
        self.work(for: number)
        return nil
      }
      uses.store(shared.uses, ordering: .relaxed)
      return LogSinkToken(number: number)
    }
  }

  /// Lets sink `token` have what was logged so far, flushes it, and lets it go.
  func remove(_ token: LogSinkToken) async {
    await withCheckedContinuation { continuation in
      wait(continuation, for: token.number) { _ = $0.close(token.number) }
    }
  }

  /// Waits until every sink has what was logged so far, and has flushed it.
  func flush() async {
    let numbers = shared.withLock { $0.state.sinks.map(\.number) }
    // All at once: one that is stuck must not keep the others from being flushed.
    await withDiscardingTaskGroup { group in
      for number in numbers {
        group.addTask {
          await withCheckedContinuation { self.wait($0, for: number) { _ in } }
        }
      }
    }
  }

  private func wait(
    _ continuation: CheckedContinuation<Void, Never>, for number: Int,
    _ change: (inout PipelineState) -> Void
  ) {
    let worker = shared.withLock { shared -> (any BackgroundWorker)? in
      let waiter = shared.newNumber()
      guard shared.state.requestFlush(number, for: waiter) != nil else { return nil }
      change(&shared.state)
      shared.waiters[waiter] = continuation
      return shared.workers[number]
    }
    guard let worker else { return continuation.resume() }
    // Whoever waits does it when there is no thread to be had.
    if !worker.wake() { work(for: number) }
  }

  /// Lets every sink have what was logged so far, and lets it go. Waits for none.
  func close() {
    let (streams, sinks) = shared.withLock { shared in
      let streams = shared.streams.values
      shared.streams = [:]
      shared.isClosed = true
      uses.store(shared.uses, ordering: .relaxed)
      return (streams, shared.state.close())
    }
    // The end of a stream calls `endStream`.
    for stream in streams { stream.finish() }
    wake(sinks)
  }

  /// Does what sink `number` has to do, on its thread.
  private func work(for number: Int) {
    while true {
      let (work, sink) = shared.withLock { ($0.state.next(number), $0.sinks[number]) }
      guard let work, let sink else { return }
      if case .detach = work { return detach(number) }
      EmitThread.current.delivering { perform(work, for: sink) }
      let waiters = shared.withLock { shared in
        shared.state.finish(number).compactMap { shared.waiters.removeValue(forKey: $0) }
      }
      for waiter in waiters { waiter.resume() }
    }
  }

  private func perform(_ work: SinkQueue.Work, for sink: any LogSink) {
    switch work {
    case .deliver(var batch):
      if let drops = batch.drops {
        var report = Record(
          reporting: DroppedEvents(drops), time: environment.clock.now(), session: session)
        report.sequence = drops.last
        report.id = UniqueID(
          bits: UInt128(environment.random()) << 64 | UInt128(environment.random()))
        batch.records.insert(report, at: 0)
        batch.scopes += report.scopes.map(ScopeID.init(path:))
      }
      if !batch.scopes.isEmpty { sink.define(batch.scopes) }
      sink.receive(batch.records)
    case .flush: sink.flush()
    case .detach: break
    }
  }

  private func detach(_ number: Int) {
    let (waiters, worker) = shared.withLock { shared in
      let waiters = shared.state.detach(number).compactMap {
        shared.waiters.removeValue(forKey: $0)
      }
      shared.sinks[number] = nil
      uses.store(shared.uses, ordering: .relaxed)
      return (waiters, shared.workers.removeValue(forKey: number))
    }
    worker?.stop()
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Live streams

  /// What is logged from now on, in order; of what nobody has read yet, the newest `limit` records. Nothing once the
  /// pipeline is closed.
  func liveRecords(limit: Int) -> AsyncStream<Record> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Record.self, bufferingPolicy: .bufferingNewest(limit))
    let number = shared.withLock { shared -> Int? in
      guard !shared.isClosed else { return nil }
      let number = shared.newNumber()
      shared.streams[number] = continuation
      uses.store(shared.uses, ordering: .relaxed)
      return number
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.endStream(number) }
    return stream
  }

  private func endStream(_ number: Int) {
    // Released outside of the lock: its end calls here.
    let stream = shared.withLock { shared in
      let stream = shared.streams.removeValue(forKey: number)
      uses.store(shared.uses, ordering: .relaxed)
      return stream
    }
    stream?.finish()
  }
}
