/// The functions, one row each: what help shows, what the binder checks, what evaluation runs.
package struct Function: Sendable {
  package let name: String
  /// How many arguments it takes.
  let arity: ClosedRange<Int>
  /// The form, for help.
  package let usage: String
  package let summary: String
  let kind: Kind

  enum Kind: Sendable, Hashable {
    case scalar(ScalarFunction)
    case aggregate(AggregateFunction)
  }

  /// Every function by name; percentiles are `percentile(named:)`.
  package static let all: [Function] = scalars + aggregates

  private static let scalars: [Function] = [
    scalar(.bin, 2...2, "bin(x, width)", "x rounded down; days are the zone's calendar days"),
    scalar(.if, 3...3, "if(condition, a, b)", "a where the condition holds, else b"),
    scalar(.coalesce, 1...8, "coalesce(a, b, ..)", "the first that is not missing"),
    scalar(.lower, 1...1, "lower(text)", "the text in lower case"),
    scalar(.len, 1...1, "len(text)", "how many characters"),
    scalar(.int, 1...1, "int(x)", "x as a whole number, cut towards zero"),
    scalar(.double, 1...1, "double(x)", "x as a number"),
    scalar(.string, 1...1, "string(x)", "x as text"),
    scalar(.type, 1...1, "type(x)", "the name of x's type"),
  ]

  private static let aggregates: [Function] = [
    aggregate(
      "count", .count, 0...1, "count([condition])", "how many rows, or rows that satisfy it"),
    aggregate("sum", .sum, 1...1, "sum(x)", "the sum, rounded once"),
    aggregate("avg", .average, 1...1, "avg(x)", "the mean"),
    aggregate("min", .minimum, 1...1, "min(x)", "the smallest"),
    aggregate("max", .maximum, 1...1, "max(x)", "the largest"),
    aggregate("first", .first, 1...1, "first(x)", "the oldest row's"),
    aggregate("last", .last, 1...1, "last(x)", "the newest row's"),
    aggregate("distinct", .distinct, 1...1, "distinct(x)", "how many different values"),
    aggregate("rate", .rate, 0...0, "rate()", "rows per second of the time that was searched"),
  ]

  private static func scalar(
    _ function: ScalarFunction, _ arity: ClosedRange<Int>, _ usage: String, _ summary: String
  ) -> Function {
    Function(
      name: function.rawValue, arity: arity, usage: usage, summary: summary,
      kind: .scalar(function))
  }

  private static func aggregate(
    _ name: String, _ function: AggregateFunction, _ arity: ClosedRange<Int>, _ usage: String,
    _ summary: String
  ) -> Function {
    Function(name: name, arity: arity, usage: usage, summary: summary, kind: .aggregate(function))
  }

  /// The function of this name.
  static func named(_ name: String) -> Function? {
    all.first { $0.name == name } ?? percentile(named: name)
  }

  /// `p95`, `p99.9`: any percentile between 0 and 100.
  private static func percentile(named name: String) -> Function? {
    guard name.hasPrefix("p"), let value = Double(name.dropFirst()), 0...100 ~= value,
      name.dropFirst().utf8.allSatisfy({
        $0 == UInt8(ascii: ".") || Unicode.Scalar($0).isASCIIDigit
      })
    else { return nil }
    return aggregate(
      name, .percentile(value), 1...1, "\(name)(x)", "the value that \(value) % do not exceed")
  }
}

/// Functions of one row's values.
package enum ScalarFunction: String, Sendable, Hashable {
  case bin, `if`, coalesce, lower, len, int, double, string, type
}

/// Functions of a group's rows.
package enum AggregateFunction: Sendable, Hashable {
  case count, sum, average, minimum, maximum, first, last, distinct, rate
  /// Between 0 and 100.
  case percentile(Double)
}
