import JournalKit
import PQL
import PeriscopeCore
import Testing
import pql_repl

@Suite struct QueryRunnerTests {
  @Test func aPipeGetsNDJSONWithoutRemarks() throws {
    var bench = try Bench(rows: .records(sampleRecords(60)))
    #expect(bench.runner.run("level >= info") == .done)
    let lines = bench.output.text.split(separator: "\n")
    #expect(lines.count == 60)
    #expect(lines[0].hasPrefix(#"{"id":"00000000-0000-0000-0000-000000000000","time":"2026-"#))
    #expect(bench.errors.text.isEmpty)
  }

  @Test func aTerminalGetsLogLinesAndAFooter() throws {
    var bench = try Bench(isTerminal: true, rows: .records(sampleRecords(1)))
    #expect(bench.runner.run("*") == .done)
    #expect(
      bench.output.text
        == "2026-01-01 00:00:00.000 info    App  m0  k=\"v, w\"\n")
    #expect(bench.errors.text == "1 row · 1.5ms\n")
  }

  @Test(arguments: ["ndjson", "log"])
  func recordsWithoutALimitAreWrittenAsTheyAreFound(mode: String) throws {
    let records = sampleRecords(5)
    let whole = try Bench(["--mode", mode, "-n", "0"], rows: .records(records))
    #expect(whole.status("m") == .done)
    let streamed = try Bench(
      ["--mode", mode, "-n", "0"],
      stream: { _, body in
        body(Array(records.prefix(2)))
        body(Array(records.dropFirst(2)))
        return QuerySummary()
      },
      answer: { _ in
        Issue.record("the whole answer was asked for")
        return QueryResult(rows: .records([]), summary: QuerySummary())
      })
    #expect(streamed.status("m") == .done)
    #expect(streamed.output.text == whole.output.text && !streamed.output.bytes.isEmpty)
  }

  @Test func theEngineIsAskedForOneRowMoreThanIsShown() throws {
    final class Asked { var text = "" }
    let asked = Asked()
    var bench = try Bench(["-n", "2"], isTerminal: true) { query in
      asked.text = query.description
      return QueryResult(rows: .records(sampleRecords(3)), summary: QuerySummary())
    }
    #expect(bench.runner.run("level = info") == .done)
    #expect(asked.text == #"level = "info" | limit 3"#)
    #expect(bench.output.text.split(separator: "\n").count == 2)
    #expect(bench.errors.text == "2 rows, and there are more · 1.5ms\n")
  }

  @Test func notesOfACutAnswerAreAskedForAgain() throws {
    final class Asked { var texts: [String] = [] }
    let asked = Asked()
    var bench = try Bench(["-n", "2"]) { query in
      asked.texts.append(query.description)
      let count = asked.texts.count == 1 ? 3 : 2
      var summary = QuerySummary()
      summary.notes = ["\(count) of \(count) rows"]
      return QueryResult(rows: .records(sampleRecords(count)), summary: summary)
    }
    #expect(bench.runner.run("*") == .done)
    #expect(asked.texts == ["* | limit 3", "* | limit 2"])
    #expect(bench.errors.text == "note: 2 of 2 rows\n")
  }

  @Test func aWrongQueryIsShownWithItsPlace() throws {
    var bench = try Bench(rows: .records([]))
    #expect(bench.runner.run("level >") == .usage)
    #expect(bench.output.text.isEmpty)
    #expect(bench.errors.text.contains("error[P"))
    #expect(bench.errors.text.contains("level >"))
  }

  @Test func aStoreThatFailsIsUnavailable() throws {
    struct Broken: Error, CustomStringConvertible { let description = "gone\u{1b}" }
    var bench = try Bench { _ in throw Broken() }
    #expect(bench.runner.run("*") == .unavailable)
    #expect(bench.errors.text == "pql-repl: gone\\u{1b}\n")
  }

  @Test func missingDataIsAlwaysSaid() throws {
    var summary = QuerySummary()
    summary.notes = ["tag.code is text in 3 records"]
    summary.gaps = [
      QuerySummary.Gap(
        segment: "a.pseg", timeRange: 0...1_000_000_000, cause: "checksum", estimatedCount: 4_096)
    ]
    let rows = QueryResult.Rows.records(sampleRecords(1))
    var bench = try Bench(rows: rows, summary: summary)
    #expect(bench.runner.run("*") == .done)
    #expect(
      bench.errors.text == """
        note: tag.code is text in 3 records
        gap: a.pseg: checksum, 1970-01-01 00:00:00.000 to 1970-01-01 00:00:01.000, about 4,096 records
        note: counts are lower bounds, because data is missing

        """)
    #expect(try Bench(["--strict"], rows: rows, summary: summary).status("*") == .incomplete)
  }

  @Test func exitCodesFollowTheOptions() throws {
    let none = QueryResult.Rows.records([])
    #expect(try Bench(rows: none).status("*") == .done)
    #expect(try Bench(["--exit-match"], rows: none).status("*") == .noMatch)
    let some = QueryResult.Rows.records(sampleRecords(1))
    #expect(try Bench(["--exit-match"], rows: some).status("*") == .done)
    var cut = QuerySummary()
    cut.isCut = true
    #expect(try Bench(rows: some, summary: cut).status("*") == .limit)
  }
}

