import PQL
import SegmentIndex
import Testing

/// `rate()`: rows per second of the time that was searched and could be read.
@Suite struct RateTests {
  /// Ten records in nine seconds.
  private func store() throws -> SmallStore {
    try SmallStore((0..<10).map { index in SmallStore.record(index) { $0.line = Int64(index) } })
  }

  @Test func isPerSecondOfTheSearchedTime() throws {
    let store = try store()
    #expect(try store.rows("line < 9 | stats rate()") == ["1.0"])
    #expect(
      try store.rows("line < 3 | stats n = count(), r = rate() by level") == [
        "info,3,0.3333333333333333"
      ])
    // The bounds of time are what was searched.
    #expect(
      try store.rows("since 2026-09-01T00:00:04Z until 2026-09-01T00:00:06Z | stats rate()") == [
        "1.0000000005"
      ])
    #expect(try store.rows("line > 99 | stats rate()") == ["0.0"])
    #expect(try store.rows("line = 3 | limit 1 | stats rate()") == ["0.1111111111111111"])
  }

  @Test func isWithinTheBinOfTime() throws {
    let rows = try store().rows("| stats rate() by bin(time, 4s)")
    #expect(
      rows == [
        "2026-09-01T00:00:00Z,1.0", "2026-09-01T00:00:04Z,1.0", "2026-09-01T00:00:08Z,2.0",
      ])
  }

  @Test func nothingSearchedHasNoRate() throws {
    #expect(try SmallStore([]).rows("| stats rate()") == [""])
    #expect(try SmallStore([SmallStore.record(0)]).rows("| stats rate()") == [""])
    #expect(try store().rows("since 2027-01-01 | stats rate(), count()") == [",0"])
  }

  /// Time that is known to lack records does not count.
  @Test func gapsDoNotCount() throws {
    let store = try store()
    let second: Int64 = 1_000_000_000
    let gap = Gap(
      file: "journals/x", cause: .lostSegment, missing: 5,
      timeRange: SmallStore.start + second...SmallStore.start + 4 * second)
    let snapshot = Snapshot(segments: store.segments, gaps: [gap, gap])
    let result = try Query("line < 6 | stats rate()").run(on: snapshot, store.context)
    #expect(result.table?.rows == [[.double(1)]])
    #expect(!result.summary.isComplete)
  }
}
