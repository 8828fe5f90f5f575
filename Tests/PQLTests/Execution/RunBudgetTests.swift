import PQL
import SegmentIndex
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

  /// What is wrong with a run is not wrong at a place of the text.
  @Test func messagesPointNowhere() throws {
    var store = try store()
    store.context.limits.duration = .zero
    let problem = try #require(self.problem("level >= error", store))
    #expect(!shown(problem, "level >= error").contains("^"))
  }
}

/// The problem as a terminal shows it.
private func shown(_ problem: Diagnostic, _ query: String) -> String {
  DiagnosticRenderer(query: Array(query.utf8)).render(problem)
}
