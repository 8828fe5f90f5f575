import PQL
import SegmentIndex
import Testing

/// Listing records in the order of time, where many have the same.
@Suite struct TimeOrderTests {
  /// Records of which `width` in a row have the same time.
  private func records(_ count: Int, width: Int) -> [Record] {
    (0..<count).map { index in
      SmallStore.record(index, at: SmallStore.start + Int64(index / width))
    }
  }

  /// The records in segments one after another, each of so many.
  private func segments(_ records: [Record], of size: Int) throws -> [Segment] {
    try stride(from: 0, to: records.count, by: size).map { start in
      var builder = SegmentBuilder(id: UniqueID(bits: UInt128(start)))
      for record in records[start..<min(start + size, records.count)] { builder.append(record) }
      return try Segment(bytes: try builder.finish(), name: "\(start)")
    }
  }

  private func numbers(
    _ text: String, _ segments: [Segment], _ concurrency: Concurrency = .standard
  ) throws -> [UInt64] {
    let query = try DifferentialTests.bound(text, segments, QueryContext(now: SmallStore.start))
    return Executor.run(query, on: segments, concurrency: concurrency).records.map(\.sequence)
  }

  /// The sequences of the records, oldest first and among those of the same time newest first.
  private func oldestFirst(_ records: [Record]) -> [UInt64] {
    records.sorted { ($0.time, $1.sequence) < ($1.time, $0.sequence) }.map(\.sequence)
  }

