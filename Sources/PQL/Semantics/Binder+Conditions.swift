internal import SegmentIndex

extension Binder {
  /// Binds a filter. It may be as long as its text, but not much longer by the columns that it uses.
  func boundedCondition(_ node: Expression) throws(Diagnostic) -> Condition {
    let condition = try condition(node)
    var budget = OperandBudget(4 * SyntaxLimits.standard.tokenCount)
    guard condition.fits(&budget) else { throw budget.diagnostic(node.range) }
    return condition
  }

  /// Binds an expression that is true or false.
  func condition(_ node: Expression) throws(Diagnostic) -> Condition {
    switch node.kind {
    case .everything: return .always(true)
    case .text(let text, let isPattern):
      let message = try implied("message", node.range, for: "a lone word")
      return .test(message.operand, .contains(TextSearch(text, isPattern: isPattern)))
    case .within(let length):
      let time = try implied("time", node.range, for: "`last`")
      guard case .duration(let duration)? = try constant(length)?.value, duration >= 0 else {
        throw Diagnostic(
          .wrongType, "`last` needs a duration, such as 2h", at: length.range)
      }
      let start = context.now.adding(-duration) ?? .min
      return .test(time.operand, .order(.greaterOrEqual, .time(start)))
    case .bound(let bound, let limit):
      let time = try implied("time", node.range, for: "`\(bound.rawValue)`")
      let comparison: Comparison = bound == .since ? .greaterOrEqual : .less
      return .test(time.operand, try predicate(time, comparison, limit))
    case .under(let scope):
      let scopes = try implied("scope", node.range, for: "`under`")
      guard case .string(let path) = try constant(scope)?.text else {
        throw Diagnostic(.wrongType, "`under` needs a scope's path", at: scope.range)
      }
      return .test(scopes.operand, .under(scopePath(path)))
    case .has(let path): return .has(try resolve(path).operand)
    case .compare(let comparison, let left, let right):
      return try self.comparison(try value(left), comparison, right)
    case .isIn(let left, let values):
      return try membership(try value(left), values)
    case .not(let inner): return .not(try condition(inner))
    case .and(let parts): return .all(conditions(parts))
    case .or(let parts): return .or(conditions(parts))
    case .literal(.bool(let value)): return .always(value)
    case .path, .call, .literal, .parameter, .arithmetic, .negate, .moved, .pattern:
      let operand = try value(node)
      guard operand.type == .bool || operand.type == .any else {
        throw Diagnostic(
          .notACondition, "\(operand.type.phrase) is neither true nor false", at: node.range
        ).helping("compare it with something")
      }
      return .test(operand.operand, .order(.equal, .bool(true)))
    }
  }

  /// The parts of a junction. Those that are wrong are noted, each of them.
  private func conditions(_ parts: [Expression]) -> [Condition] {
    parts.map { part in
      noting(.always(true)) { () throws(Diagnostic) in try condition(part) }
    }
  }

  /// The field that a word of the language reads without naming it.
  private func implied(
    _ name: String, _ range: Range<Int>, for what: String
  ) throws(Diagnostic) -> Typed {
    if hasRecords || columnsAreUnknown || column(named: name) != nil {
      return try resolve(Path([.name(name)], range))
    }
    throw Diagnostic(
      .needsRecords, "\(what) reads `\(name)`, which the rows here do not have", at: range
    ).noting("the columns here are " + columns.map(\.name).joined(separator: ", "))
  }

  // MARK: Comparisons

  private func comparison(
    _ left: Typed, _ comparison: Comparison, _ right: Expression
  ) throws(Diagnostic) -> Condition {
    guard try constant(right) == nil else {
      return .test(left.operand, try predicate(left, comparison, right))
    }
    let other = try value(right)
    guard comparison != .contains, comparison != .matches else {
      throw Diagnostic(
        .wrongType, "`\(comparison.rawValue)` needs a text right of it, not a column",
        at: right.range)
    }
    guard
      left.type == other.type || left.type == .any || other.type == .any
        || left.type.isNumber && other.type.isNumber
    else {
      throw Diagnostic(
        .wrongType, "\(left.type.phrase) cannot be compared with \(other.type.phrase)",
        at: left.range.lowerBound..<max(right.range.upperBound, left.range.upperBound))
    }
    return .compare(left.operand, comparison, other.operand)
  }

  private func membership(
    _ left: Typed, _ values: [Expression]
  ) throws(Diagnostic) -> Condition {
    var predicates: [Predicate] = []
    var computed: [Condition] = []
    for value in values {
      noting(()) { () throws(Diagnostic) in
        if try constant(value) == nil {
          computed.append(try comparison(left, .equal, value))
        } else {
          predicates.append(try predicate(left, .equal, value))
        }
      }
    }
    let test = Condition.test(
      left.operand, predicates.count == 1 ? predicates[0] : .any(predicates))
    if predicates.isEmpty { return computed.count == 1 ? computed[0] : .or(computed) }
    return computed.isEmpty ? test : .or([test] + computed)
  }

  // MARK: Constants

  /// What can be compared with without looking at a row.
  struct Constant {
    let value: Value
    /// Whether the text is a pattern with wildcards.
    var isPattern = false
    /// Whether the query wrote it, so that a word such as `now` can mean more than its letters.
    var isWritten = false
    /// A duration by which a time is moved.
    var moved: Int64?

    var text: Value? { isPattern || moved != nil ? nil : value }
  }

  /// The constant that stands right of a comparison; nil when it depends on the row.
  func constant(_ node: Expression) throws(Diagnostic) -> Constant? {
    switch node.kind {
    case .literal(let literal):
      return Constant(value: try value(of: literal, node.range), isWritten: true)
    case .pattern(let pattern): return Constant(value: .string(pattern), isPattern: true)
    case .parameter(let name): return Constant(value: try parameter(name, node.range))
    case .moved(let base, let duration):
      guard var constant = try constant(base) else {
        throw Diagnostic(.wrongType, "only a time can be moved by a duration", at: base.range)
      }
      constant.moved = duration
      return constant
    case .path, .call, .arithmetic, .negate:
      do throws(Diagnostic) {
        guard case .constant(let value?) = try value(node).operand else { return nil }
        return Constant(value: value)
      } catch {
        // `event = session.started` may well mean the text.
        guard case .path(let path) = node.kind, path.isRecognisable, error.code == .unknownField
        else { throw error }
        let text = quoted(Printer.text(path))
        throw error.fixing(with: text, "for the text quote it: \(text)")
      }
    default: return nil
    }
  }

  /// The test that `left comparison right` makes when `right` is a constant.
  func predicate(
    _ left: Typed, _ comparison: Comparison, _ right: Expression
  ) throws(Diagnostic) -> Predicate {
    guard let constant = try constant(right) else {
      throw Diagnostic(.wrongType, "this must be the same for all rows", at: right.range)
    }
    let test = ConstantTest(binder: self, left: left, comparison: comparison, range: right.range)
    return try test.predicate(constant)
  }
}

/// A scope's path without slashes around it, which no scope has.
private func scopePath(_ text: String) -> String {
  let path = text.utf8.drop { $0 == UInt8(ascii: "/") }
  let end = path.lastIndex { $0 != UInt8(ascii: "/") }
  return end.flatMap { String(path[...$0]) } ?? ""
}
