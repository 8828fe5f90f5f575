import Foundation
import PQL
import PeriscopeCore

/// Loads a store, or measures sixteen queries on it. Results are lines of JSON.
@main
struct QueryBenchmark {
  private static let usage = """
    usage: query-benchmark load DATA.ndjson STORE
           query-benchmark query STORE META.json [QUERY [RUNS]]
    `load` runs $PERISCOPE_REPL.
    """

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch arguments.first {
    case "load" where arguments.count == 3:
      try load(arguments[2], into: arguments[3])
    case "query" where (3...5).contains(arguments.count):
      let rest = Array(arguments.dropFirst(3))
      try query(arguments[2], arguments[3], only: rest.first, runs: rest.dropFirst().first)
    default:
      print(usage)
      exit(2)
    }
  }

  /// Imports as a user would, with the command line.
  private static func load(_ data: String, into store: String) throws {
    guard let repl = ProcessInfo.processInfo.environment["PERISCOPE_REPL"] else {
      print(usage)
      exit(2)
    }
    let start = ContinuousClock.now
    let process = Process()
    process.executableURL = URL(fileURLWithPath: repl)
    process.arguments = ["import", data, "--into", store]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { exit(process.terminationStatus) }
    try printLine(["seconds": milliseconds(since: start) / 1e3, "version": "0.1.0"])
  }

  private static func query(
    _ store: String, _ meta: String, only name: String?, runs: String?
  ) throws {
    let meta = try JSONDecoder().decode(
      Parameters.self, from: Data(contentsOf: URL(fileURLWithPath: meta)))
    let start = ContinuousClock.now
    let reader = try StoreReader(directory: store)
    try printLine(["q": "open", "ms": [milliseconds(since: start)]])
    for query in BenchmarkQuery.all(meta) where name == nil || name == query.name {
      let first = try measure(query, on: reader)
      let rest = try (0..<(runs.flatMap(Int.init) ?? 5)).map { _ in
        try measure(query, on: reader)
      }
      let result = try answer(query, on: reader)
      guard result.summary.isComplete else {
        fatalError("\(query.name) is not complete: \(result.summary.notes)")
      }
      var line: [String: Any] = ["q": query.name, "first_ms": first, "ms": rest]
      line["scanned"] = result.summary.scannedCount
      switch query.answer(result) {
      case .count(let count): line["count"] = count
      case .rows(let rows): if name == nil { line["rows"] = rows }
      }
      try printLine(line)
    }
  }

  /// How long one answer takes, from the query's text until every value of its rows has been had and dropped.
  private static func measure(_ query: BenchmarkQuery, on reader: StoreReader) throws -> Double {
    let start = ContinuousClock.now
    let count = try valueCount(answer(query, on: reader))
    let time = milliseconds(since: start)
    precondition(count >= 0)
    return time
  }

  /// How many values there are, each of which is had. Those of whole records are there already.
  private static func valueCount(_ result: QueryResult) -> Int {
    guard let (columns, rows) = result.table else { return result.rowCount }
    var count = 0
    for row in rows.indices {
      for column in columns.indices where rows[row, column] != nil { count += 1 }
    }
    return count
  }

  /// All rows, however many: the other stores have no limit either.
  private static func answer(
    _ query: BenchmarkQuery, on reader: StoreReader
  ) throws -> QueryResult {
    try reader.run(Query(query.text), limits: .unlimited)
  }

  private static func milliseconds(since start: ContinuousClock.Instant) -> Double {
    (ContinuousClock.now - start) / .milliseconds(1)
  }

  private static func printLine(_ line: [String: Any]) throws {
    let data = try JSONSerialization.data(withJSONObject: line, options: .sortedKeys)
    print(String(decoding: data, as: UTF8.self))
  }
}
