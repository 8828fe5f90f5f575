import PQL
import SegmentIndex
import Synchronization
import Testing

/// Runs that may not take what they need end with a message.
@Suite struct RunBudgetTests {
  private func store(_ count: Int = 100, segments: Int = 3) throws -> SmallStore {
    try SmallStore(
      (0..<count).map { index in
        SmallStore.record(index) {
          $0.line = Int64(index)
          $0.span = UniqueID(bits: UInt128(index))
          $0.scopes = ["App"]
        }
      }, segmentCount: segments)
  }

  /// Every way that rows can take through the executor.
  private static let queries = [
    "*", "| limit 3", "record | sort -line", "| select line, x = line * 2", "| count",
    "| count by line",
    "line > 3 | count", "| stats p50(line), distinct(message) by level", "| top 3 event",
    "| timeline",
    "| dedup line", "| spans", "| limit 2 | trace", "| limit 2 | context 3",
    "| limit 50 | where line > 3 | stats max(line) by event | extend x = 1 | sort x | where x = 1",
  ]

  private func problem(_ text: String, _ store: SmallStore) -> Diagnostic? {
    do throws(Diagnostics) {
      let query = try Query(text)
      _ = try query.run(on: store.segments, store.context)
      return nil
    } catch {
      return error.all.first
    }
  }

  @Test(arguments: queries)
  func cancelledRunsHaveNoAnswer(_ text: String) throws {
    var store = try store()
    let cancellation = QueryCancellation()
    store.context.cancellation = cancellation
    #expect(problem(text, store) == nil && !cancellation.isCancelled)
    cancellation.cancel()
    #expect(problem(text, store)?.code == .cancelled)
    #expect(problem(text, store)?.message == "the query was cancelled")
  }

  @Test(arguments: queries)
  func timeRunsOut(_ text: String) throws {
    var store = try store()
    store.context.limits.duration = .zero
    let problem = try #require(self.problem(text, store))
    #expect(problem.code == .outOfTime)
    #expect(problem.message == "the query took longer than 0s, the limit")
    store.context.limits.duration = nil
    #expect(self.problem(text, store) == nil)
  }

  @Test func memoryRunsOut() throws {
    var store = try store(5_000, segments: 1)
    // More than one granule is looked at before anybody counts.
    store.context.limits.byteCount = 50_000
    for text in [
      "*", "| sort -message", "| count by line", "| stats p50(line), p90(sequence)",
      "| stats distinct(message)",
      "| dedup line", "| limit 4900 | count by level", "| top 2 line", "| timeline every 1s",
      "| select line, message | sort message",
    ] {
      #expect(problem(text, store)?.code == .outOfMemory, "\(text)")
    }
    for text in ["| limit 10", "| count", "| count by level", "| stats max(line), sum(line)"] {
      #expect(problem(text, store) == nil, "\(text)")
    }
    let problem = try #require(self.problem("*", store))
    #expect(problem.message == "the query needs more than 50KB of memory, the limit")
    #expect(shown(problem, "*").contains("= help: ask for less"))
  }

  /// Thousands of aggregates of thousands of groups must not exist before anybody counts them.
  @Test func manyAggregatesAreFew() throws {
    var store = try store(600, segments: 1)
    store.context.limits.byteCount = 4 << 20
    let aggregates = (0..<2_000).map { "a\($0) = p50(line)" }.joined(separator: ", ")
    #expect(problem("| stats \(aggregates) by line", store)?.code == .outOfMemory)
  }

  // MARK: Memory of all parts together

