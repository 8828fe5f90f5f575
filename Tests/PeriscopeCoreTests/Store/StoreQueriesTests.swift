import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

/// Pages, news, and questions in fields, while the store moves its records about.
@Suite struct StoreQueriesTests {
  typealias Machine = PeriscopeStoreTests.Machine
  let machine = Machine()

  @Test func pagesStandStillWhileTheStoreIsFolded() throws {
    let store = try machine.open()
    for number in 1...20 { store.log("App").info("\(number)") }
    let query = try Query("*")
    var found: [String] = []
    var cursor: QueryCursor?
    repeat {
      let page = try store.reader.page(of: query, after: cursor, limit: 3)
      found += page.records.map(\.message)
      cursor = page.summary.cursor
      store.log("App").info("later")
      try store.compact()
    } while cursor != nil
    #expect(found == (1...20).reversed().map(String.init))
  }

  @Test func newsAreToldOnceWhileTheStoreIsFolded() async throws {
    let store = try machine.open()
    let log = store.log("App")
    log.error("before")
    var changes = try store.reader.changes(of: Query("level = error"), every: .zero)
    #expect(try changes.poll() == nil)
    var told: [String] = []
    for number in 1...30 {
      log.error("\(number)")
      log.info("nothing")
      if number % 4 == 0 { try store.compact() }
      if number % 3 == 0, let change = try await changes.next() {
        told += change.result.records.map(\.message)
      }
    }
    #expect(told == (1...30).map(String.init))
    try store.compact()
    #expect(try changes.poll() == nil)
  }

  @Test func explanationsTellWhatWasRead() throws {
    let store = try machine.open()
    for number in 1...9 { store.log(number % 2 == 0 ? "Even" : "Odd").info("\(number)") }
    let explanation = try store.reader.explain(Query("under Even | count"))
    #expect(explanation.recordCount == 9)
    #expect(explanation.summary.matchedCount == 4)
    #expect(explanation.description.hasPrefix("explain: under \"Even\" | stats count()\n"))
  }

  // MARK: Questions in fields

  @Test func fieldsArePQL() throws {
    var query = LogQuery()
    #expect(query.query.description == "*")
    query.since = 0
    query.until = 60_000_000_000
    query.minimumLevel = .warning
    query.event = "photo.import"
    query.session = UniqueID(bits: 1)
    query.span = UniqueID(bits: 2)
    query.scope = .under("App/Photos")
    query.tags = [
      LogTag("user id", .int(42)), LogTag("ok", .bool(true)), LogTag("r", .string("a*")),
    ]
    query.exit = "failure"
    query.text = "disk full"
    query.externalID = "x-1"
    query.afterSequence = 7
    query.limit = 5
    query.offset = 2
    #expect(
      query.query.description
        == #"since 1970-01-01T00:00Z and until 1970-01-01T00:01Z and level >= "warning""#
        + #" and event = "photo.import" and session = "00000000-0000-0000-0000-000000000001""#
        + #" and span = "00000000-0000-0000-0000-000000000002" and under "App/Photos""#
        + #" and tag."user id" = 42 and tag.ok = true and tag.r = "a*" and exit = "failure""#
        + #" and "disk full" and extid = "x-1" and sequence > 7 | limit 7"#)
    #expect(try Query(query.query.description) == query.query)
    query.scope = .exactly("App")
    #expect(query.query.description.contains(#"scope = "App""#))
  }

  @Test func fieldsFindRecords() throws {
    let store = try machine.open()
    let log = store.log("App")
    for number in 1...6 {
      log(number % 2 == 0 ? "Even" : "Odd").tagged("n", number).info("number \(number)")
    }
    func found(_ change: (inout LogQuery) -> Void) throws -> [String] {
      var query = LogQuery()
      change(&query)
      return try store.reader.records(matching: query).map { String($0.message.suffix(1)) }
    }
    #expect(try found { _ in } == ["6", "5", "4", "3", "2", "1"])
    #expect(try found { $0.scope = .under("App/Even") } == ["6", "4", "2"])
    #expect(try found { $0.scope = .exactly("App") } == [])
    #expect(try found { $0.tags = [LogTag("n", .int(3))] } == ["3"])
    #expect(try found { $0.tags = [LogTag("n", .json("3"))] } == [])
    #expect(try found { $0.afterSequence = 4 } == ["6", "5"])
    #expect(try found { $0.minimumLevel = .error } == [])
    #expect(
      try found {
        $0.limit = 2
        $0.offset = 1
      } == ["5", "4"])
    #expect(try found { $0.limit = 0 } == [])
    #expect(try found { $0.offset = 9 } == [])
    #expect(
      try found {
        $0.limit = .max
        $0.offset = .max
      } == [])
  }
}
