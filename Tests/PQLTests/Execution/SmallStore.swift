import PQL
import SegmentIndex
import Testing

/// A store of a few records, which answers queries by the executor and holds the answers against those of
/// the reference.
struct SmallStore {
  /// 2026-09-01T00:00Z in nanoseconds.
  static let start: Int64 = 1_788_220_800_000_000_000

  let records: [Record]
  let segments: [Segment]
  var context = QueryContext(now: start + 86_400_000_000_000)

  /// The records, dealt out to `segmentCount` segments in turn.
  init(_ records: [Record], segmentCount: Int = 1) throws {
    self.records = records
    segments = try (0..<segmentCount).map { part in
      var builder = SegmentBuilder(id: UniqueID(bits: UInt128(part)))
      for (index, record) in records.enumerated() where index % segmentCount == part {
        builder.append(record)
      }
      return try Segment(bytes: try builder.finish(), name: "\(part)")
    }
  }

  /// The `index`th record of a store, a second after the one before; `change` makes it special.
  static func record(
    _ index: Int, at time: Int64? = nil, _ change: (inout Record) -> Void = { _ in }
  ) -> Record {
    var record = Record(
      id: UniqueID(bits: UInt128(index + 1)), time: time ?? start + Int64(index) * 1_000_000_000,
      sequence: UInt64(index + 1), session: UniqueID(bits: 7), level: .info, event: "photo.import",
      message: "record \(index)")
    change(&record)
    return record
  }

  func bound(_ text: String) throws -> BoundQuery {
    var catalog = Catalog()
    catalog.add(segments)
    return try Binder.bind(try Query(text).tree, context, catalog)
  }

  /// The answer to a query, the same by both ways.
  func run(_ text: String) throws -> QueryResult {
    let query = try bound(text)
    let answer = Executor.run(query, on: segments, context.limits)
    let expected = ReferenceEvaluator(records: records).run(query, context.limits)
    #expect(answer.rows == expected.rows, "\(text)")
    #expect(answer.summary.isCut == expected.summary.isCut, "\(text)")
    return answer
  }

  /// A table's rows, cells joined by commas, missing ones empty.
  func rows(_ text: String) throws -> [String] {
    guard let (_, rows) = try run(text).table else { return [] }
    return rows.map { row in row.map { $0.map(\.description) ?? "" }.joined(separator: ",") }
  }

  /// What the query's refusal says, in one line; empty when it is accepted.
  func problem(_ text: String) -> String {
    do throws(Diagnostics) {
      var catalog = Catalog()
      catalog.add(segments)
      _ = try Binder.bind(try Query(text).tree, context, catalog)
      return ""
    } catch {
      return error.description
    }
  }
}
