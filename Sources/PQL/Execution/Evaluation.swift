internal import SegmentIndex

// Evaluation never fails: what cannot be computed is missing, and a test of something missing is false.

extension Condition {
  /// Whether the row satisfies the condition.
  func holds(for row: some RowValues) -> Bool {
    switch self {
    case .always(let value): value
    case .test(let operand, let predicate): operand.value(in: row).map(predicate.holds) ?? false
    case .compare(let left, let comparison, let right):
      if let left = left.value(in: row), let right = right.value(in: row) {
        compares(left, comparison, right)
      } else {
        false
      }
    case .has(let operand): operand.value(in: row) != nil
    case .not(let inner): !inner.holds(for: row)
    case .and(let parts): parts.allSatisfy { $0.holds(for: row) }
    case .or(let parts): parts.contains { $0.holds(for: row) }
    }
  }
}

extension Operand {
  /// The operand's value for the row; nil when it is missing or cannot be computed.
  func value(in row: some RowValues) -> Value? {
    switch self {
    case .constant(let value): return value
    case .field(let field): return row.value(of: field)
    case .column(let index): return row.column(index)
    case .truth(let condition): return .bool(condition.holds(for: row))
    case .negate(let operand): return operand.value(in: row).flatMap(negated)
    case .bin(let operand, let width, let zone):
      guard let value = operand.value(in: row), let width = width.value(in: row) else { return nil }
      return binned(value, width, zone)
    case .call(let function, let arguments): return call(function, arguments, row)
    case .arithmetic(let first, let steps):
      var result = first.value(in: row)
      for step in steps {
        guard let left = result, let right = step.operand.value(in: row) else { return nil }
        result = combined(left, step.operation, right)
      }
      return result
    }
  }

  private func call(
    _ function: ScalarFunction, _ arguments: [Operand], _ row: some RowValues
  ) -> Value? {
    switch function {
    case .if:
      return arguments[0].value(in: row) == .bool(true)
        ? arguments[1].value(in: row) : arguments[2].value(in: row)
    case .coalesce:
      for argument in arguments {
        if let value = argument.value(in: row) { return value }
      }
      return nil
    default: return arguments[0].value(in: row).flatMap { applied(function, $0) }
    }
  }
}

// MARK: Arithmetic

/// The result of an operation; nil when the types do not combine, or there is no finite result that fits.
func combined(_ left: Value, _ operation: ArithmeticStep.Operator, _ right: Value) -> Value? {
  switch (left, right) {
  case (.duration(let left), .duration(let right)):
    return operation == .divide
      ? finite(Double(left) / Double(right)) : exact(left, operation, right).map(Value.duration)
  case (.time(let left), .time(let right)):
    return operation == .subtract ? exact(left, operation, right).map(Value.duration) : nil
  case (.time(let left), .duration(let right)):
    return operation.isAdditive ? exact(left, operation, right).map(Value.time) : nil
  case (.duration(let left), .time(let right)):
    return operation == .add ? exact(left, operation, right).map(Value.time) : nil
  case (.duration(let left), _):
    guard !operation.isAdditive, let right = right.number else { return nil }
    return nanoseconds(
      operation == .multiply ? Double(left) * right : Double(left) / right)
  case (_, .duration(let right)):
    guard operation == .multiply, let left = left.number else { return nil }
    return nanoseconds(left * Double(right))
  default: return combinedNumbers(left, operation, right)
  }
}

private func combinedNumbers(
  _ left: Value, _ operation: ArithmeticStep.Operator, _ right: Value
) -> Value? {
  if operation != .divide, let left = left.wholeNumber, let right = right.wholeNumber {
    return exact(left, operation, right).map(Value.int)
  }
  guard let left = left.number, let right = right.number else { return nil }
  switch operation {
  case .add: return finite(left + right)
  case .subtract: return finite(left - right)
  case .multiply: return finite(left * right)
  case .divide: return finite(left / right)
  }
}

/// Whole-number arithmetic; nil on overflow. Division is not whole.
private func exact(_ left: Int64, _ operation: ArithmeticStep.Operator, _ right: Int64) -> Int64? {
  switch operation {
  case .add: left.adding(right)
  case .subtract: left.subtracting(right)
  case .multiply: left.multiplied(by: right)
  case .divide: nil
  }
}

