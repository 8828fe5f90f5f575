import Foundation
import FuzzTargets
import PQL
import SegmentIndex
import TestSupport
import Testing

/// The executor must answer as the reference does where there are several granules; `OracleTests` has small stores.
@Suite struct DifferentialTests {
  /// `PERISCOPE_TEST_SCALE=20` in the environment makes the search twenty times as wide.
  private static let scale =
    UInt64(
      ProcessInfo.processInfo.environment["PERISCOPE_TEST_SCALE"] ?? "") ?? 1

  static func context(_ generator: StoreGenerator) -> QueryContext {
    var context = QueryContext(now: StoreGenerator.start + 300 * StoreGenerator.minute)
    context.currentSession = generator.sessions[1].id
    return context
  }

  static func bound(
    _ text: String, _ segments: [Segment], _ context: QueryContext
  ) throws -> BoundQuery {
    var catalog = Catalog()
    catalog.levels.append(LogLevel("trace", severity: 50))
    catalog.add(segments)
    do throws(Diagnostics) {
      return try Binder.bind(try Query(text).tree, context, catalog)
    } catch {
      Issue.record("\(error.rendered(query: text))")
      throw error
    }
  }

  private func compare(seed: UInt64, recordCount: Int, segmentCount: Int, queryCount: Int) throws {
    var generator = StoreGenerator(seed: seed)
    let records = generator.records(recordCount)
    let segments = try generator.segments(records, count: segmentCount)
    let reference = ReferenceEvaluator(records: records, sessions: generator.sessions)
    let context = Self.context(generator)
    var queries = QueryGenerator(seed: seed)
    for _ in 0..<queryCount {
      let text = queries.query()
      let query = try Self.bound(text, segments, context)
      let expected = reference.run(query)
      let answer = Executor.run(query, on: segments)
      try #require(answer.rows.isSame(as: expected.rows), "seed \(seed): \(text)")
      try #require(answer.summary.gaps.isEmpty, "seed \(seed): \(text)")
      var streamed: [Record] = []
      let summary = Executor.stream(query, on: segments) { streamed += $0 }
      if summary != nil {
        try #require(
          QueryResult.Rows.records(streamed).isSame(as: expected.rows),
          "seed \(seed), streamed: \(text)")
      }
      let shared = Executor.run(query, on: segments, concurrency: Self.threads)
      try #require(shared.rows.isSame(as: expected.rows), "seed \(seed), on threads: \(text)")
      try #require(shared.summary == answer.summary, "seed \(seed), on threads: \(text)")
    }
  }

  /// Threads for the smallest work.
  private static let threads = Concurrency(threadCount: 3, granuleCount: 1, rowCount: 2)

  @Test func severalGranules() throws {
    for seed in 1_000..<1_000 + Self.scale {
      try compare(seed: seed, recordCount: 4_500, segmentCount: 1, queryCount: 6)
      try compare(seed: seed, recordCount: 8_500, segmentCount: 2, queryCount: 4)
    }
  }

  /// A short list of new records is found without looking at old ones.
  @Test func newestFirstStopsEarly() throws {
    var generator = StoreGenerator(seed: 5)
    let sorted = generator.records(400).sorted { $0.time < $1.time }
    let segments = try (0..<4).map { part in
      var builder = SegmentBuilder(id: UniqueID(bits: UInt128(part)))
      for record in sorted[part * 100..<part * 100 + 100] { builder.append(record) }
      return try Segment(bytes: try builder.finish(), name: "\(part)")
    }
    let query = try Self.bound("| limit 5", segments, Self.context(generator))
    let summary = Executor.run(query, on: segments).summary
    #expect(summary.skippedSegmentCount >= 2)
    #expect(summary.scannedCount <= 200)
    let count = try Self.bound("| count by level", segments, Self.context(generator))
    #expect(Executor.run(count, on: segments).summary.scannedCount == 0, "statistics suffice")
    let rare = try Self.bound(
      "session = current level = nothing* | count", segments, Self.context(generator))
    #expect(Executor.run(rare, on: segments).summary.skippedSegmentCount == 4)
  }
}
