import PQL
import SegmentIndex
import Testing

/// The stage `spans`, on records small enough to check by eye.
@Suite struct SpanStageTests {
  private static let second: Int64 = 1_000_000_000
  private static let other = UniqueID(bits: 8)

  /// Four spans: 1 whole, 2 open, 3 without its beginning, 4 without a duration and in another session.
  private static let records: [Record] = {
    func record(
      _ second: Int, _ span: Int?, _ message: String, _ change: (inout Record) -> Void = { _ in }
    ) -> Record {
      var record = SmallStore.record(second) { $0.message = message }
      record.span = span.map { UniqueID(bits: UInt128($0)) }
      record.scopes = ["App"]
      change(&record)
      return record
    }
    func end(_ exit: String, _ seconds: Int64?) -> (inout Record) -> Void {
      {
        $0.exit = exit
        $0.duration = seconds.map { $0 * second }
        $0.event = "span.ended"
      }
    }
    return [
      record(0, 1, "begin one"), record(1, nil, "between"),
      record(2, 1, "inside") { $0.level = .error },
      record(3, 2, "begin two") { $0.scopes = ["App/Sync", "Job"] },
      record(4, 1, "end one", end("success", 4)), record(5, 3, "end three", end("failure", 10)),
      record(6, 4, "begin four") { $0.session = other },
      record(8, 4, "end four") {
        $0.exit = "cancelled"
        $0.session = other
      },
      record(9, 2, "inside two"),
    ]
  }()

  private func store(_ segmentCount: Int = 1) throws -> SmallStore {
    var store = try SmallStore(Self.records, segmentCount: segmentCount)
    store.context.now = SmallStore.start + 20 * Self.second
    return store
  }

  @Test(arguments: [1, 2, 4])
  func oneRowForEachSpan(_ segmentCount: Int) throws {
    let rows = try store(segmentCount).rows(
      "| spans | select message, start = (start - 2026-09-01) / 1s, duration, exit, open, "
        + "level, records, gap")
    #expect(
      rows == [
        "begin four,6.0,2s,cancelled,false,info,2,false",
        "begin two,3.0,17s,,true,info,2,false",
        "begin one,0.0,4s,success,false,error,3,false",
        // Its end says when it began.
        "end three,-5.0,10s,failure,false,info,1,true",
      ])
  }

  /// A span is shown whole when only one of its records is among the rows.
  @Test func spansOfMatchesAreWhole() throws {
    let rows = try store().rows("inside -two | spans | select message, exit, records, open")
    #expect(rows == ["begin one,success,3,false"])
    #expect(try store().rows("between | spans") == [])
    #expect(try store().rows("since 2026-09-01T00:00:08Z | spans | count") == ["2"])
  }

  @Test func columnsCanBeUsed() throws {
    #expect(
      try store().rows("| spans | where open = true | select span") == [
        "00000000-0000-0000-0000-000000000002"
      ])
    #expect(
      try store().rows("| spans | sort -duration | limit 2 | select message, scope") == [
        "begin two,App/Sync, Job", "end three,App",
      ])
    #expect(
      try store().rows("| spans | stats n = count(), max(duration) by exit") == [
        "cancelled,1,2s", "failure,1,10s", "success,1,4s", ",1,17s",
      ])
    #expect(
      try store().rows("| limit 1 | spans | select message, session") == [
        "begin two,00000000-0000-0000-0000-000000000007"
      ])
  }

  static let columns = [
    "span", "event", "message", "start", "end", "duration", "exit", "open", "level", "records",
    "scope", "session", "parent", "gap",
  ]

  @Test func columnsAreThese() throws {
    #expect(try store().run("| spans").table?.columns == Self.columns)
  }

  /// Whoever begins a span says in the payload which one is around it.
  @Test func parentsAreShown() throws {
    let outer = UniqueID(bits: 1)
    let records = (0..<5).map { index in
      SmallStore.record(index) { $0.span = UniqueID(bits: UInt128(index + 1)) }
    }
    var shown = records
    for (index, payload) in [
      "{}", "{\"parent\":\"\(outer)\"}", "{\"parent\":\"no identity\"}", "{\"parent\":7}", "[",
    ].enumerated() {
      shown[index].payload = Array(payload.utf8)
    }
    #expect(
      try SmallStore(shown).rows("| spans | sort start | select parent")
        == ["", outer.description, "", "", ""])
  }

  /// A wall clock that is set back within a span costs it nothing but the right times.
  @Test(arguments: [1, 2])
  func clocksMayBeSetBack(_ segmentCount: Int) throws {
    let hour: Int64 = 3_600 * Self.second
    func record(_ index: Int, _ second: Int64, _ change: (inout Record) -> Void) -> Record {
      SmallStore.record(index, at: SmallStore.start + hour + second * Self.second) {
        $0.span = UniqueID(bits: 1)
        change(&$0)
      }
    }
    let store = try SmallStore(
      [
        record(0, 0) { $0.message = "begin" }, record(1, -600) { $0.message = "inside" },
        record(2, -590) {
          $0.exit = "success"
          $0.duration = 10 * Self.second
          $0.message = "end"
        },
      ], segmentCount: segmentCount)
    #expect(
      try store.rows("| spans | select message, start - 2026-09-01, duration, open, gap")
        == ["begin,1h,10s,false,false"])
  }

  @Test func tooManySpansAreCut() throws {
    var store = try store()
    store.context.limits.groupCount = 2
    let result = try store.run("| spans | select message")
    #expect(result.rowCount == 2 && result.summary.isCut)
  }

  /// Extreme times and durations neither trap nor make up numbers.
  @Test func extremesAreMissing() throws {
    let records = [Int64.min, .max].enumerated().flatMap { index, time in
      [
        SmallStore.record(index * 2, at: time) { $0.span = UniqueID(bits: UInt128(index)) },
        SmallStore.record(index * 2 + 1, at: time) {
          $0.span = UniqueID(bits: UInt128(index + 10))
          $0.exit = "success"
          $0.duration = time
        },
      ]
    }
    let rows = try SmallStore(records).rows("| spans | select start, duration, gap")
    #expect(rows.count == 4)
  }
}
