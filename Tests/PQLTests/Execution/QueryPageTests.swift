import PQL
import SegmentIndex
import Testing

@Suite struct QueryPageTests {
  private static func records(_ count: Int) -> [Record] {
    (0..<count).map { index in
      // Several records of each second, in two sessions.
      SmallStore.record(index, at: SmallStore.start + Int64(index / 4) * 1_000_000_000) {
        $0.session = UniqueID(bits: UInt128(1 + index % 2))
        $0.line = Int64(index)
      }
    }
  }

  private func lines(_ result: QueryResult) -> [Int64] { result.records.compactMap(\.line) }

  @Test func pagesJoinToTheWhole() throws {
    let store = try SmallStore(Self.records(23), segmentCount: 3)
    let query = try Query("record")
    let snapshot = Snapshot(segments: store.segments)
    let whole = lines(try query.run(on: snapshot, store.context))
    for limit in [1, 5, 22, 23, 24] {
      var found: [Int64] = []
      var cursor: QueryCursor?
      repeat {
        let page = try query.page(after: cursor, limit: limit, on: snapshot, store.context)
        found += lines(page)
        cursor = page.summary.cursor
        #expect(page.summary.isComplete && page.rowCount <= limit)
      } while cursor != nil
      #expect(found == whole, "\(limit)")
    }
  }

  /// What is logged between pages does not move them, and `now` stays what it was.
  @Test func pagesStandStill() throws {
    var store = try SmallStore(Self.records(8))
    store.context.now = SmallStore.start + 2_000_000_000
    let query = try Query("last 1s")
    let first = try query.page(
      limit: 2, on: Snapshot(segments: store.segments), store.context)
    // The newest are of session 2, the last of two of each session.
    #expect(lines(first) == [7, 5])
    let later = try SmallStore(
      Self.records(12) + [SmallStore.record(99, at: SmallStore.start + 9_000_000_000)],
      segmentCount: 2)
    var context = later.context
    context.now = SmallStore.start + 90_000_000_000
    let second = try query.page(
      after: first.summary.cursor, limit: 9, on: Snapshot(segments: later.segments), context)
    #expect(lines(second) == [6, 4])
    #expect(second.summary.cursor == nil && second.summary.notes.isEmpty)
  }

  @Test func aRemovedRecordIsMissed() throws {
    let store = try SmallStore(Self.records(8))
    let query = try Query("*")
    let first = try query.page(limit: 3, on: Snapshot(segments: store.segments), store.context)
    let last = try #require(first.records.last)
    let fewer = try SmallStore(Self.records(8).filter { $0.sequence != last.sequence })
    let second = try query.page(
      after: first.summary.cursor, limit: 9, on: Snapshot(segments: fewer.segments), store.context)
    #expect(second.rowCount == 5)
    #expect(
      second.summary.notes == [
        "the record that the last page ended with is gone; this one begins with the next older"
      ])
  }

  @Test func columnsAndLimitsHavePages() throws {
    let store = try SmallStore(Self.records(20), segmentCount: 2)
    let snapshot = Snapshot(segments: store.segments)
    for text in [
      "| select x = line * 2 | where x > 10", "| limit 7", "| dedup level", "| extend y = 1",
    ] {
      let query = try Query(text)
      let whole = try query.run(on: snapshot, store.context)
      var rows: [[Value?]] = []
      var records: [Record] = []
      var cursor: QueryCursor?
      repeat {
        let page = try query.page(after: cursor, limit: 3, on: snapshot, store.context)
        rows += page.table?.rows ?? []
        records += page.records
        cursor = page.summary.cursor
      } while cursor != nil
      #expect(TableRows(rows) == whole.table?.rows ?? [] && records == whole.records, "\(text)")
    }
  }

  @Test(arguments: [
    "| sort line", "| count", "| spans", "| limit 1 | trace", "| limit 1 | context 1", "| timeline",
    "| select line | sort line", "| select line | limit 2", "| select line | count by line",
  ])
  func otherRowsHaveNone(_ text: String) throws {
    let store = try SmallStore(Self.records(3))
    do throws(Diagnostics) {
      let query = try Query(text)
      _ = try query.page(limit: 1, on: Snapshot(segments: store.segments), store.context)
      Issue.record("\(text) has a page")
    } catch {
      #expect(error.all[0].code == .wrongCursor)
    }
  }

  @Test func cursorsAreOfOneQuery() throws {
    let store = try SmallStore(Self.records(9))
    let snapshot = Snapshot(segments: store.segments)
    let page = try Query("record").page(limit: 2, on: snapshot, store.context)
    let cursor = try #require(page.summary.cursor)
    #expect(QueryCursor(cursor.description) == cursor)
    #expect(throws: Diagnostics.self) {
      try Query("other").page(after: cursor, limit: 2, on: snapshot, store.context)
    }
    // The same query spelled otherwise is the same.
    _ = try Query("\"record\"").page(after: cursor, limit: 2, on: snapshot, store.context)
    for text in ["", "1", "2-0-0-0-0-0", "1-0-0-0-0", "1-0-0-0-0-0-0", "1-x-0-0-0-0", "1-0-0-0-0-"]
    {
      #expect(QueryCursor(text) == nil, "\(text)")
    }
  }

  /// Sequences past the largest signed number stand where their bits say.
  @Test func extremePositions() throws {
    let sequences: [UInt64] = [0, 1, 1 << 63 - 1, 1 << 63, .max]
    let records = [Int64.min, 0, .max].flatMap { time in
      sequences.map { sequence in
        SmallStore.record(Int(sequence % 1_000), at: time) { $0.sequence = sequence }
      }
    }
    let store = try SmallStore(records, segmentCount: 2)
    let query = try Query("*")
    let snapshot = Snapshot(segments: store.segments)
    var found: [Record] = []
    var cursor: QueryCursor?
    repeat {
      let page = try query.page(after: cursor, limit: 1, on: snapshot, store.context)
      found += page.records
      cursor = page.summary.cursor
    } while cursor != nil
    #expect(found == (try query.run(on: snapshot, store.context)).records)
    #expect(found.count == 15)
  }
}
