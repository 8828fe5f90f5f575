import PQL
import PeriscopeCore
import pql_repl

/// An output that keeps what is written.
final class Capture {
  private(set) var bytes: [UInt8] = []
  var text: String { String(decoding: bytes, as: UTF8.self) }

  func output(isTerminal: Bool = false, width: Int = 80) -> Output {
    Output(isTerminal: isTerminal, width: width, isBuffered: false) { part in
      self.bytes += part
      return true
    }
  }
}

/// An output onto a full disk.
func fullOutput() -> Output {
  Output { _ in false }
}

/// Records of a small log, newest first.
func sampleRecords(_ count: Int) -> [Record] {
  (0..<count).map { index in
    var record = Record(
      id: UniqueID(bits: UInt128(index)), time: 1_767_225_600_000_000_000 - Int64(index),
      sequence: UInt64(count - index), session: UniqueID(bits: 9), level: .info, event: "message",
      message: "m\(index)")
    if index == 0 {
      record.scopes = ["App"]
      record.tags = [LogTag("k", .string("v, w"))]
    }
    return record
  }
}

/// A runner over answers that are given, and where it writes.
struct Bench {
  let output = Capture()
  let errors = Capture()
  var runner: QueryRunner

  /// - Parameter answer: the result of every query.
  init(
    _ arguments: [String] = [], isTerminal: Bool = false,
    sessions: [SessionInfo] = [],
    stream: @escaping (Query, ([Record]) -> Void) throws -> QuerySummary? = { _, _ in nil },
    answer: @escaping (Query) throws -> QueryResult
  ) throws {
    try self.init(
      source: QuerySource(
        answer: answer, stream: stream, sessions: { sessions }, summary: { ["a store"] }),
      arguments, isTerminal: isTerminal)
  }

  /// How a query ends.
  func status(_ text: String) -> ExitCode {
    var runner = runner
    return runner.run(text)
  }

  /// A runner over any source.
  init(
    source: QuerySource, _ arguments: [String] = [], isTerminal: Bool = false,
    pause: @escaping () -> Bool = { false }
  ) throws {
    final class Ticks { var now: Int64 = 0 }
    let ticks = Ticks()
    runner = QueryRunner(
      try Options(["store", "--color", "never"] + arguments), source: source,
      output: output.output(isTerminal: isTerminal), errors: errors.output(isTerminal: isTerminal),
      zone: .utc, environment: { _ in nil },
      clock: {
        ticks.now += 1_500_000
        return ticks.now
      }, pause: pause)
  }

  /// A runner whose every answer is these rows.
  init(
    _ arguments: [String] = [], isTerminal: Bool = false, rows: QueryResult.Rows,
    summary: QuerySummary = QuerySummary()
  ) throws {
    try self.init(arguments, isTerminal: isTerminal) { _ in
      QueryResult(rows: rows, summary: summary)
    }
  }
}