private func finite(_ value: Double) -> Value? {
  value.isFinite ? .double(value) : nil
}

/// A duration, rounded to a nanosecond.
private func nanoseconds(_ value: Double) -> Value? {
  Int64(exactly: value.rounded()).map(Value.duration)
}

private func negated(_ value: Value) -> Value? {
  switch value {
  case .int(let value): value == .min ? nil : .int(-value)
  case .size(let value): value == .min ? nil : .size(-value)
  case .duration(let value): value == .min ? nil : .duration(-value)
  case .double(let value): .double(-value)
  default: nil
  }
}

// MARK: Functions

private func applied(_ function: ScalarFunction, _ value: Value) -> Value? {
  if case .list(let values) = value, function == .lower || function == .len {
    // Of several values the function gives several.
    return .list(values.compactMap { applied(function, $0) })
  }
  return switch function {
  case .lower: value.searchableText.map { .string($0.lowercased()) }
  case .len: value.searchableText.map { .int(Int64($0.unicodeScalars.count)) }
  case .string: .string(value.description)
  case .type: .string(value.typeName)
  case .int: wholeNumber(value).map(Value.int)
  case .double: value.number.map(Value.double) ?? number(value)
  case .bin, .if, .coalesce: preconditionFailure("`\(function.rawValue)` has its own evaluation")
  }
}

/// What the function `int` gives: durations in nanoseconds, texts that are numbers.
private func wholeNumber(_ value: Value) -> Int64? {
  switch value {
  case .int(let value), .size(let value), .duration(let value), .time(let value): value
  case .double(let value): Int64(exactly: value.rounded(.towardZero))
  case .bool(let value): value ? 1 : 0
  case .level(let level): Int64(level.severity)
  case .string(let text):
    switch NumberText.signedValue(text) {
    case .int(let value): value
    case .double(let value): Int64(exactly: value.rounded(.towardZero))
    default: nil
    }
  case .uuid, .json, .list: nil
  }
}

private func number(_ value: Value) -> Value? {
  if case .string(let text) = value, case .double(let value)? = NumberText.signedValue(text) {
    return .double(value)
  }
  return wholeNumber(value).map { .double(Double($0)) }
}

/// The value rounded down to a multiple of `width`. For times a multiple of a day is counted in the
/// zone's calendar days, weeks from Monday on; shorter bins count elapsed time from the local midnight.
func binned(_ value: Value, _ width: Value, _ zone: TimeZoneRules) -> Value? {
  switch (value, width) {
  case (.time(let time), .duration(let width)):
    return zone.bin(of: time, width: width).map { .time($0.lowerBound) }
  case (.duration(let value), .duration(let width)) where width > 0:
    return value.floorDivided(by: width).multiplied(by: width).map(Value.duration)
  case (.int(let value), _), (.size(let value), _):
    if let width = width.wholeNumber, width > 0 {
      return value.floorDivided(by: width).multiplied(by: width).map(Value.int)
    }
    return binned(.double(Double(value)), width, zone)
  // A duration is no width of numbers.
  case (.double, .duration): return nil
  case (.double(let value), _):
    guard let width = width.number, width > 0 else { return nil }
    return finite((value / width).rounded(.down) * width)
  default: return nil
  }
}

extension TimeZoneRules {
  /// The bin of `width` nanoseconds that holds `time`.
  package func bin(of time: Int64, width: Int64) -> Range<Int64>? {
    guard width > 0 else { return nil }
    if width % nanosecondsPerDay == 0 {
      // Day 0 was a Thursday; day 4 is the first Monday.
      let days = width / nanosecondsPerDay
      return self.days(days, from: days % 7 == 0 ? 4 : 0, around: time)
    }
    guard let day = days(1, around: time) else { return nil }
    let start = day.lowerBound + (time - day.lowerBound) / width * width
    // The last bin of a day ends with it, so that every day begins a bin.
    let end = start.adding(width).map { min($0, day.upperBound) } ?? day.upperBound
    // A width above a day that is not whole days is counted from 1970.
    guard width < nanosecondsPerDay else {
      let index = time.floorDivided(by: width)
      let start = index.multiplied(by: width) ?? .min
      let end = (index + 1).multiplied(by: width) ?? .max
      return start < end ? start..<end : nil
    }
    return start..<end
  }
}
