import Foundation
import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct LogTests {
  let store: PeriscopeStore

  init() throws {
    store = try PeriscopeStoreTests.Machine().open()
  }

  @Test func everyLevelHasItsFunction() throws {
    let log = store.log("App")
    log.debug("1")
    log.info("2")
    log.notice("3")
    log.warning("4")
    log.error("5")
    log.fault("6")
    log.log(LogLevel("trace", severity: 50), "7")
    let records = try store.query("| sort sequence").records
    #expect(records.map(\.level) == LogLevel.standard + [LogLevel("trace", severity: 50)])
    #expect(records.map(\.message) == (1...7).map(String.init))
    #expect(records.allSatisfy { $0.event == "message" && $0.payload.isEmpty })
    // Where they were called, not where they are implemented.
    #expect(Set(records.map(\.function)) == ["everyLevelHasItsFunction()"])
    let line = try #require(records[0].line)
    #expect(records.map(\.line) == (0..<7).map { line + $0 })
  }

  @Test(arguments: LogLevel.standard) func theFloorIsHeardItself(floor: LogLevel) throws {
    store.minimumLevel = floor
    let log = store.log("App")
    for level in LogLevel.standard { log.log(level, "\(level.name)") }
    let heard = try store.query("| sort sequence").records.map(\.level)
    #expect(heard == LogLevel.standard.filter { $0 >= floor })
  }

  @Test func anEventsOwnLevelMeetsTheFloorToo() throws {
    struct Quiet: LogEvent {
      static let eventName = "quiet"
      var level: LogLevel { .debug }
      var message: String { "psst" }
    }
    store.minimumLevel = .info
    store.log(Quiet.self)(Quiet())
    #expect(try store.query("").rowCount == 0)
  }

  @Test func tagsHoldEveryConvertibleType() throws {
    let id = UniqueID(bits: 7)
    let values: [(any LogTagConvertible, LogTagValue)] = [
      ("text", .string("text")), ("text".prefix(2), .string("te")), (true, .bool(true)),
      (1.5, .double(1.5)), (Float(0.25), .double(0.25)), (Int.min, .int(.min)),
      (Int8(-8), .int(-8)),
      (Int16(-16), .int(-16)), (Int32(-32), .int(-32)), (Int64.max, .int(.max)),
      (UInt8(8), .int(8)), (UInt16(16), .int(16)), (UInt32.max, .int(4_294_967_295)),
      (UInt(1), .int(1)), (UInt64(1) << 62, .int(1 << 62)), (id, .string(id.description)),
      // Beyond 64 signed bits the nearest double.
      (UInt64.max, .double(0x1p64)), (UInt(1) << 63, .double(0x1p63)),
    ]
    var log = store.log("App")
    for (index, (value, expected)) in values.enumerated() {
      #expect(value.logTagValue == expected)
      log = log.tagged(LogTagKey("k\(index)"), value)
    }
    log.info("tagged")
    let record = try #require(try store.query("").records.first)
    #expect(record.tags.map(\.value) == values.map(\.1))
  }

  @Test func aTagIsReplacedInItsPlace() {
    let log = store.log("App").tagged("a", 1).tagged("b", 2).tagged("a", "new")
    #expect(log.tags == [LogTag("a", .string("new")), LogTag("b", .int(2))])
    #expect(LogTagKey("a") == "a")
  }

  @Test func keysAndPathsAreComparedByTheirBytes() {
    let (one, other) = ("caf\u{e9}", "cafe\u{301}")
    let log = store.log(one).tagged(LogTagKey(one), 1).tagged(LogTagKey(other), 2)
    #expect(log.tags.map(\.value) == [.int(1), .int(2)])
    #expect((log + store.log(other)).scopes.count == 2)
  }

  @Test func retypingKeepsThePlace() {
    struct Event: LogEvent {
      static let eventName = "event"
      static let scopeName = "Events"
      var message: String { "" }
    }
    let log = store.log("App").tagged("a", 1)
    #expect(log.retyped(to: Event.self).scopes == log.scopes)
    #expect(log.retyped(to: Event.self).tags == log.tags)
    #expect(log(Event.self).scopes.map(\.path) == ["App/Events"])
    // A child of linked logs is a child of the first alone.
    #expect((log + store.log("UI"))("Photos").scopes.map(\.path) == ["App/Photos", "UI"])
    #expect(log(for: 7).scopes.map(\.path) == ["App/7"])
  }

  @Test func tagsHoldWhateverCanBeEncoded() throws {
    enum Region: String, Codable { case europe = "eu" }
    enum Plan: Int, LogTagConvertible { case free = 1 }
    struct Size: Encodable { var width = 2, name = "a\"b" }
    struct Broken: Encodable {
      struct Failure: Error, CustomStringConvertible { var description: String { "no disk" } }
      func encode(to encoder: any Encoder) throws { throw Failure() }
    }
    let id = try #require(UUID(uuidString: "7D444840-9DC0-41D1-B245-5FFDCE74FAD2"))
    let url = try #require(URL(string: "https://example.org/a"))
    let log = store.log("App").tagged("id", id).tagged("url", url).tagged("region", Region.europe)
      .tagged("plan", Plan.free).tagged("size", Size()).tagged("list", [1, 2])
      .tagged("json", LogTagValue.json("[1]")).tagged("none", String?.none)
      .tagged("some", Int?(7)).tagged("ratio", Double?(0.5)).tagged("flag", Bool?(true))
      .tagged("date", Date(timeIntervalSinceReferenceDate: 1.5)).tagged("broken", Broken())
    let expected: [LogTagValue] = [
      .string(id.uuidString), .string(url.absoluteString), .string("eu"), .int(1),
      .json(#"{"width":2,"name":"a\"b"}"#), .json("[1,2]"), .json("[1]"), .json("null"),
      .int(7), .double(0.5), .bool(true), .double(1.5), .string("<no disk>"),
    ]
    #expect(log.tags.map(\.value) == expected)
    log.info("tagged")
    #expect(try store.query("").records.map { $0.tags.map(\.value) } == [expected])
    try store.compact()
    #expect(try store.query("").records.map { $0.tags.map(\.value) } == [expected])
    #expect(try store.query("tag.region = eu tag.some = 7").rowCount == 1)
  }
}
