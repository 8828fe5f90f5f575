internal import SegmentIndex

extension Binder {
  /// The most operations an expression may have once the columns it uses are written out.
  private static let operationLimit = 1_000

  /// Binds an expression that computes a value.
  func value(_ node: Expression) throws(Diagnostic) -> Typed {
    let typed = try unchecked(node)
    var budget = OperandBudget(Self.operationLimit)
    guard typed.operand.fits(&budget) else { throw budget.diagnostic(node.range) }
    return typed
  }

  private func unchecked(_ node: Expression) throws(Diagnostic) -> Typed {
    switch node.kind {
    case .literal(let literal):
      let value = try value(of: literal, node.range)
      return Typed(operand: .constant(value), type: type(of: value), range: node.range)
    case .parameter(let name):
      let value = try parameter(name, node.range)
      return Typed(operand: .constant(value), type: type(of: value), range: node.range)
    case .path(let path): return try pathValue(path)
    case .arithmetic(let first, let steps): return try arithmetic(first, steps, node.range)
    case .negate(let inner):
      let operand = try value(inner)
      guard operand.type.isNumber || operand.type == .duration || operand.type == .any else {
        throw Diagnostic(
          .wrongType, "`-` needs a number, not \(operand.type.phrase)", at: node.range)
      }
      return simplified(.negate(operand.operand), operand.type, node.range)
    case .call(let name, let arguments): return try call(name, arguments, node)
    case .moved, .pattern:
      throw Diagnostic(.wrongType, "this can only stand right of a comparison", at: node.range)
    case .everything, .text, .within, .bound, .under, .has, .compare, .isIn, .not, .and, .or:
      return Typed(operand: .truth(try condition(node)), type: .bool, range: node.range)
    }
  }

  /// The value of a literal; times without an offset are the zone's.
  func value(of literal: Literal, _ range: Range<Int>) throws(Diagnostic) -> Value {
    switch literal {
    case .bool(let value): return .bool(value)
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .string(let value): return .string(value)
    case .duration(let value): return .duration(value)
    case .size(let value): return .size(value)
    case .time(let literal):
      let time =
        if let offset = literal.offset {
          literal.local.adding(-Int64(offset) * nanosecondsPerSecond)
        } else {
          context.zone.time(ofLocal: literal.local)
        }
      guard let time else {
        throw Diagnostic(.valueOutOfRange, "the time does not fit 64 bits", at: range)
      }
      return .time(time)
    }
  }

  func type(of value: Value) -> ValueType {
    switch value {
    case .json, .list: .any
    default: ValueType(rawValue: value.typeName) ?? .any
    }
  }

  /// A path in an expression; `now`, `today` and `yesterday` are times there unless a column has the name.
  private func pathValue(_ path: Path) throws(Diagnostic) -> Typed {
    if path.segments.count == 1, case .name(let name) = path.segments[0],
      column(named: name) == nil, let time = time(named: name)
    {
      return Typed(operand: .constant(.time(time)), type: .time, range: path.range)
    }
    return try resolve(path)
  }

  /// The times that have names.
  func time(named name: String) -> Int64? {
    let today = context.zone.days(1, around: context.now)?.lowerBound
    switch name {
    case "now": return context.now
    case "today": return today
    // The day before the one that holds the last instant before midnight.
    case "yesterday":
      return today.flatMap { $0.adding(-1) }.flatMap {
        context.zone.days(1, around: $0)?.lowerBound
      }
    default: return nil
    }
  }

  // MARK: Arithmetic

  private func arithmetic(
    _ first: Expression, _ steps: [ArithmeticStep], _ range: Range<Int>
  ) throws(Diagnostic) -> Typed {
    guard steps.count < Self.operationLimit else {
      throw OperandBudget(Self.operationLimit).diagnostic(range)
    }
    var result = try value(first)
    for step in steps {
      let operand = try value(step.operand)
      let union = result.range.lowerBound..<operand.range.upperBound
      guard let type = resultType(step.operation, result.type, operand.type) else {
        throw Diagnostic(
          .wrongType,
          "`\(step.operation.rawValue)` cannot combine \(result.type.phrase) and "
            + operand.type.phrase,
          at: union)
      }
      let joined = appended(
        result.operand, .init(operation: step.operation, operand: operand.operand))
      result = simplified(joined, type, union)
    }
    return result
  }

  /// The sum or product with one more operand.
  private func appended(_ first: Operand, _ step: Operand.Step) -> Operand {
    if case .arithmetic(let innermost, let steps) = first,
      steps[0].operation.isAdditive == step.operation.isAdditive
    {
      return .arithmetic(innermost, steps + [step])
    }
    return .arithmetic(first, [step])
  }

  /// The operand, computed now when nothing in it depends on a row.
  private func simplified(_ operand: Operand, _ type: ValueType, _ range: Range<Int>) -> Typed {
    guard operand.isConstant else { return Typed(operand: operand, type: type, range: range) }
    let value = operand.value(in: NoRow())
    return Typed(operand: .constant(value), type: value.map(self.type) ?? type, range: range)
  }

  // MARK: Calls

