import PQL
import SegmentIndex
import TestSupport
import Testing

@Suite struct DedupTests {
  /// Records of `eventCount` events in turn; `line` falls as time passes.
  private func store(
    _ count: Int, events eventCount: Int, segments: Int = 2, groupLimit: Int = 10_000
  ) throws -> SmallStore {
    let records = (0..<count).map { index in
      SmallStore.record(index) { record in
        record.event = "e\(index % eventCount)"
        record.line = Int64(count - index)
      }
    }
    var store = try SmallStore(records, segmentCount: segments)
    store.context.limits.groupCount = groupLimit
    return store
  }

  private func messages(_ store: SmallStore, _ text: String) throws -> [String] {
    try store.run(text).records.map(\.message)
  }

  /// The newest record of each key, newest first, whatever the order before.
  @Test(arguments: ["", "| sort line", "| sort -line", "| sort event, line", "| limit 6"])
  func newestOfEachKey(_ before: String) throws {
    let store = try store(12, events: 3)
    let newest = ["record 11", "record 10", "record 9"]
    #expect(try messages(store, "\(before) | dedup event") == newest)
    #expect(try messages(store, "\(before) | dedup event | limit 2") == Array(newest.prefix(2)))
    #expect(
      try messages(store, "\(before) | dedup event | sort -line") == Array(newest.reversed()))
    #expect(
      try messages(store, "\(before) | where line > 2 | dedup event")
        == ["record 9", "record 8", "record 7"])
  }

  @Test func newestOfACutSort() throws {
    // The four oldest records, and of those the newest of each event.
    let store = try store(12, events: 3)
    #expect(
      try messages(store, "| sort -line | limit 4 | dedup event")
        == ["record 3", "record 2", "record 1"])
  }

  /// Only so many keys are remembered: those whose records are newest.
  @Test func keysAreBounded() throws {
    for segments in 1...3 {
      let store = try store(40, events: 10, segments: segments, groupLimit: 4)
      let result = try store.run("| dedup event")
      #expect(result.records.map(\.event) == ["e9", "e8", "e7", "e6"])
      #expect(result.summary.isCut)
      #expect(
        result.summary.notes == ["there are more than 4 keys; only the newest are shown"])
      let few = try store.run("| dedup event | limit 4")
      #expect(few.rowCount == 4 && !few.summary.isCut)
      #expect(try store.run("| dedup event | limit 5").summary.isCut)
      #expect(try store.run("| sort line | dedup event | where line > 0").summary.isCut)
      #expect(try store.run("| dedup level").summary.isCut == false)
    }
  }

  /// Keys that come and go over several granules, in any layout.
  @Test func manyKeysAgreeWithTheReference() throws {
    for seed in 0..<3 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let records = (0..<9_000).map { index in
        let time = SmallStore.start + Int64.random(in: 0..<1_000, using: &random)
        return SmallStore.record(index, at: time) { record in
          record.line = Int64.random(in: 0..<6_000, using: &random)
        }
      }
      var store = try SmallStore(records, segmentCount: 1 + Int(seed))
      store.context.limits.groupCount = 50
      for text in ["| dedup line", "| dedup line | limit 7", "| dedup line | where line > 9"] {
        _ = try store.run(text)
      }
      if seed == 0 {
        #expect(try store.run("| dedup line | limit 7").summary.scannedCount < 9_000)
      }
    }
  }
}
