import PQL
import SegmentIndex
import TestSupport
import Testing

/// Counting by what segments know of themselves.
@Suite struct StatisticsTests {
  /// In segments that have the same terms and in such that have others.
  @Test(arguments: 1...4)
  func termsAreCountedWithoutReadingARow(_ segmentCount: Int) throws {
    let levels: [LogLevel] = [.info, .warning, .error]
    let records = (0..<240).map { index in
      SmallStore.record(index) { record in
        record.level = levels[index % 3]
        record.event = "event \(index / 8 % (index < 120 ? 4 : 7))"
        if index % 7 > 0 { record.tags = [LogTag("n", .double(index % 2 == 0 ? 0 : -0.0))] }
        if index % 5 > 0 { record.exit = index / 4 % 2 == 0 ? "success" : "failure" }
        record.scopes = index % 9 < 3 ? [] : ["A", "A/B", "A/\(index % 2)", "A"]
        record.session = UniqueID(bits: UInt128(index / 60 % 3 + 1))
      }
    }
    let store = try SmallStore(records, segmentCount: segmentCount)
    for key in ["level", "event", "exit", "scope", "session", "session.app", "version"] {
      let counted = try store.run("| count by \(key)")
      #expect(counted.summary.matchedCount == records.count)
      #expect(counted.summary.scannedGranuleCount == 0, "\(key)")
    }
    #expect(try store.run("| top 2 event").summary.scannedGranuleCount == 0)
    #expect(try store.run("| count").summary.scannedGranuleCount == 0)
    // What statistics do not say.
    for text in ["| count by tag.n", "| count by line", "level = error | count by event"] {
      #expect(try !store.rows(text).isEmpty)
    }
  }

  /// More keys than there may be groups: counted as far as they go.
  @Test func countingStopsAtTheLimitOfGroups() throws {
    let records = (0..<60).map { index in
      SmallStore.record(index) { $0.event = "event \(index % 2 * 10 + index % 20)" }
    }
    var store = try SmallStore(records, segmentCount: 2)
    store.context.limits.groupCount = 7
    let result = Executor.run(
      try store.bound("| count by event"), on: store.segments, store.context.limits)
    #expect(result.summary.isCut)
    #expect(result.rowCount == 7)
  }
}