  private func call(
    _ name: String, _ arguments: [Expression], _ node: Expression
  ) throws(Diagnostic) -> Typed {
    if !columns.isEmpty, let column = column(named: Printer.expression(node)) {
      guard !column.isBroken else { throw .consequence(at: node.range) }
      return Typed(operand: column.operand, type: column.type, range: node.range)
    }
    let function = try function(name, arguments, node)
    guard case .scalar(let scalar) = function.kind else {
      throw Diagnostic(
        .misplacedAggregate, "`\(name)` aggregates many rows and can only stand in `stats`",
        at: node.range)
    }
    var operands: [Typed] = []
    for (index, argument) in arguments.enumerated() {
      operands.append(
        noting(.broken(argument.range)) { () throws(Diagnostic) in
          guard scalar == .if, index == 0 else { return try value(argument) }
          return Typed(operand: .truth(try condition(argument)), type: .bool, range: argument.range)
        })
    }
    guard !operands.contains(where: \.isBroken) else { throw .consequence(at: node.range) }
    let type = try checkedType(of: scalar, operands, node.range)
    return simplified(adapted(scalar, operands), type, node.range)
  }

  /// The function of this name, its number of arguments checked.
  func function(
    _ name: String, _ arguments: [Expression], _ node: Expression
  ) throws(Diagnostic) -> Function {
    let range = node.range.lowerBound..<node.range.lowerBound + name.utf8.count
    guard let function = Function.named(name) else {
      throw Diagnostic(
        .unknownFunction, "there is no function `\(abbreviated(name))`", at: range
      )
      .suggesting(name, from: Function.all.map(\.name))
    }
    guard function.arity.contains(arguments.count) else {
      let (least, most) = (function.arity.lowerBound, function.arity.upperBound)
      let wanted = least == most ? "\(most)" : "\(least) to \(most)"
      throw Diagnostic(
        .wrongArguments,
        "`\(name)` takes \(wanted) argument\(most == 1 ? "" : "s"), not \(arguments.count)",
        at: node.range
      ).helping("write \(function.usage)")
    }
    return function
  }

  /// `bin` of a time carries the zone whose days it counts.
  private func adapted(_ function: ScalarFunction, _ operands: [Typed]) -> Operand {
    function == .bin
      ? .bin(operands[0].operand, operands[1].operand, context.zone)
      : .call(function, operands.map(\.operand))
  }

  private func checkedType(
    of function: ScalarFunction, _ operands: [Typed], _ range: Range<Int>
  ) throws(Diagnostic) -> ValueType {
    func refuse(_ operand: Typed, _ wanted: String) -> Diagnostic {
      Diagnostic(
        .wrongArguments, "`\(function.rawValue)` needs \(wanted), not \(operand.type.phrase)",
        at: operand.range)
    }
    switch function {
    case .bin:
      guard case .constant(let width?) = operands[1].operand else {
        throw Diagnostic(
          .wrongArguments, "the width of `bin` must be the same for all rows", at: operands[1].range
        )
      }
      let wanted: ValueType =
        operands[0].type == .time || operands[0].type == .duration ? .duration : .int
      guard let number = width.number, number > 0 else {
        throw Diagnostic(
          .wrongArguments, "the width of `bin` must be above zero", at: operands[1].range)
      }
      guard operands[0].type == .any || (wanted == .duration) == (operands[1].type == .duration)
      else { throw refuse(operands[1], wanted == .duration ? "a duration" : "a number") }
      guard operands[0].type.isNumber || [.time, .duration, .any].contains(operands[0].type)
      else { throw refuse(operands[0], "a time, a duration or a number") }
      return operands[0].type
    case .if: return operands[1].type == operands[2].type ? operands[1].type : .any
    case .coalesce: return Set(operands.map(\.type)).count == 1 ? operands[0].type : .any
    case .lower, .len:
      guard [.string, .any].contains(operands[0].type) else { throw refuse(operands[0], "a text") }
      return function == .lower ? .string : .int
    case .int: return .int
    case .double: return .double
    case .string, .type: return .string
    }
  }
}

/// The type of a sum or product of two types; nil when they do not combine.
func resultType(
  _ operation: ArithmeticStep.Operator, _ left: ValueType, _ right: ValueType
) -> ValueType? {
  switch (left, right) {
  case (.any, .any): return .any
  case (.any, _): return right.isNumber || [.duration, .time].contains(right) ? .any : nil
  case (_, .any): return left.isNumber || [.duration, .time].contains(left) ? .any : nil
  case (.time, .time): return operation == .subtract ? .duration : nil
  case (.time, .duration): return operation.isAdditive ? .time : nil
  case (.duration, .time): return operation == .add ? .time : nil
  case (.duration, .duration):
    return operation.isAdditive ? .duration : operation == .divide ? .double : nil
  case (.duration, _) where right.isNumber: return operation.isAdditive ? nil : .duration
  case (_, .duration) where left.isNumber: return operation == .multiply ? .duration : nil
  default:
    guard left.isNumber, right.isNumber else { return nil }
    return operation == .divide || left == .double || right == .double ? .double : .int
  }
}