@Suite struct ResultRendererTests {
  static let table = QueryResult.Rows.table(
    columns: ["event", "n", "p95(duration)"],
    rows: [
      [.string("a,b"), .int(12), .duration(1_500_000)],
      [nil, .int(3), nil],
    ])

  static func text(_ mode: String, _ rows: QueryResult.Rows) throws -> String {
    var summary = QuerySummary()
    summary.approximateColumns = ["p95(duration)"]
    var bench = try Bench(["--mode", mode], rows: rows, summary: summary)
    _ = bench.runner.run("*")
    return bench.output.text
  }

  @Test(arguments: ["table", "log"]) func tablesAreAligned(mode: String) throws {
    #expect(
      try Self.text(mode, Self.table) == """
        event   n  p95(duration)
        ─────  ──  ─────────────
        a,b    12         ~1.5ms
                3

        """)
  }

  @Test func csvHasAHeader() throws {
    #expect(
      try Self.text("csv", Self.table) == """
        event,n,p95(duration)
        "a,b",12,1500000
        ,3,

        """)
    let records = try Self.text("csv", .records(sampleRecords(1))).split(separator: "\n")
    #expect(
      records[0] == "id,time,sequence,level,severity,event,version,message,scope,session,span,exit,"
        + "reason,duration,function,file,line,extid,tags,payload")
    #expect(
      records[1]
        == "00000000-0000-0000-0000-000000000000,2026-01-01T00:00:00.000000000Z,1,info,,message,1,m0,"
        + #""[""App""]",00000000-0000-0000-0000-000000000009,,,,,,,,,"{""k"":""v, w""}","#)
  }

  /// The two forms for programs say the same: neither leaves out what the other has.
  @Test func csvHasTheMembersOfNDJSON() throws {
    var record = sampleRecords(1)[0]
    record.sequence = .max
    record.level = LogLevel("loud", severity: 550)
    record.version = 3
    record.payload = Array(#"{"a":1}"#.utf8)
    record.span = UniqueID(bits: 3)
    record.exit = "failure"
    record.exitReason = "late"
    record.duration = 5
    record.function = "f()"
    record.file = "a.swift"
    record.line = 7
    record.externalID = "x"
    let object = try Self.text("ndjson", .records([record]))
    let csv = try Self.text("csv", .records([record])).split(separator: "\n")
    var json = JSONScanner(Array(object.utf8).rawSpan)
    var names: [String] = []
    try json.enterObject()
    while let name = try json.nextKey() {
      names.append(name)
      _ = try json.skipValue()
    }
    #expect(csv[0] == names.joined(separator: ","))
    #expect(
      csv[1] == "00000000-0000-0000-0000-000000000000,2026-01-01T00:00:00.000000000Z,"
        + #"18446744073709551615,loud,550,message,3,m0,"[""App""]","#
        + "00000000-0000-0000-0000-000000000009,00000000-0000-0000-0000-000000000003,failure,late,5,"
        + #"f(),a.swift,7,x,"{""k"":""v, w""}","{""a"":1}""#)
  }

  /// Whatever zone a person reads in, programs read one.
  @Test func csvTimesAreInUTC() throws {
    let rows = QueryResult.Rows.table(
      columns: ["t", "x", "l"],
      rows: [[.time(0), .double(.nan), .list([.string("a,b"), .int(1)])]])
    let output = Capture()
    ResultRenderer(mode: .csv, zone: TimeZoneRules(initialOffset: 3_600), style: .plain)
      .write(QueryResult(rows: rows, summary: QuerySummary()), to: output.output())
    #expect(output.text == "t,x,l\n1970-01-01T00:00:00.000000000Z,NaN,\"[\"\"a,b\"\",1]\"\n")
  }

  /// When the clocks go back an hour has two bins, and every bin its own label.
  @Test func binsHaveLabelsOfTheirOwn() throws {
    let zone = TimeZoneRules(
      initialOffset: 7_200, transitions: [.init(second: 3_600, offset: 3_600)])
    let hour: Int64 = 3_600_000_000_000
    let rows = QueryResult.Rows.table(
      columns: ["time", "count"],
      rows: [[.time(0), .int(1)], [.time(hour), .int(2)]])
    let fine = QueryResult.Rows.table(
      columns: ["time"], rows: [[.time(0)], [.time(1_000)]])
    for (rows, labels) in [
      (rows, ["1970-01-01T02:00:00.000+02:00", "1970-01-01T02:00:00.000+01:00"]),
      (fine, ["1970-01-01T02:00:00.000000000+02:00", "1970-01-01T02:00:00.000001000+02:00"]),
    ] {
      let output = Capture()
      ResultRenderer(mode: .table, zone: zone, style: .plain)
        .write(QueryResult(rows: rows, summary: QuerySummary()), to: output.output())
      let lines = output.text.split(separator: "\n").dropFirst(2)
      #expect(lines.map { $0.split(separator: " ").first.map(String.init) } == labels)
    }
  }

  @Test func ndjsonLeavesOutWhatIsMissing() throws {
    #expect(
      try Self.text("ndjson", Self.table) == """
        {"event":"a,b","n":12,"p95(duration)":1500000}
        {"n":3}

        """)
    let values = QueryResult.Rows.table(
      columns: ["t", "l", "u", "j", "x"],
      rows: [
        [
          .time(1), .level(.error), .uuid(UniqueID(bits: 1)), .json("[1]"),
          .list([.string("a"), .double(0.5)]),
        ]
      ])
    #expect(
      try Self.text("ndjson", values) == #"""
        {"t":"1970-01-01T00:00:00.000000001Z","l":"error","u":"00000000-0000-0000-0000-000000000001",
        """#.trimmingNewline + #""j":[1],"x":["a",0.5]}"# + "\n")
  }

  @Test func recordsMakeATable() throws {
    #expect(
      try Self.text("table", .records(sampleRecords(2))) == """
        time                      level  scope  event    message
        ────────────────────────  ─────  ─────  ───────  ───────
        2026-01-01T00:00:00.000Z  info   App    message  m0
        2025-12-31T23:59:59.999Z  info          message  m1

        """)
  }

  @Test func timelinesHaveBars() throws {
    let rows = QueryResult.Rows.table(
      columns: ["time", "count"],
      rows: [
        [.time(0), .int(40)], [.time(60_000_000_000), .int(1)], [.time(120_000_000_000), .int(0)],
      ])
    var bench = try Bench(["--mode", "table"], rows: rows)
    #expect(bench.runner.run("* | timeline") == .done)
    let lines = bench.output.text.split(separator: "\n")
    #expect(lines[2].hasSuffix("     40  " + String(repeating: "█", count: 30)))
    #expect(lines[3].hasSuffix("      1  ▊"))
    #expect(lines[4].hasSuffix("      0"))
  }

  @Test func barsShowWhatIsAboveZero() {
    #expect(bar(0, of: 10, width: 10) == "")
    #expect(bar(10, of: 10, width: 3) == "███")
    #expect(bar(1, of: .max, width: 3) == "▏")
    #expect(bar(5, of: 0, width: 3) == "")
    #expect(bar(.max, of: 1, width: 2) == "██")
  }

  @Test func noRowsAreNoTable() throws {
    #expect(try Self.text("table", .records([])).isEmpty)
    #expect(try Self.text("ndjson", .records([])).isEmpty)
  }
}

extension String {
  fileprivate var trimmingNewline: String { filter { $0 != "\n" } }

  // MARK: Pages, explanations, news

  /// A bench whose source has these pages of one record each.
  private func pages(_ count: Int) throws -> Bench {
    let segments = try [segment(of: sampleRecords(count))]
    let context = QueryContext(now: 2_000_000_000_000_000_000)
    return try Bench(
      source: QuerySource(
        answer: { try $0.run(on: segments, context) },
        page: { query, cursor, limit in
          try query.page(after: cursor, limit: limit, on: Snapshot(segments: segments), context)
        },
        explain: { try $0.explain(on: Snapshot(segments: segments), context).description }),
      ["-n", "2", "--mode", "csv"], isTerminal: true)
  }

  private func segment(of records: [Record]) throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for record in records { builder.append(record) }
    return try Segment(bytes: try builder.finish(), name: "one")
  }

  @Test func moreIsTheNextPage() throws {
    var bench = try pages(5)
    #expect(bench.runner.showMore() == .done)
    #expect(bench.errors.text == "there are no more rows\n")
    #expect(bench.runner.run("| select message") == .done)
    #expect(bench.errors.text.contains("2 rows, and there are more: .more · "))
    #expect(bench.runner.showMore() == .done)
    #expect(bench.runner.showMore() == .done)
    #expect(bench.output.text == "message\nm0\nm1\nmessage\nm2\nm3\nmessage\nm4\n")
    #expect(bench.errors.text.hasSuffix("1 of 1 granules · 1.5ms\n"))
    // What has no pages is shown as far as the limit, and that is all.
    #expect(bench.runner.run("| sort message | select message") == .done)
    #expect(bench.runner.showMore() == .done)
    #expect(bench.errors.text.hasSuffix("there are no more rows\n"))
  }

  @Test func explanationsAreShown() throws {
    var bench = try pages(3)
    #expect(bench.runner.explain("timeout") == .done)
    #expect(bench.output.text.hasPrefix("explain: \"timeout\"\n  segments 1"))
    #expect(bench.runner.explain("timeout (") == .usage)
  }

  @Test func newsAreShownUntilTheEnd() throws {
    final class Turns { var left = 3 }
    let turns = Turns()
    let rows = [0: "a", 2: "b"]
    var bench = try Bench(
      source: QuerySource(
        answer: { _ in QueryResult(rows: .records([]), summary: QuerySummary()) },
        follow: { _ in
          {
            turns.left -= 1
            return rows[2 - turns.left].map { text in
              .replaced(
                QueryResult(
                  rows: .table(columns: ["x"], rows: [[.string(text)]]), summary: QuerySummary()))
            }
          }
        }), ["--mode", "csv"], isTerminal: false, pause: { turns.left > 0 })
    #expect(bench.runner.follow("| count") == .done)
    #expect(bench.output.text == "x\na\n\nx\nb\n")
    #expect(bench.runner.follow("| cuont") == .usage)
  }

  @Test(arguments: [
    (DiagnosticCode.outOfTime, ExitCode.limit), (.outOfMemory, .limit), (.cancelled, .interrupted),
    (.unknownField, .usage),
  ])
  func refusalsHaveExitCodes(_ code: DiagnosticCode, _ status: ExitCode) throws {
    var bench = try Bench { _ in throw Diagnostics([Diagnostic(code, "no", at: 0..<0)]) }
    #expect(bench.runner.run("*") == status)
    #expect(bench.errors.text.hasPrefix("error[\(code.rawValue)]: no"))
  }
}