  /// 9,000 records in four segments, with messages of which none is like another.
  private static let longMessages = Result {
    try SmallStore(
      (0..<9_000).map { index in
        SmallStore.record(index) {
          $0.line = Int64(index)
          $0.message = "\(index * 7_919 % 9_000)" + String(repeating: "m", count: 120)
          $0.payload = Array(#"{"text":"\#(String(repeating: "p", count: 100))"}"#.utf8)
        }
      }, segmentCount: 4)
  }

  /// Why a run on so many threads had to stop; nil when it had an answer.
  private func code(
    _ text: String, _ byteCount: Int, threads: Int = 1, soughtAtOnce: Int = 65_536
  ) throws -> DiagnosticCode? {
    let store = try Self.longMessages.get()
    var limits = QueryLimits()
    limits.byteCount = byteCount
    limits.groupCount = 20_000
    let budget = RunBudget(limits)
    _ = Executor.run(
      try store.bound(text), on: store.segments, limits, budget: budget,
      concurrency: Concurrency(
        threadCount: threads, granuleCount: 1, rowCount: 1, soughtAtOnce: soughtAtOnce))
    return budget.diagnostics?.all.first?.code
  }

  /// What each of four threads might hold by itself, they must not hold together.
  @Test func allThreadsShareTheMemory() throws {
    for threads in [1, 4] {
      for text in [
        "| sort message | select line", "| stats distinct(message) by line",
        "| stats max(message) by line", "| count by message",
      ] {
        let few = try code(text, 1_500_000, threads: threads, soughtAtOnce: 1)
        #expect(few == .outOfMemory, "\(text)")
        let many = try code(text, 16_000_000, threads: threads, soughtAtOnce: 1)
        #expect(many == nil, "\(text)")
      }
    }
  }

  /// Many processors must not be why a run has no answer.
  @Test func asManyWorkAsTheMemoryIsFor() {
    var limits = QueryLimits()
    limits.byteCount = 64 << 20
    let budget = RunBudget(limits)
    #expect(budget.partCount(ofBytes: 8 << 20) == 6)
    #expect(budget.partCount(ofBytes: 24 << 20) == 2)
    #expect(budget.partCount(ofBytes: 1 << 40) == 1)
    #expect(budget.partCount(ofBytes: 0) > 1_000)
    #expect(RunBudget(.unlimited).partCount(ofBytes: 1 << 40) > 1_000)
  }

  /// What a stage has taken over from records that are gone is counted as long as it is there.
  @Test func whatAStageTookOverIsCounted() throws {
    let more = (0..<6).map { "c\($0) = lower(m)" }.joined(separator: ", ")
    let text = "line >= 7000 | limit 1900 | where line > 0 | select m = message, p = payload"
    #expect(try code(text, 2_450_000) == nil)
    #expect(try code("\(text) | extend \(more)", 2_450_000) == .outOfMemory)
    #expect(try code("\(text) | extend \(more)", 8_000_000) == nil)
  }

  /// Of a sort with a small limit only the first rows are kept, and few more.
  @Test func sortsWithALimitKeepFewRows() throws {
    for text in ["| sort message | limit 10", "| sort -message, line | limit 100 | select line"] {
      #expect(try code(text, 1_500_000) == nil, "\(text)")
    }
  }

  /// What a stage makes of rows is counted while it is made.
  @Test func whatIsMadeOfRowsIsCounted() throws {
    let columns = (0..<40).map { "c\($0) = 1" }.joined(separator: ", ")
    let recent = "line >= 7000"
    for (text, byteCount) in [
      ("| select t = lower(message)", 300_000), ("| select payload.text, message", 400_000),
      ("| dedup message | select line", 450_000), ("| select line | extend \(columns)", 2_000_000),
      ("| select line | select \(columns)", 2_000_000),
      ("| limit 1900 | where line > 0 | select payload", 800_000),
      ("| limit 1900 | where line > 0 | select a = lower(message), b = lower(message)", 1_500_000),
      ("| select m = message | extend a = lower(m), b = lower(m), c = lower(m)", 1_000_000),
    ] {
      #expect(try code("\(recent) \(text)", byteCount) == .outOfMemory, "\(text)")
      #expect(try code("\(recent) \(text)", 3 * byteCount) == nil, "\(text)")
    }
  }

  /// Groups that other threads have found are put together a few at a time; nobody who has cancelled waits for all of them.
  @Test func theBudgetIsAskedBetweenGroups() throws {
    let store = try store(2_000, segments: 4)
    let clock = CountingClock()
    let result = Executor.run(
      try store.bound("| stats max(line) by line"), on: store.segments,
      budget: RunBudget(QueryLimits(), now: clock.now),
      concurrency: Concurrency(threadCount: 4, granuleCount: 1, rowCount: 1))
    #expect(result.rowCount == 2_000)
    // Three threads' groups, 500 each, are added to those of the fourth, sixteen between two looks.
    #expect(clock.count.withLock { $0 } > 3 * 500 / 16)
  }

  /// Whenever time runs out, there is no answer, and else there is the whole.
  @Test func timeMayRunOutAnywhere() throws {
    let messages = (0..<60).map { index in "user\(index % 7)x asks" }
    let store = try SmallStore(
      messages.enumerated().map { index, message in
        SmallStore.record(index) { $0.message = message }
      }, segmentCount: 20)
    // What a few messages say is read apart from the rest.
    let query = try store.bound("message:r3x | count")
    let counted = CountingClock()
    func run(_ clock: CountingClock) -> (result: QueryResult, code: DiagnosticCode?) {
      let budget = RunBudget(QueryLimits(), now: clock.now)
      let result = Executor.run(query, on: store.segments, budget: budget)
      return (result, budget.diagnostics?.all.first?.code)
    }
    let whole = run(counted).result
    #expect(whole.summary.scannedGranuleCount == 0, "each message is read by itself")
    let count = counted.count.withLock { $0 }
    #expect(count >= 2 * store.segments.count, "before each segment, and before each is read")
    for limit in 1..<count {
      #expect(run(CountingClock(limit: limit)).code == .outOfTime, "\(limit)")
    }
    #expect(run(CountingClock(limit: count)).result.rows == whole.rows)
  }

  /// What is wrong with a run is not wrong at a place of the text.
  @Test func messagesPointNowhere() throws {
    var store = try store()
    store.context.limits.duration = .zero
    let problem = try #require(self.problem("level >= error", store))
    #expect(!shown(problem, "level >= error").contains("^"))
  }
}

/// A clock that stands still until it has been asked so often, and then is days ahead.
private final class CountingClock: Sendable {
  let count = Mutex(0)
  private let limit: Int
  private let start = ContinuousClock.now

  init(limit: Int = .max) {
    self.limit = limit
  }

  func now() -> ContinuousClock.Instant {
    let count = count.withLock { count in
      count += 1
      return count
    }
    return count > limit ? start.advanced(by: .seconds(1_000_000)) : start
  }
}

/// The problem as a terminal shows it.
private func shown(_ problem: Diagnostic, _ query: String) -> String {
  DiagnosticRenderer(query: Array(query.utf8)).render(problem)
}
