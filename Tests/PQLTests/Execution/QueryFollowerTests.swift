import PQL
import SegmentIndex
import TestSupport
import Testing

@Suite struct QueryFollowerTests {
  private static func records(_ range: Range<Int>) -> [Record] {
    range.map { index in
      SmallStore.record(index) {
        $0.level = index % 3 == 0 ? .error : .info
        $0.line = Int64(index)
      }
    }
  }

  private func segment(_ range: Range<Int>, _ id: Int) throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: UInt128(id)))
    for record in Self.records(range) { builder.append(record) }
    return try Segment(bytes: try builder.finish(), name: "\(id)")
  }

  private var context: QueryContext { QueryContext(now: SmallStore.start + 86_400_000_000_000) }

  private func news(
    _ follower: inout QueryFollower, _ segments: [Segment]
  ) throws -> [Int64]? {
    guard let change = try follower.refresh(Snapshot(segments: segments), context) else {
      return nil
    }
    guard case .new(let result) = change else {
      Issue.record("not news")
      return nil
    }
    return result.records.compactMap(\.line)
  }

  @Test func newRecordsAreToldOnceAndInOrder() throws {
    let first = try segment(0..<10, 1)
    var follower = try QueryFollower(
      Query("level = error"), from: Snapshot(segments: [first]), context)
    #expect(try news(&follower, [first]) == nil)
    let second = try segment(10..<20, 2)
    #expect(try news(&follower, [first, second]) == [12, 15, 18])
    #expect(try news(&follower, [first, second]) == nil)
    // The tail is folded together with what is there, and grows meanwhile.
    #expect(try news(&follower, [segment(0..<25, 3)]) == [21, 24])
    #expect(try news(&follower, [segment(0..<26, 4)]) == nil)
    // Records that are older than others come late.
    #expect(try news(&follower, [segment(20..<26, 5), segment(30..<40, 6)]) == [30, 33, 36, 39])
    #expect(try news(&follower, [segment(26..<40, 7)]) == [27])
  }

  /// What is more than a change may show comes with the next ones, also when the tail is folded meanwhile.
  @Test func newsBeyondTheLimitsComeLater() throws {
    var follower = try QueryFollower(Query("*"), from: Snapshot(segments: []), context)
    var context = context
    context.limits.rowCount = 10
    var told: [Int64] = []
    var sizes: [Int] = []
    for id in 1...9 {
      // The last one has records that the follower could not have seen before.
      let segments = try [segment(0..<25, id), segment(25..<(id > 2 ? 31 : 25), id + 100)]
      guard let change = try follower.refresh(Snapshot(segments: segments), context) else { break }
      sizes.append(change.result.records.count)
      told += change.result.records.compactMap(\.line)
    }
    #expect(told == Array(0..<31))
    #expect(sizes == [10, 10, 10, 1])
  }

  /// Records are not held in more memory than the limit, and none is lost.
  @Test func newsBeyondTheMemoryComeLater() throws {
    var follower = try QueryFollower(Query("| select line"), from: Snapshot(segments: []), context)
    var context = context
    context.limits.byteCount = 100_000
    let snapshot = try Snapshot(segments: [segment(0..<1_000, 1)])
    var told: [Value?] = []
    var changes = 0
    while let change = try follower.refresh(snapshot, context) {
      told += change.result.table?.rows.map { $0[0] } ?? []
      changes += 1
    }
    #expect(told == (0..<1_000).map { .int($0) })
    #expect(changes > 3)
  }

  @Test func columnsAreShown() throws {
    var follower = try QueryFollower(
      Query("| select line, twice = line * 2 | where twice > 22"), from: Snapshot(segments: []),
      context)
    let change = try follower.refresh(Snapshot(segments: [segment(10..<14, 1)]), context)
    #expect(change?.result.table?.rows == [[.int(12), .int(24)], [.int(13), .int(26)]])
  }

  @Test(arguments: [
    "| count by level", "| top 2 level", "| timeline every 1h", "| sort -line | limit 2",
    "| limit 3",
    "| dedup level", "| spans | count", "| limit 1 | context 1",
  ])
  func otherRowsAreReplacedWhenTheyChange(_ text: String) throws {
    let query = try Query(text)
    let segments = try [segment(0..<5, 1), segment(5..<9, 2)]
    var follower = try QueryFollower(query, from: Snapshot(segments: []), context)
    for count in 0...2 {
      let snapshot = Snapshot(segments: Array(segments.prefix(count)))
      guard case .replaced(let result)? = try follower.refresh(snapshot, context) else {
        // Spans do not change here: there are none.
        #expect(count > 0 && text.contains("spans"), "\(text)")
        continue
      }
      #expect(result.rows == (try query.run(on: snapshot, context)).rows, "\(text)")
      #expect(try follower.refresh(snapshot, context)?.result.rows == nil, "\(text)")
    }
  }

  @Test(arguments: [
    "| sort line", "| sort line | where line > 3", "| limit 1 | trace", "| limit 3 | sort line",
  ])
  func refuses(_ text: String) throws {
    do throws(Diagnostics) {
      let query = try Query(text)
      _ = try QueryFollower(query, from: Snapshot(segments: []), context)
      Issue.record("\(text) is followed")
    } catch {
      #expect(error.all[0].code == .notFollowed)
    }
  }

  @Test func setsOfSequences() {
    for seed in 0..<20 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var set = SequenceSet()
      var model: Set<UInt64> = []
      for _ in 0..<200 {
        let sequence = UInt64.random(in: 0..<80, using: &random) &- 20
        set.insert(sequence)
        model.insert(sequence)
      }
      for sequence in 0..<100 as Range<UInt64> {
        #expect(set.contains(sequence &- 40) == model.contains(sequence &- 40), "seed \(seed)")
      }
      #expect(
        zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }
}
