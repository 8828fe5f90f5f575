/// Writes a tree as canonical text: one spelling for each tree, and `parse(print(tree)) == tree`.
package struct Printer {
  /// How tightly an expression holds together; parentheses go around one that stands where something
  /// tighter must.
  private enum Tightness: Int, Comparable {
    case junction, negation, comparison, sum, product, unary, atom

    static func < (left: Tightness, right: Tightness) -> Bool { left.rawValue < right.rawValue }
  }

  /// The text of a whole query.
  package static func text(_ query: QueryTree) -> String {
    ([filter(query.filter)] + query.stages.map(stage)).joined(separator: " | ")
  }

  // MARK: Filters

  /// The text of a filter; inside another one junctions take parentheses.
  static func filter(_ node: Expression, isInner: Bool = false) -> String {
    switch node.kind {
    case .and(let operands), .or(let operands):
      let separator = if case .or = node.kind { " or " } else { " and " }
      let text = operands.map { filter($0, isInner: true) }.joined(separator: separator)
      return isInner ? "(\(text))" : text
    case .not(let operand) where !hasNegatedSpelling(operand):
      return "not " + filter(operand, isInner: true)
    case .text(let text, let isPattern): return isPattern ? text : quoted(text)
    case .everything: return "*"
    case .within(let duration): return "last " + value(duration)
    case .bound(let bound, let time): return "\(bound.rawValue) \(value(time))"
    default: return expression(node)
    }
  }

  private static func hasNegatedSpelling(_ node: Expression) -> Bool {
    switch node.kind {
    case .compare(let comparison, _, _): comparison.hasNegatedSpelling
    case .isIn: true
    default: false
    }
  }

  // MARK: Expressions

  /// The text of an expression as an item or an argument has it.
  static func expression(_ node: Expression) -> String {
    expression(node, .junction)
  }

  private static func expression(_ node: Expression, _ place: Tightness) -> String {
    let (text, tightness) = spelled(node)
    return tightness < place ? "(\(text))" : text
  }

  private static func spelled(_ node: Expression) -> (String, Tightness) {
    switch node.kind {
    case .and(let operands): (junction(operands, " and "), .junction)
    case .or(let operands): (junction(operands, " or "), .junction)
    case .not(let operand): negation(operand)
    case .compare(let comparison, let left, let right):
      (compared(left, comparison.rawValue, right), .comparison)
    case .isIn(let left, let values): ("\(expression(left, .sum)) in \(list(values))", .comparison)
    case .has(let path): ("has " + text(path), .comparison)
    case .under(let scope): ("under " + value(scope), .comparison)
    case .arithmetic(let first, let steps): arithmetic(first, steps)
    case .negate(let operand): ("-" + expression(operand, .atom), .unary)
    case .call(let name, let arguments):
      ("\(name)(\(arguments.map { expression($0) }.joined(separator: ", ")))", .atom)
    case .path(let path): (text(path), .atom)
    case .literal(let literal): (text(literal), isNegative(literal) ? .unary : .atom)
    case .pattern(let text): (text, .atom)
    case .parameter(let name): ("$" + name, .atom)
    case .moved: (value(node), .comparison)
    // A filter's own forms never stand inside an expression.
    case .everything, .text, .within, .bound: (filter(node), .junction)
    }
  }

  private static func junction(_ operands: [Expression], _ separator: String) -> String {
    operands.map { expression($0, .negation) }.joined(separator: separator)
  }

  private static func negation(_ operand: Expression) -> (String, Tightness) {
    switch operand.kind {
    case .compare(let comparison, let left, let right) where comparison.hasNegatedSpelling:
      (compared(left, "!" + comparison.rawValue, right), .comparison)
    case .isIn(let left, let values):
      ("\(expression(left, .sum)) not in \(list(values))", .comparison)
    default: ("not " + expression(operand, .negation), .negation)
    }
  }

  private static func compared(_ left: Expression, _ sign: String, _ right: Expression) -> String {
    "\(expression(left, .sum)) \(sign) \(value(right))"
  }

  private static func arithmetic(
    _ first: Expression, _ steps: [ArithmeticStep]
  ) -> (String, Tightness) {
    let tightness: Tightness = steps[0].operation.isAdditive ? .sum : .product
    let operand: Tightness = tightness == .sum ? .product : .unary
    var text = expression(first, tightness)
    for step in steps {
      text += " \(step.operation.rawValue) \(expression(step.operand, operand))"
    }
    return (text, tightness)
  }

  // MARK: Values

  /// The text of what stands right of a comparison. There a bare word is text, so a column takes
  /// parentheses, unless its first name says that it is one.
  private static func value(_ node: Expression) -> String {
    switch node.kind {
    case .literal, .pattern, .parameter, .call: return expression(node, .junction)
    case .path(let path) where path.isRecognisable: return text(path)
    case .moved(let time, let duration):
      let sign = duration < 0 ? "-" : "+"
      return "\(value(time)) \(sign) \(Quantity.durationText(duration).drop { $0 == "-" })"
    default: return "(\(expression(node, .junction)))"
    }
  }

  private static func list(_ values: [Expression]) -> String {
    if values.count == 1, case .parameter(let name) = values[0].kind { return "$" + name }
    return "(\(values.map { value($0) }.joined(separator: ", ")))"
  }

  private static func text(_ literal: Literal) -> String {
    switch literal {
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): NumberText.text(value)
    case .string(let value): quoted(value)
    case .duration(let value): Quantity.durationText(value)
    case .size(let value): Quantity.sizeText(value)
    case .time(let value): value.description
    }
  }

  private static func isNegative(_ literal: Literal) -> Bool {
    switch literal {
    case .int(let value), .duration(let value): value < 0
    case .double(let value): value.sign == .minus
    default: false
    }
  }

  /// A path, its odd names quoted.
  static func text(_ path: Path) -> String {
    var text = ""
    for (position, segment) in path.segments.enumerated() {
      switch segment {
      case .index(let index): text += "[\(index)]"
      case .name(let name):
        if position > 0 { text += "." }
        text += position == 0 || isPlainSegment(name) ? name : quoted(name)
      }
    }
    return text
  }

  // MARK: Stages

  private static func stage(_ stage: Stage) -> String {
    switch stage.kind {
    case .where(let condition): "where " + filter(condition)
    case .select(let columns): "select " + items(columns)
    case .extend(let columns): "extend " + items(columns)
    case .stats(let aggregates, let keys): "stats " + items(aggregates) + by(keys)
    case .top(let count, let keys): "top \(count) " + items(keys)
    case .sort(let keys):
      "sort "
        + keys.map { ($0.isDescending ? "-" : "") + expression($0.expression, .atom) }
        .joined(separator: ", ")
    case .limit(let count): "limit \(count)"
    case .dedup(let keys): "dedup " + items(keys)
    case .timeline(let width, let keys):
      "timeline" + (width.map { " every " + Quantity.durationText($0) } ?? "") + by(keys)
    case .spans: "spans"
    case .trace(let back, let depth):
      "trace" + (back.map { " back " + Quantity.durationText($0) } ?? "")
        + (depth.map { " depth \($0)" } ?? "")
    case .context(let before, let after): "context \(before)" + (after.map { " \($0)" } ?? "")
    }
  }

  private static func by(_ keys: [Item]) -> String {
    keys.isEmpty ? "" : " by " + items(keys)
  }

  private static func items(_ items: [Item]) -> String {
    items.map(item).joined(separator: ", ")
  }

  private static func item(_ item: Item) -> String {
    let text = expression(item.expression)
    if let name = item.name { return "\(name) = \(text)" }
    return readsAsNamed(text) ? "(\(text))" : text
  }

  /// Whether an unnamed item would read as `name = ...`: its first word is followed by ` = `.
  private static func readsAsNamed(_ text: String) -> Bool {
    let rest = text.drop { $0 != " " && $0 != "(" }
    return rest.count < text.count && rest.hasPrefix(" = ")
  }
}

extension Path {
  /// Whether a word right of a comparison is a field and not text.
  static func marksField(_ word: String) -> Bool {
    ["tag.", "payload.", "session."].contains(where: word.hasPrefix)
  }

  /// Whether its first name shows that it is a field: `tag.x`, `payload.x`, `session.x`.
  package var isRecognisable: Bool {
    guard segments.count > 1, case .name(let first) = segments[0], case .name = segments[1]
    else { return false }
    return first == "tag" || first == "payload" || first == "session"
  }
}
