/// Where a row stands in the order of time, for `first` and `last`.
struct RowPosition: Comparable, Sendable {
  var time: Int64
  var session: UInt128 = 0
  var sequence: UInt64

  static func < (left: RowPosition, right: RowPosition) -> Bool {
    (left.time, left.session, left.sequence) < (right.time, right.session, right.sequence)
  }
}

/// One aggregate of one group, fed value by value in any order.
///
/// The result does not depend on that order, and so not on how records are laid out in segments.
enum Accumulator: Sendable {
  case count(Int64)
  case sum(ExactSum)
  case average(ExactSum)
  case minimum(Value?)
  case maximum(Value?)
  case first(Value?, RowPosition?)
  case last(Value?, RowPosition?)
  case distinct(Set<Value>)
  case percentile(PercentileSketch)

  init(_ function: AggregateFunction) {
    switch function {
    case .count, .rate: self = .count(0)
    case .sum: self = .sum(ExactSum())
    case .average: self = .average(ExactSum())
    case .minimum: self = .minimum(nil)
    case .maximum: self = .maximum(nil)
    case .first: self = .first(nil, nil)
    case .last: self = .last(nil, nil)
    case .distinct: self = .distinct([])
    case .percentile(let percent): self = .percentile(PercentileSketch(percent))
    }
  }

  /// Adds rows that a count counts.
  mutating func add(count: Int64) {
    guard case .count(let before) = self else { return }
    self = .count(before + count)
  }

  /// Adds a row's value; a missing one changes nothing. A count counts rows whose value is true.
  mutating func add(_ value: Value?, at position: @autoclosure () -> RowPosition) {
    guard let value else { return }
    switch self {
    case .count(let count): self = .count(value == .bool(true) ? count + 1 : count)
    case .sum(var sum):
      self = .count(0)  // so that `sum` is the only owner while it changes
      sum.add(value)
      self = .sum(sum)
    case .average(var sum):
      self = .count(0)
      sum.add(value)
      self = .average(sum)
    case .minimum(let least):
      guard !value.isNaN else { return }
      if least.map({ Value.order(value, $0) == .before }) ?? true { self = .minimum(value) }
    case .maximum(let greatest):
      guard !value.isNaN else { return }
      if greatest.map({ Value.order(value, $0) == .after }) ?? true { self = .maximum(value) }
    case .first(_, let oldest):
      let position = position()
      if oldest.map({ position < $0 }) ?? true { self = .first(value, position) }
    case .last(_, let newest):
      let position = position()
      if newest.map({ $0 < position }) ?? true { self = .last(value, position) }
    case .distinct(var values):
      self = .count(0)
      values.insert(value)
      self = .distinct(values)
    case .percentile(var sketch):
      self = .count(0)
      sketch.add(value)
      self = .percentile(sketch)
    }
  }

  /// The aggregate; nil when no row had a value.
  var result: Value? {
    switch self {
    case .count(let count): .int(count)
    case .sum(let sum): sum.total
    case .average(let sum): sum.mean
    case .minimum(let value), .maximum(let value): value?.canonical
    case .first(let value, _), .last(let value, _): value
    case .distinct(let values): .int(Int64(values.count))
    case .percentile(let sketch): sketch.result?.canonical
    }
  }

  /// Whether the result is only near the true one.
  var isApproximate: Bool {
    if case .percentile(let sketch) = self { sketch.isApproximate } else { false }
  }
}

extension Value {
  var isNaN: Bool {
    if case .double(let value) = self { value.isNaN } else { false }
  }
}
