import Foundation
import PeriscopeCore

/// What the generator of the records says about them.
struct Parameters: Decodable {
  let hour: [Int64]
  let day: [Int64]
  let scope: String
  let payment_id: String
  let user_id: String
  let rare: String
  let rare_phrase: String
  let common: String
  let session: String
}

/// One of the queries, and what of its answer is compared with those of others.
struct BenchmarkQuery {
  enum Answer {
    case rows([Any])
    case count(Int)
  }

  let name: String
  let text: String
  let answer: (QueryResult) -> Answer

  static func all(_ meta: Parameters) -> [BenchmarkQuery] {
    let hour = during(meta.hour)
    let day = during(meta.day)
    return [
      records("Q1", "| limit 100"),
      records("Q2", "level >= error | limit 100"),
      BenchmarkQuery(name: "Q3", text: "| count by level") { result in
        .rows(
          table(result).compactMap { row -> (Int, Any)? in
            guard case .level(let level)? = row[0] else { return nil }
            return (Int(level.severity), json(row[1]))
          }.sorted { $0.0 < $1.0 }.map { [$0.0, $0.1] as [Any] })
      },
      BenchmarkQuery(name: "Q4", text: "\(hour) | sort time | select message") { result in
        .rows(table(result).map { json($0[0]) })
      },
      records("Q5", "under \(meta.scope) level >= warning | limit 100"),
      records("Q6", "tag.payment_id = \"\(meta.payment_id)\""),
      records("Q7", "tag.user_id = \"\(meta.user_id)\" \(day)"),
      records("Q8", "\"\(meta.rare)\""),
      records("Q8p", "\"\(meta.rare_phrase)\""),
      BenchmarkQuery(name: "Q9", text: "\(meta.common) | count") { .count(number($0)) },
      BenchmarkQuery(name: "Q10", text: "\(day) | stats count() by bin(time, 5m), level") {
        result in
        .rows(
          table(result).compactMap { row -> (Int64, Int, Any)? in
            guard case .time(let time)? = row[0], case .level(let level)? = row[1]
            else { return nil }
            return (time / 300_000_000_000, Int(level.severity), json(row[2]))
          }.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { [$0.0, $0.1, $0.2] as [Any] })
      },
      BenchmarkQuery(name: "Q11", text: "level >= warning | top 10 event") { result in
        .rows(table(result).map { row -> [Any] in row.prefix(2).map(json) })
      },
      BenchmarkQuery(
        name: "Q12",
        text: "exit in (success, failure) | stats count(), p50(duration), p95(duration), "
          + "p99(duration) by event"
      ) { result in
        let rows = table(result).map { row -> [Any] in row.map(json) }
        return .rows(rows.sorted { "\($0[0])" < "\($1[0])" })
      },
      BenchmarkQuery(
        name: "Q13", text: "session.id = \(meta.session) | sort time | select time, message"
      ) { .count($0.rowCount) },
      BenchmarkQuery(name: "Q14", text: "| stats sum(payload.net.bytes) by tag.region") { result in
        let rows = table(result).map { row -> [Any] in
          [row[0] == nil ? "" : json(row[0]), json(row[1])]
        }
        return .rows(rows.sorted { "\($0[0])" < "\($1[0])" })
      },
      BenchmarkQuery(name: "Q15", text: "level = error | stats distinct(tag.user_id)") {
        .count(number($0))
      },
    ]
  }

  private static func records(_ name: String, _ text: String) -> BenchmarkQuery {
    BenchmarkQuery(name: name, text: text) { .rows($0.records.map(\.id.description)) }
  }

  /// The filter for times from the first number on and before the second, in nanoseconds since 1970.
  private static func during(_ bounds: [Int64]) -> String {
    let texts = bounds.map { Value.time($0).description }
    return "since \(texts[0]) until \(texts[1])"
  }

  private static func table(_ result: QueryResult) -> TableRows {
    result.table?.rows ?? []
  }

  private static func number(_ result: QueryResult) -> Int {
    guard case .int(let count)?? = table(result).first?.first else { return -1 }
    return Int(count)
  }

  private static func json(_ value: Value?) -> Any {
    switch value {
    case .int(let value)?, .duration(let value)?: value
    case .double(let value)?: value
    case let value?: value.description
    case nil: NSNull()
    }
  }
}
