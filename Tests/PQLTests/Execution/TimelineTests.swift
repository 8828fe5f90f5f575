import PQL
import SegmentIndex
import Testing

@Suite struct TimelineTests {
  private func store(times: [Int64]) throws -> SmallStore {
    try SmallStore(times.enumerated().map { SmallStore.record($0, at: $1) })
  }

  /// A clock that is far off must not hide the other records.
  @Test(
    arguments: [
      9_223_372_036_854_775_000, .max, .min, .min + 1, -9_223_372_036_854_775_000,
    ] as [Int64])
  func extremeTimesAreCounted(_ time: Int64) throws {
    let store = try store(times: [time, SmallStore.start, SmallStore.start + 1])
    for text in ["", " every 1d", " every 1w", " every 36h", " every 1h", " by level"] {
      let result = try store.run("| timeline" + text)
      let counts = try #require(result.table).rows.map { row in row.last ?? nil }
      #expect(
        counts.reduce(0) { sum, count in
          if case .int(let value)? = count { sum + value } else { sum }
        } == 3, "\(time)\(text)")
    }
    #expect(try store.rows("| count by bin(time, 1h)").allSatisfy { !$0.hasPrefix(",") })
  }

  @Test func allTimesAreCounted() throws {
    let store = try store(times: [.min, .max])
    #expect(try store.rows("| timeline").filter { $0.hasSuffix(",1") }.count == 2)
  }

  /// Empty bins of every key are shown only as long as they stay few.
  @Test func emptyBinsAreBounded() throws {
    let store = try SmallStore((0..<400).map { SmallStore.record($0) })
    let many = try store.run("| timeline every 1s by message")
    #expect(many.rowCount == 400 && many.summary.isCut)
    #expect(many.summary.notes == ["there are more than 100000 empty bins; they are not shown"])
    let few = try store.run("| timeline every 4s by message")
    #expect(few.rowCount == 40_000 && !few.summary.isCut)
  }
}
