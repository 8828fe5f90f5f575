/// A computation whose names and types are settled.
package indirect enum Operand: Sendable, Hashable {
  /// nil is missing.
  case constant(Value?)
  case field(FieldReference)
  /// A column of the row's table, by position.
  case column(Int)
  case arithmetic(Operand, [Step])
  case negate(Operand)
  case call(ScalarFunction, [Operand])
  /// A value rounded down to a multiple of a width; days and weeks are the zone's.
  case bin(Operand, Operand, TimeZoneRules)
  /// The condition as a truth value, which is never missing.
  case truth(Condition)

  /// A further operand of a sum or product.
  package struct Step: Sendable, Hashable {
    package let operation: ArithmeticStep.Operator
    package let operand: Operand
  }
}

/// A test of a row, whose names and types are settled. It is true or false, never unknown.
package indirect enum Condition: Sendable, Hashable {
  case always(Bool)
  /// The operand has a value that passes.
  case test(Operand, Predicate)
  /// Two computed values; false when either is missing or their types do not compare.
  case compare(Operand, Comparison, Operand)
  case has(Operand)
  case not(Condition)
  case and([Condition])
  case or([Condition])
}

extension Condition {
  /// The conjunction, without nesting.
  static func all(_ conditions: [Condition]) -> Condition {
    let parts = conditions.flatMap { condition -> [Condition] in
      switch condition {
      case .always(true): []
      case .and(let inner): inner
      default: [condition]
      }
    }
    return parts.isEmpty ? .always(true) : parts.count == 1 ? parts[0] : .and(parts)
  }

  /// The parts of the top-level conjunction.
  var conjuncts: [Condition] {
    if case .and(let parts) = self { parts } else { self == .always(true) ? [] : [self] }
  }
}

// MARK: Shape

extension Operand {
  /// Whether its value is the same for every row.
  var isConstant: Bool {
    switch self {
    case .constant: true
    case .field, .column, .truth: false
    case .arithmetic(let first, let steps):
      first.isConstant && steps.allSatisfy(\.operand.isConstant)
    case .negate(let operand): operand.isConstant
    case .call(_, let arguments): arguments.allSatisfy(\.isConstant)
    case .bin(let value, let width, _): value.isConstant && width.isConstant
    }
  }

  /// Whether the operand fits what is left of `budget`, which it takes.
  func fits(_ budget: inout OperandBudget, depth: Int = 1) -> Bool {
    guard budget.take(atDepth: depth) else { return false }
    switch self {
    case .constant, .field, .column: return true
    case .arithmetic(let first, let steps):
      return first.fits(&budget, depth: depth + 1)
        && steps.allSatisfy { $0.operand.fits(&budget, depth: depth + 1) }
    case .negate(let operand): return operand.fits(&budget, depth: depth + 1)
    case .call(_, let arguments):
      return arguments.allSatisfy { $0.fits(&budget, depth: depth + 1) }
    case .bin(let value, _, _): return value.fits(&budget, depth: depth + 1)
    case .truth(let condition): return condition.fits(&budget, depth: depth + 1)
    }
  }
}

extension Condition {
  /// Whether the condition fits what is left of `budget`, which it takes.
  func fits(_ budget: inout OperandBudget, depth: Int = 1) -> Bool {
    guard budget.take(atDepth: depth) else { return false }
    switch self {
    case .always: return true
    case .test(let operand, _), .has(let operand): return operand.fits(&budget, depth: depth + 1)
    case .compare(let left, _, let right):
      return left.fits(&budget, depth: depth + 1) && right.fits(&budget, depth: depth + 1)
    case .not(let inner): return inner.fits(&budget, depth: depth + 1)
    case .and(let parts), .or(let parts):
      return parts.allSatisfy { $0.fits(&budget, depth: depth + 1) }
    }
  }
}

/// How large an operand may be. The columns that it uses are written out in it, so that a short query can
/// ask for a large one, and everything that walks it recurses as deep as it is.
struct OperandBudget {
  /// The deepest nesting: a few levels for each of those that the grammar allows.
  static let depthLimit = 256

  private let limit: Int
  private var used = 0
  private var isTooDeep = false

  /// Room for `limit` operations.
  init(_ limit: Int) {
    self.limit = limit
  }

  mutating func take(atDepth depth: Int) -> Bool {
    used += 1
    if depth > Self.depthLimit { isTooDeep = true }
    return used <= limit && !isTooDeep
  }

  /// What does not fit.
  func diagnostic(_ range: Range<Int>) -> Diagnostic {
    let reason =
      isTooDeep
      ? "is nested too deeply; the limit is \(Self.depthLimit)"
      : "has too many operations; the limit is \(limit)"
    return Diagnostic(
      .nestedTooDeep, "with its columns written out the expression \(reason)", at: range)
  }
}
