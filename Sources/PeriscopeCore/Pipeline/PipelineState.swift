package import SegmentIndex

/// All sinks and what each still has to get: a plain value, so that every order of events can be tried without threads.
package struct PipelineState {
  /// In the order in which they were added.
  package private(set) var sinks: [(number: Int, queue: SinkQueue)] = []
  private var lastNumber = 0
  private var isClosed = false
  private let limits: SinkQueue.Limits

  package init(limits: SinkQueue.Limits = SinkQueue.Limits()) {
    self.limits = limits
  }

  /// Adds a sink that wants no record milder than `minimumSeverity`, and returns its number; nil once the pipeline is
  /// closed.
  package mutating func add(minimumSeverity: Int32 = .min) -> Int? {
    guard !isClosed else { return nil }
    lastNumber += 1
    sinks.append((lastNumber, SinkQueue(limits: limits, minimumSeverity: minimumSeverity)))
    return lastNumber
  }

  /// Adds a record for every sink, and returns those that must be woken.
  package mutating func push(_ record: Record, isProtected: Bool) -> [Int] {
    var woken: [Int] = []
    for index in sinks.indices where sinks[index].queue.push(record, isProtected: isProtected) {
      woken.append(sinks[index].number)
    }
    return woken
  }

  /// Lets no record more come to sink `number`. True when it must be woken.
  package mutating func close(_ number: Int) -> Bool {
    change(number) { $0.close() } ?? false
  }

  /// Lets nothing more come to any sink, and returns those that must be woken.
  package mutating func close() -> [Int] {
    isClosed = true
    return sinks.map(\.number).filter { close($0) }
  }

  /// Asks sink `number` for a flush that `waiter` is told of. True when it must be woken, nil when there is no such sink.
  package mutating func requestFlush(_ number: Int, for waiter: Int) -> Bool? {
    change(number) { $0.requestFlush(waiter) }
  }

  /// Says that sink `number` could not be woken.
  package mutating func unschedule(_ number: Int) {
    change(number) { $0.unschedule() }
  }

  /// What sink `number` has to do now.
  package mutating func next(_ number: Int) -> SinkQueue.Work? {
    change(number) { $0.next() } ?? nil
  }

  /// Says that sink `number` did what it had to; returns those whose flush is done.
  package mutating func finish(_ number: Int) -> [Int] {
    change(number) { $0.finish() } ?? []
  }

  /// Forgets sink `number`; returns those who wait for it in vain.
  package mutating func detach(_ number: Int) -> [Int] {
    let waiters = change(number) { $0.finish() + $0.abandonWaiters() } ?? []
    sinks.removeAll { $0.number == number }
    return waiters
  }

  @discardableResult
  private mutating func change<Result>(
    _ number: Int, _ body: (inout SinkQueue) -> Result
  ) -> Result? {
    guard let index = sinks.firstIndex(where: { $0.number == number }) else { return nil }
    return body(&sinks[index].queue)
  }
}
