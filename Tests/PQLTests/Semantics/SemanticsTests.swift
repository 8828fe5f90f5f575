import PQL
import SegmentIndex
import Testing

/// The rules of the language, each on records small enough to check by eye. Every case runs on the
/// reference and on the executor.
@Suite struct SemanticsTests {
  private static let start: Int64 = 1_788_220_800_000_000_000  // 2026-09-01T00:00Z
  private static let session = UniqueID(bits: 0x11)
  private static let earlier = UniqueID(bits: 0x10)

  /// Six records, an hour apart; their messages begin with their letters.
  private static let records: [Record] = {
    func record(_ hour: Int64, _ message: String, _ change: (inout Record) -> Void) -> Record {
      var record = Record(
        id: UniqueID(bits: UInt128(0x3f2a + hour) << 112), time: start + hour * 3_600_000_000_000,
        sequence: UInt64(hour + 1), session: hour < 2 ? earlier : session, level: .info,
        event: "photo.import", message: message)
      change(&record)
      return record
    }
    return [
      record(0, "a timeout") { $0.level = .debug },
      record(1, "b Connection Timeout, retry") {
        $0.level = .error
        $0.scopes = ["App/Photos/album-7", "Job"]
        $0.tags = [LogTag("status", .int(200)), LogTag("user", .string("ann"))]
      },
      record(2, "c disk full") {
        $0.scopes = ["App/Photos"]
        $0.tags = [LogTag("status", .string("404")), LogTag("ok", .bool(true))]
        $0.exit = "success"
        $0.duration = 2_500_000_000
      },
      record(3, "d Straße, café, not disk") {
        $0.scopes = ["App/PhotosOld"]
        $0.event = "photo.export"
        $0.tags = [LogTag("status", .double(404))]
        $0.payload = Array(#"{"n":null,"items":[{"sku":"A-17"}],"x":{"a b":1.5}}"#.utf8)
      },
      record(4, "e é") {
        $0.level = .fault
        $0.tags = [LogTag("status", .int(503)), LogTag("user id", .int(42))]
        $0.exit = "failure"
        $0.duration = 500_000_000
      },
      record(5, "f done 100%") { $0.file = "Importer.swift" },
    ]
  }()

  private static let sessions = [
    SessionInfo(id: earlier, start: start, app: "Shop 3.2.1"),
    SessionInfo(id: session, start: start + 1, app: "Shop 3.3.0"),
  ]

  private static let segments: [Segment] = {
    // Two segments that overlap in time.
    [[0, 3, 5], [1, 2, 4]].enumerated().compactMap { index, places in
      var builder = SegmentBuilder(id: UniqueID(bits: UInt128(index)))
      for session in sessions { builder.add(session) }
      for place in places { builder.append(records[place]) }
      return (try? builder.finish()).flatMap { try? Segment(bytes: $0, name: "\(index)") }
    }
  }()

  private func run(_ text: String) throws -> QueryResult {
    var context = QueryContext(now: Self.start + 6 * 3_600_000_000_000)
    context.currentSession = Self.session
    context.parameters = [
      "min": .level(.error), "odd": .string("a*"), "set": .list([.int(200), .int(503)]),
      "path": .string("/App/Photos/"), "span": .duration(7_200_000_000_000),
    ]
    var catalog = Catalog()
    catalog.add(Self.segments)
    let query = try Binder.bind(try Query(text).tree, context, catalog)
    let answer = Executor.run(query, on: Self.segments)
    let expected = ReferenceEvaluator(records: Self.records, sessions: Self.sessions).run(query)
    #expect(answer.rows == expected.rows, "\(text)")
    return answer
  }

  /// The first letters of the messages found, newest first.
  @Test(arguments: [
    ("", "fedcba"), ("timeout", "ba"), ("TIMEOUT", "ba"), ("\"disk full\"", "c"), ("disk", "dc"),
    ("timeout -retry", "a"), ("timeout or disk", "dcba"), ("(timeout or disk) -retry", "dca"),
    ("straße", "d"), ("STRASSE", ""), ("café", "d"), ("CAFÉ", "d"), ("É", "ed"), ("d*k", "dc"),
    ("con?ection", "b"), ("\"d*k\"", ""), ("100%", "f"),
    // levels
    ("level >= error", "eb"), ("level >= $min", "eb"), ("level = debug", "a"),
    ("level < info", "a"),
    ("level != info", "eba"), ("level >= 450", "eb"), ("level : AUL", "e"), ("level = *ug", "a"),
    // scopes
    ("under App/Photos", "cb"), ("under App/Photos/", "cb"), ("under //App//", "dcb"),
    ("under \"/\"", "dcb"), ("under $path", "cb"), ("lower(scope) = job", "b"),
    ("len(scope) = 3", "b"), ("len(scope) != 3", "fedca"),
    ("under App", "dcb"), ("scope = App/Photos", "c"),
    ("scope = App/Photos*", "dcb"), ("scope != Job", "fedca"), ("has scope", "dcb"),
    ("scope in (Job, App/Photos)", "cb"), ("not under App", "fea"), ("scope : PHOTOS", "dcb"),
    // texts
    ("event = photo.*", "fedcba"), ("event = photo.export", "d"), ("event = Photo.export", ""),
    ("event != photo.import", "d"), ("event in (photo.export, x)", "d"), ("file : IMPORT", "f"),
    ("event > photo.f", "fecba"),
    // tags: types differ from record to record
    ("tag.status = 200", "b"), ("tag.status = 404", "d"), ("tag.status = \"404\"", "c"),
    ("tag.status != 404", "fecba"), ("tag.status >= 404", "ed"), ("not tag.status >= 404", "fcba"),
    ("tag.status < 404", "b"), ("has tag.status tag.status != 404", "ecb"), ("tag.ok = true", "c"),
    ("tag.ok != true", "fedba"), ("tag.\"user id\" = 42", "e"), ("tag.user = $odd", ""),
    ("tag.status in $set", "eb"), ("tag.status not in $set", "fdca"), ("tag.status : 40", "c"),
    ("tag.status in (404, \"404\")", "dc"), ("tag.status : 040", ""), ("message : 100%", "f"),
    ("message : 0100", ""), ("message !: 0100", "fedcba"), ("tag.status : 404", "c"),
    // regular expressions
    ("message ~ 'TIMEOUT'", ""), ("message ~ '(?i)TIMEOUT'", "ba"),
    ("message ~ '^. d?i?s?k?$'", ""),
    ("message ~ '^[a-c] '", "cba"), ("message !~ '^[a-c] '", "fed"), ("message ~ done", "f"),
    ("message ~ 100", "f"), ("message ~ '\\d{3}%$'", "f"), ("message ~ caf.", "d"),
    ("tag.status ~ '^4'", "c"), ("tag.status !~ '^4'", "fedba"), ("level ~ '^(e|f)'", "eb"),
    ("scope ~ 'album-\\d'", "b"), ("event ~ export and message ~ 'disk'", "d"),
    ("payload ~ 'A-1\\d'", "d"), ("payload.items[0].sku ~ '^A'", "d"), ("message ~ $odd", "fedcba"),
    ("len(message) > 3 lower(message) ~ '^d str'", "d"),
    // exits and durations
    ("exit != success", "fedba"), ("has exit exit != success", "e"), ("duration > 2s", "c"),
    ("duration >= 500ms", "ec"), ("not duration < 1s", "fdcba"), ("not has duration", "fdba"),
    // payload
    ("payload.items[0].sku = A-17", "d"), ("has payload.n", "d"), ("payload.n = 1", ""),
    ("payload.x.\"a b\" > 1", "d"), ("payload : a-17", "d"), ("has payload.items[1]", ""),
    ("payload.n != 1", "fedcba"),
    // sessions
    ("session = current", "fedc"), ("session = previous", "ba"), ("session != current", "ba"),
    ("session.app = *3.2.*", "ba"), ("session.app : SHOP", "fedcba"),
    // identities
    ("id = 3f2b*", "b"), ("id = 3f2a00*", "a"), ("id = 3f2c0000-0000-0000-0000-000000000000", "c"),
    // times
    ("last 2h", "fe"), ("last $span", "fe"), ("since now - 2h", "fe"), ("since 0s", ""),
    ("last 90m", "f"), ("since 2026-09-01T04:00Z", "fe"),
    ("until 2026-09-01T02:00+01:00", "a"), ("since today until today + 2h", "ba"),
    ("time >= -2h", "fe"), ("time = 2026-09-01T03:00Z", "d"), ("since yesterday", "fedcba"),
    ("time > now - 90m", "f"), ("time >= (now - 2h)", "fe"),
    // calls and columns
    ("len(message) > 20", "db"), ("lower(message) = \"f done 100%\"", "f"),
    ("tag.status > (duration)", ""), ("session.start < (time)", "fedcb"),
  ])
  func filters(_ text: String, _ expected: String) throws {
    guard case .records(let records) = try run(text).rows else {
      Issue.record("\(text) gives no records")
      return
    }
    #expect(String(records.compactMap(\.message.first)) == expected, "\(text)")
  }

  /// Rows of a table, cells joined by commas, missing ones empty.
  @Test(arguments: [
    ("| count", "6"), ("level > fault | count", "0"), ("level > fault | stats max(line)", ""),
    ("| count by level", "info,3;debug,1;error,1;fault,1"),
    ("| count by scope", "App/Photos,1;App/Photos/album-7,1;App/PhotosOld,1;Job,1;,3".sortedRows),
    ("| count by tag.status", "200,1;404,1;503,1;404,1;,2".sortedRows),
    ("| count by h = bin(time, 3h)", "2026-09-01T00:00:00Z,3;2026-09-01T03:00:00Z,3"),
    ("| top 1 level", "info,3,0.5"),
    ("| stats sum(tag.status), avg(tag.status), n = count(has exit)", "1107.0,369.0,2"),
    (
      "| stats min(duration), max(duration), p50(duration), sum(duration)", "500ms,2s500ms,500ms,3s"
    ),
    ("| stats first(message), last(event), distinct(event)", "a timeout,photo.import,2"),
    ("| stats p0(duration), p100(duration), avg(duration)", "500ms,2s500ms,1s500ms"),
    (
      "has duration | select event, s = duration / 1s, exit",
      "photo.import,0.5,failure;photo.import,2.5,success"
    ),
    (
      "has exit | extend x = coalesce(tag.user, exit) | where x = failure | select x, type(x)",
      "failure,string"
    ),
    ("| sort -duration, time | limit 3 | select message", "c disk full;e é;a timeout"),
    ("| sort duration | limit 2 | select duration", "500ms;2s500ms"),
    ("| limit 2 | count", "2"), ("| limit 0 | count", "0"),
    ("| dedup level | select level", "info;fault;error;debug"),
    (
      "| count by lower(scope)",
      "app/photos,1;app/photos/album-7,1;app/photosold,1;job,1;,3".sortedRows
    ),
    (
      "level = fault | select bin(tag.status, 1s), bin(tag.status, 100), bin(tag.status, 0.5)",
      ",500,503.0"
    ),
    (
      #"level = fault | select int("0x1F"), int("1e3"), int("-2.5"), int("1_000"), int("inf")"#,
      ",1000,-2,1000,"
    ),
    (
      #"level = fault | select double("0x10"), double("1.5"), double("2"), double("nan")"#,
      ",1.5,2.0,"
    ),
    ("| count by level | where count > 1 | extend twice = count * 2", "info,3,6"),
    ("| count by level | sort level | limit 2", "debug,1;info,3"),
    (
      "| count by event, level | stats n = count(), sum(count) by event",
      "photo.import,4,5;photo.export,1,1"
    ),
    ("| timeline every 2h", "2026-09-01T00:00:00Z,2;2026-09-01T02:00:00Z,2;2026-09-01T04:00:00Z,2"),
    (
      "level = fault or level = debug | timeline every 2h",
      "2026-09-01T00:00:00Z,1;2026-09-01T02:00:00Z,0;2026-09-01T04:00:00Z,1"
    ),
    (
      "level = fault | select if(duration > 1s, slow, 1), len(message), line / 0, string(level)",
      "1,3,,fault"
    ),
  ])
  func stages(_ text: String, _ expected: String) throws {
    // A word in an expression is a column; this one is meant as text.
    let text = text.replacing("slow", with: "\"slow\"")
    guard case .table(_, let rows) = try run(text).rows else {
      Issue.record("\(text) gives no table")
      return
    }
    let cells = rows.map { row in
      row.map { $0.map(\.description) ?? "" }.joined(separator: ",")
    }.joined(separator: ";")
    #expect(expected.isSorted ? cells.sortedRows == expected : cells == expected, "\(text)")
  }

  @Test func columnsAreNamed() throws {
    func columns(_ text: String) throws -> [String] {
      guard case .table(let columns, _) = try run(text).rows else { return [] }
      return columns
    }
    #expect(try columns("| count by level") == ["level", "count"])
    #expect(
      try columns("| top 2 event, tag.\"user id\"") == [
        "event", #"tag."user id""#, "count", "share",
      ])
    #expect(
      try columns("| stats p50(duration), n = count() | extend a = p50(duration)") == [
        "p50(duration)", "n", "a",
      ])
    #expect(try columns("| extend x = 1") == ["time", "level", "event", "scope", "message", "x"])
    #expect(try columns("| timeline by level") == ["time", "level", "count"])
  }

  @Test func recordsAreWrittenAsJSON() throws {
    #expect(
      try run("level = fault").ndjson == """
        {"id":"3f2e0000-0000-0000-0000-000000000000","time":"2026-09-01T04:00:00.000000000Z",\
        "sequence":5,"level":"fault","event":"photo.import","version":1,"message":"e é",\
        "session":"00000000-0000-0000-0000-000000000011","exit":"failure","duration":500000000,\
        "tags":{"status":503,"user id":42}}\n
        """)
    #expect(
      try run("| count by exit").ndjson == """
        {"count":4}
        {"exit":"failure","count":1}
        {"exit":"success","count":1}\n
        """)
    #expect(
      try run("has payload | select payload.n, payload.items").ndjson == """
        {"payload.n":null,"payload.items":[{"sku":"A-17"}]}\n
        """)
  }

  /// Answers that are right and may surprise say why.
  @Test(arguments: [
    ("tag.status != 503", ["2 of 5 rows lack tag.status; to leave them out add `has tag.status`"]),
    ("has tag.status tag.status != 503", []),
    (
      "tag.status = \"503\"",
      ["tag.status is a number in 1 record; to find those compare with 503"]
    ),
    (
      "tag.status in (404, 1)",
      [#"tag.status is a text in 1 record; to find those compare with "404""#]
    ),
    (
      "tag.\"user id\" = \"42\" or timeout",
      ["tag.\"user id\" is a number in 1 record; to find those compare with 42"]
    ),
    (
      "tag.ok = \"true\" | count",
      ["tag.ok is a truth value in 1 record; to find those compare with true"]
    ),
    ("tag.status = 200", []), ("exit = failure", []),
    (
      "event = tag.added",
      ["no record has tag.added; to compare event with the text quote it"]
    ),
    (
      "event in (tag.added, photo.export) | count",
      [
        "no record has tag.added; to compare event with the text quote it"
      ]
    ),
    ("event = tag.user", []), ("tag.user = tag.added", []), ("line = tag.added", []),
    (
      "| select line, x = tag.status * 2",
      [
        "x is missing in 3 of 6 rows, where an operand is missing or the result is no number that fits"
      ]
    ),
    (
      "has duration | stats s = sum(duration) by event | extend d = s / 0, e = s / 1s",
      [
        "d is missing in 1 of 1 rows, where an operand is missing or the result is no number that fits"
      ]
    ),
    ("has duration | select d = duration / 1s, event | select d, event", []),
    (
      "event = Photo.Import",
      [#"event is never "Photo.Import"; there is "photo.import", and case matters"#]
    ),
    ("event = photo.import", []), ("event = nothing", []),
    ("scope = job | count", [#"scope is never "job"; there is "Job", and case matters"#]),
    ("exit != failure | limit 3", ["2 of 3 rows lack exit; to leave them out add `has exit`"]),
  ])
  func remarks(_ text: String, _ expected: [String]) throws {
    #expect(try run(text).summary.notes == expected)
  }

  @Test func limitsAreNoticed() throws {
    var context = QueryContext(now: Self.start)
    context.limits.rowCount = 2
    context.limits.groupCount = 3
    let records = try Query("").run(on: Self.segments, context)
    #expect(records.rowCount == 2 && records.summary.isCut)
    let groups = try Query("| count by level").run(on: Self.segments, context)
    #expect(groups.rowCount == 2 && groups.summary.isCut && !groups.summary.isComplete)
    let enough = try Query("| limit 2").run(on: Self.segments, context)
    #expect(enough.rowCount == 2 && !enough.summary.isCut)
  }
}

extension String {
  /// Rows whose order the keys decide by type; the marker says that a test sorts them first.
  fileprivate var sortedRows: String {
    "sorted:"
      + split(separator: ";", omittingEmptySubsequences: false).sorted().joined(separator: ";")
  }

  fileprivate var isSorted: Bool { hasPrefix("sorted:") }
}
