import Foundation
import PQL
import SegmentIndex
import TestSupport
import Testing

/// The executor must answer as the reference does, however the records are laid out.
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

  /// Whether two answers are the same to the byte. A record with a NaN does not even equal itself.
  private func isSame(_ left: QueryResult.Rows, _ right: QueryResult.Rows) -> Bool {
    switch (left, right) {
    case (.records(let left), .records(let right)):
      left.map(SegmentBuilder.digest) == right.map(SegmentBuilder.digest)
    default: left == right
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
      try #require(isSame(answer.rows, expected.rows), "seed \(seed): \(text)")
      try #require(answer.summary.gaps.isEmpty, "seed \(seed): \(text)")
    }
  }

  @Test func smallStores() throws {
    for seed in 0..<30 * Self.scale as Range<UInt64> {
      try compare(
        seed: seed, recordCount: Int(seed) * 3, segmentCount: 1 + Int(seed % 5), queryCount: 20)
    }
  }

  @Test func severalGranules() throws {
    for seed in 1_000..<1_000 + Self.scale {
      try compare(seed: seed, recordCount: 4_500, segmentCount: 1, queryCount: 6)
      try compare(seed: seed, recordCount: 8_500, segmentCount: 2, queryCount: 4)
    }
  }

  /// `Q where p` and `Q where not p` split the records into two parts.
  @Test func everyFilterPartitions() throws {
    for seed in 0..<12 * Self.scale as Range<UInt64> {
      var generator = StoreGenerator(seed: seed)
      let records = generator.records(80)
      let segments = try generator.segments(records, count: 2)
      var queries = QueryGenerator(seed: seed + 500)
      for _ in 0..<15 {
        let filter = queries.filter(3)
        var count = 0
        for text in [filter, "not (\(filter))"] {
          let query = try Self.bound(text, segments, Self.context(generator))
          count += Executor.run(query, on: segments).rowCount
        }
        try #require(count == records.count, "seed \(seed): \(filter)")
      }
    }
  }

  /// A damaged block loses its granule, or its segment, and nothing else; the summary says so.
  @Test func damageBecomesGaps() throws {
    for seed in 0..<60 * Self.scale as Range<UInt64> {
      var generator = StoreGenerator(seed: seed)
      let records = generator.records(60)
      var builder = SegmentBuilder(id: UniqueID(bits: 7))
      for record in records { builder.append(record) }
      var bytes = try builder.finish()
      let position = Int.random(in: 0..<bytes.count, using: &generator.random)
      bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator.random)
      // A segment whose head is damaged does not open at all; the store reports that.
      guard let damaged = try? Segment(bytes: bytes, name: "damaged") else { continue }
      let sound = try generator.segments(records, count: 1)
      var queries = QueryGenerator(seed: seed)
      for _ in 0..<10 {
        let text = queries.query()
        let context = Self.context(generator)
        let query = try Self.bound(text, sound, context)
        let answer = Executor.run(query, on: [damaged], sessions: generator.sessions)
        let whole = Executor.run(query, on: sound, sessions: generator.sessions)
        if answer.summary.gaps.isEmpty {
          try #require(isSame(answer.rows, whole.rows), "seed \(seed): \(text)")
        } else {
          // There is one granule, so its loss is the loss of all.
          let nothing = ReferenceEvaluator(records: []).run(query)
          try #require(answer.summary.isComplete == false)
          if case .timeline = query.exit { continue }
          try #require(isSame(answer.rows, nothing.rows), "seed \(seed): \(text)")
        }
      }
    }
  }
}