  /// Within a granule, over its end, over the end of a segment, and all the same.
  @Test(arguments: [1, 3, 1_000, 9_000])
  func recordsOfTheSameTimeAreNewestFirstInEitherOrder(_ width: Int) throws {
    let records = records(9_000, width: width)
    let oldest = oldestFirst(records)
    for size in [9_000, 4_500, 1_000] {
      let segments = try segments(records, of: size)
      for limit in [1, 2, 50, 4_097, 8_999, 100_000] {
        #expect(
          try numbers("| sort time | limit \(limit)", segments) == Array(oldest.prefix(limit)),
          "\(size), \(limit)")
        let newest = records.map(\.sequence).reversed().prefix(limit)
        #expect(
          try numbers("| limit \(limit)", segments) == Array(newest), "\(size), \(limit)")
        #expect(
          try numbers("| sort -time | limit \(limit)", segments) == Array(newest),
          "\(size), \(limit)")
      }
    }
  }

  @Test func theOldestRecordsAreFoundWithoutLookingAtAll() throws {
    let records = records(20_000, width: 2)
    for size in [20_000, 5_000] {
      let segments = try segments(records, of: size)
      let context = QueryContext(now: SmallStore.start)
      for text in ["| sort time | limit 10", "| sort -time | limit 10", "| limit 10"] {
        let query = try DifferentialTests.bound(text, segments, context)
        let summary = Executor.run(query, on: segments).summary
        #expect(summary.scannedGranuleCount == 1, "\(text)")
      }
    }
  }

  /// Segments that overlap are looked at side by side, and no further than the order needs.
  @Test func theOldestOfOverlappingSegmentsAreFoundWithoutLookingAtAll() throws {
    let records = records(20_000, width: 2)
    let store = try SmallStore(records, segmentCount: 2)
    let query = try store.bound("| sort time | limit 10")
    let answer = Executor.run(query, on: store.segments)
    #expect(answer.records.map(\.sequence) == Array(oldestFirst(records).prefix(10)))
    #expect(answer.summary.scannedGranuleCount < answer.summary.granuleCount)
  }

  /// Of 12,000 records segments that overlap because some came late, at an end or as a whole.
  private func overlappingSegments(_ records: [Record]) throws -> [Segment] {
    func segment(_ id: UInt128, _ indices: some Sequence<Int>) throws -> Segment {
      var builder = SegmentBuilder(id: UniqueID(bits: id))
      for index in indices { builder.append(records[index]) }
      return try Segment(bytes: try builder.finish(), name: "\(id)")
    }
    let late = [4_700, 4_999, 5_003]
    let inner = stride(from: 7_001, to: 7_900, by: 3)
    return try [
      segment(3, (11_000..<12_000)),
      segment(1, (0..<5_200).filter { !late.contains($0) }),
      segment(2, (Array(5_200..<11_000) + late).filter { !inner.contains($0) }),
      segment(4, inner),
    ]
  }

  /// However many rows are wanted, they come in order.
  @Test(arguments: [1, 3, 1_000])
  func rowsOfOverlappingSegmentsComeInOrder(_ width: Int) throws {
    let records = records(12_000, width: width)
    let segments = try overlappingSegments(records)
    let oldest = oldestFirst(records)
    let newest = records.map(\.sequence).reversed() as [UInt64]
    #expect(try numbers("| sort time", segments) == oldest)
    #expect(try numbers("", segments) == newest)
    #expect(try numbers("| limit 7000", segments) == Array(newest.prefix(7_000)))
    let some = try numbers("sequence > 4600 sequence < 8000 | sort time", segments)
    #expect(some == oldest.filter { 4_600 < $0 && $0 < 8_000 })
    for text in ["| sort time | select sequence, message", "| select sequence"] {
      let query = try DifferentialTests.bound(text, segments, QueryContext(now: SmallStore.start))
      let rows = Executor.run(query, on: segments).table?.rows ?? []
      let expected = text.contains("sort") ? oldest : newest
      #expect(rows.indices.map { rows[$0, 0] } == expected.map { Value.int(Int64($0)) }, "\(text)")
    }
  }

  /// Rows that are too many are dropped while others are still sought, but none that is wanted.
  @Test(arguments: [3, 1_000])
  func rowsThatAreTooManyAreDroppedMeanwhile(_ width: Int) throws {
    let records = records(12_000, width: width)
    let oldest = oldestFirst(records)
    let newest = records.map(\.sequence).reversed() as [UInt64]
    for segments in try [overlappingSegments(records), segments(records, of: 5_000)] {
      for (threads, granules) in [(3, 1)] {
        let concurrency = Concurrency(
          threadCount: threads, granuleCount: granules, rowCount: 50, soughtAtOnce: 1)
        for limit in [1, 900, 6_500] {
          #expect(
            try numbers("| sort time | limit \(limit)", segments, concurrency)
              == Array(oldest.prefix(limit)), "\(segments.count), \(limit)")
          #expect(
            try numbers("| limit \(limit)", segments, concurrency)
              == Array(newest.prefix(limit)), "\(segments.count), \(limit)")
        }
      }
    }
  }

  /// What two processes logged at once stands in turns in two segments; what is in memory is bounded by what is wanted.
  @Test func segmentsThatOverlapWhollyAreCutToTheLimit() throws {
    let records = records(22_000, width: 1)
    let turns = try SmallStore(records, segmentCount: 2).segments
    let few = try SmallStore(Array(records.suffix(14_000)), segmentCount: 2).segments
    var late = records
    late.swapAt(10_990, 11_010)
    let parts = try segments(late, of: 11_000)
    let concurrency = Concurrency(
      threadCount: 1, granuleCount: 24, rowCount: 512, soughtAtOnce: 100)
    let newest = records.map(\.sequence).reversed() as [UInt64]
    for (segments, byteCount) in [(turns, 1_500_000), (few, 1_500_000), (parts, 300_000)] {
      var limits = QueryLimits()
      limits.rowCount = 199
      limits.byteCount = byteCount
      for text in ["*", "| sort time | select sequence"] {
        let query = try DifferentialTests.bound(text, segments, QueryContext(now: SmallStore.start))
        let budget = RunBudget(limits)
        let answer = Executor.run(
          query, on: segments, limits, budget: budget, concurrency: concurrency)
        #expect(budget.diagnostics == nil, "\(text)")
        #expect(answer.rowCount == 199 && answer.summary.isCut, "\(text)")
        #expect(answer.summary.matchedCount == segments.reduce(0) { $0 + $1.rowCount }, "\(text)")
        if text == "*" { #expect(answer.records.map(\.sequence) == Array(newest.prefix(199))) }
      }
    }
  }

  @Test func selectedValuesComeInTheOrderOfTheirRecords() throws {
    let records = records(3_000, width: 7)
    let segments = try segments(records, of: 1_000)
    for (text, expected) in [
      ("| sort time | select sequence", oldestFirst(records)),
      ("| select sequence", records.map(\.sequence).reversed()),
      ("| select sequence, time, message, level", records.map(\.sequence).reversed()),
    ] {
      let query = try DifferentialTests.bound(text, segments, QueryContext(now: SmallStore.start))
      let rows = Executor.run(query, on: segments).table?.rows ?? []
      #expect(rows.map { $0[0] } == expected.map { Value.int(Int64($0)) }, "\(text)")
    }
  }
}
