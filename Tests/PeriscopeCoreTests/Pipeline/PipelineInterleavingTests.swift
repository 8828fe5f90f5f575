import PeriscopeCore
import TestSupport
import Testing

/// Every order there is, and not some of them, of the few steps that a handful of threads take.
@Suite struct PipelineInterleavingTests {
  /// What a thread does in one step, under the pipeline's lock.
  enum Step {
    case log(LogLevel, isProtected: Bool)
    /// `flush()` of the first sink.
    case flush
    /// `remove(_:)` of the first sink, which waits for a flush as well.
    case remove
    case add
    case close
  }

  /// What a sink's own thread and whoever looks at it know.
  struct Sink {
    var isAwake = false
    var underWay: SinkQueue.Work?
    var expected: [UInt64] = []
    var settled: [UInt64] = []
    var seen: [UInt64] = []
    var protected: [UInt64] = []
    /// The number of records that an error, or somebody who waits, wants flushed; how many have been.
    var urgent = 0
    var flushed = 0
    var waiters: [Int: Int] = [:]
    var isClosing = false
    var isGone = false
  }

  /// The world between two steps: a plain value, so that each way on begins with the same.
  struct World {
    var state: PipelineState
    var threads: [ArraySlice<Step>]
    var sinks: [Int: Sink] = [:]
    var sequence: UInt64 = 0
    var waiter = 0
    var problems: [String] = []

    init(_ threads: [[Step]]) {
      var limits = SinkQueue.Limits()
      limits.records = 1
      state = PipelineState(limits: limits)
      self.threads = threads.map { $0[...] }
      add()
    }

    mutating func add() {
      if let number = state.add() { sinks[number] = Sink() }
    }

    mutating func wake(_ numbers: [Int]) {
      for number in numbers {
        if sinks[number]?.isAwake != false { problems.append("woken twice, or gone") }
        sinks[number]?.isAwake = true
      }
    }

    mutating func run(_ step: Step) {
      switch step {
      case .log(let level, let isProtected):
        sequence += 1
        for number in sinks.keys where sinks[number]?.isClosing == false {
          sinks[number]?.expected.append(sequence)
          if isProtected { sinks[number]?.protected.append(sequence) }
          let count = sinks[number]?.expected.count ?? 0
          if level == .error { sinks[number]?.urgent = count }
        }
        wake(state.push(SinkQueueTests.record(sequence, level), isProtected: isProtected))
      case .flush: wait()
      case .remove:
        if wait() {
          sinks[1]?.isClosing = true
          if state.close(1) { wake([1]) }
        }
      case .add: add()
      case .close:
        for number in sinks.keys { sinks[number]?.isClosing = true }
        wake(state.close())
      }
    }

    @discardableResult
    mutating func wait() -> Bool {
      waiter += 1
      guard let mustWake = state.requestFlush(1, for: waiter) else {
        if sinks[1]?.isGone != true { problems.append("there is a sink that nobody knows") }
        return false
      }
      let goal = sinks[1]?.expected.count
      sinks[1]?.waiters[waiter] = goal
      if mustWake { wake([1]) }
      return true
    }

    /// A step of a sink's thread.
    mutating func work(_ number: Int) {
      guard var sink = sinks[number] else { return }
      defer { sinks[number] = sink }
      guard let work = sink.underWay else {
        sink.underWay = state.next(number)
        if sink.underWay == nil { sink.isAwake = false }
        return
      }
      sink.underWay = nil
      switch work {
      case .deliver(let batch):
        sink.seen += batch.records.map(\.sequence)
        if let drops = batch.drops {
          // One after the other: the limit is one.
          sink.settled += sink.expected.filter {
            (drops.first...drops.last).contains($0) && !sink.protected.contains($0)
          }
        }
        sink.settled += batch.records.map(\.sequence)
      case .flush: sink.flushed = sink.settled.count
      case .detach:
        let rest = Set(state.detach(number))
        if rest != Set(sink.waiters.keys) { problems.append("somebody waits for ever") }
        sink.isGone = true
        sink.isAwake = false
        return
      }
      for waiter in state.finish(number) {
        guard let goal = sink.waiters.removeValue(forKey: waiter), goal <= sink.flushed else {
          problems.append("a flush came too early")
          continue
        }
      }
    }

    /// What is wrong when nobody has anything to do any more.
    var faults: [String] {
      var faults = problems
      for sink in sinks.values {
        if sink.settled.sorted() != sink.expected { faults.append("lost or doubled: \(sink)") }
        if sink.seen != sink.seen.sorted() { faults.append("out of order: \(sink)") }
        if !Set(sink.protected).isSubset(of: sink.seen) { faults.append("not kept: \(sink)") }
        let goal = sink.isClosing ? sink.expected.count : sink.urgent
        if sink.flushed < goal { faults.append("not flushed: \(sink)") }
        if sink.isClosing != sink.isGone { faults.append("not detached: \(sink)") }
        if !sink.isGone && !sink.waiters.isEmpty { faults.append("still waiting: \(sink)") }
      }
      return faults
    }

    /// Goes every way from here to the end, and returns how many there are.
    func explore(_ report: (World) -> Void) -> Int {
      var count = 0
      for index in threads.indices {
        guard let step = threads[index].first else { continue }
        var next = self
        next.threads[index].removeFirst()
        next.run(step)
        count += next.explore(report)
      }
      for (number, sink) in sinks where sink.isAwake {
        var next = self
        next.work(number)
        count += next.explore(report)
      }
      guard count == 0 else { return count }
      report(self)
      return 1
    }
  }

  static let scenarios: [[[Step]]] = [
    [[.log(.info, isProtected: false), .log(.error, isProtected: false)], [.flush]],
    [[.log(.info, isProtected: true)], [.log(.info, isProtected: false)], [.remove]],
    [[.log(.error, isProtected: false), .log(.info, isProtected: false)], [.remove], [.flush]],
    [[.log(.error, isProtected: false), .close], [.flush]],
    [[.add, .log(.error, isProtected: false)], [.close]],
    [[.flush], [.flush], [.remove]],
  ]

  @Test(arguments: scenarios.indices) func nothingIsLostInAnyOrder(scenario: Int) {
    var problems: [String: Int] = [:]
    let count = World(Self.scenarios[scenario]).explore { world in
      for fault in world.faults { problems[fault, default: 0] += 1 }
    }
    #expect(problems.isEmpty)
    #expect(count > 20)
    print("scenario \(scenario): \(count) orders")
  }
}
