import Foundation
import PQL
import SegmentIndex
import Testing

/// Rows as typed values and as `Decodable` types.
@Suite struct RowDecodingTests {
  private func store() throws -> SmallStore {
    try SmallStore([
      SmallStore.record(0) {
        $0.level = .error
        $0.duration = 1_500_000_000
        $0.line = 12
        $0.scopes = ["App", "Job"]
        $0.tags = [LogTag("user id", .string("ann")), LogTag("n", .int(300))]
        $0.payload = Array(#"{"items":[{"sku":"A"},{"sku":"B"}],"ok":true,"none":null}"#.utf8)
        $0.span = UniqueID(bits: 5)
      }
    ])
  }

  private struct Item: Decodable, Equatable {
    var sku: String
  }

  private struct Whole: Decodable, Equatable {
    enum CodingKeys: String, CodingKey {
      case time, level, duration, line, scope, span, payload
      case user = "tag.user id"
      case quoted = "tag.\"user id\""
      case n = "tag.n"
      case sku = "payload.items[1].sku"
      case items = "payload.items"
      case missing = "tag.none"
      case null = "payload.none"
    }

    struct Payload: Decodable, Equatable {
      var items: [Item]
      var ok: Bool
      var none: Int?
    }

    var time: Date
    var level: String
    var duration: Duration
    var line: UInt8
    var scope: [String]
    var span: String
    var payload: Payload
    var user: String?
    var quoted: String
    var n: Double
    var sku: String
    var items: [Item]
    var missing: Int?
    var null: String?
  }

  @Test func recordsDecode() throws {
    let rows = try store().run("").decode(Whole.self)
    let items = [Item(sku: "A"), Item(sku: "B")]
    #expect(
      rows == [
        Whole(
          time: Date(timeIntervalSince1970: 1_788_220_800), level: "error",
          duration: .milliseconds(1_500), line: 12, scope: ["App", "Job"],
          span: "00000000-0000-0000-0000-000000000005",
          payload: .init(items: items, ok: true, none: nil), user: nil, quoted: "ann", n: 300,
          sku: "B", items: items, missing: nil, null: nil)
      ])
  }

  @Test func tablesDecode() throws {
    struct Row: Decodable, Equatable {
      var event: String
      var count: Int
      var share: Float
    }
    #expect(
      try store().run("| top 1 event").decode()
        == [Row(event: "photo.import", count: 1, share: 1)])
    #expect(
      try store().run("| stats n = count(), m = max(tag.none)").decode([String: Int].self)
        == [["n": 1]])
  }

  @Test func whatDoesNotFitIsAnError() throws {
    struct Small: Decodable {
      enum CodingKeys: String, CodingKey { case n = "tag.n" }
      var n: Int8
    }
    struct Text: Decodable { var line: String }
    struct Missing: Decodable { var exit: String }
    let row = try #require(try store().run("").typedRows.first)
    #expect(throws: DecodingError.self) { try row.decode(Small.self) }
    #expect(throws: DecodingError.self) { try row.decode(Text.self) }
    #expect(throws: DecodingError.self) { try row.decode(Missing.self) }
    #expect(throws: DecodingError.self) { try row.decode([Int].self) }
    #expect(throws: DecodingError.self) { try row.decode(Int.self) }
  }

  @Test func typedFieldsReadRows() throws {
    let row = try #require(try store().run("").typedRows.first)
    #expect(row[.level] == .error)
    #expect(row[.duration] == .milliseconds(1_500))
    #expect(row[QueryField<Int64>.line] == 12)
    #expect(row[QueryField<String>.exit] == nil)
    #expect(row[.tag("user id")]?.value == .string("ann"))
    #expect(row[.payload("items", 1, "sku")]?.value == .string("B"))
    #expect(row["tag.n"] == .int(300) && row["nothing"] == nil && row["tag."] == nil)
    #expect(row.record?.line == 12 && row.columns == [])
    let counted = try #require(try store().run("| count by level").typedRows.first)
    #expect(counted[.level] == .error && counted[QueryField<Int>.column("count")] == 1)
    #expect(counted.columns == ["level", "count"] && counted.record == nil)
  }
}
