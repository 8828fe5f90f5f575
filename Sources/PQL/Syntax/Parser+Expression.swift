extension Parser {
  /// expr = unit { "and" unit } | unit { "or" unit }
  mutating func expression() throws(Diagnostic) -> Expression {
    try nested { parser throws(Diagnostic) in
      var units = [try parser.unit()]
      var isOr: Bool?
      while parser.isWord("and") || parser.isWord("or") {
        let word = parser.current
        if let isOr, isOr != (word.text == "or") {
          throw Diagnostic(
            .mixedAndOr, "`and` and `or` are mixed without parentheses", at: word.range
          ).labelled("the terms before here are joined by `\(isOr ? "or" : "and")`")
        }
        isOr = word.text == "or"
        _ = parser.next()
        units.append(try parser.unit())
      }
      return .joined(units, byOr: isOr ?? false)
    }
  }

  /// unit = "not" unit | "has" path | "under" value | sum [ tail ]
  private mutating func unit() throws(Diagnostic) -> Expression {
    let start = current.range.lowerBound
    if take(word: "not") != nil {
      let operand = try nested { parser throws(Diagnostic) in try parser.unit() }
      return .negation(of: operand, range(from: start))
    }
    if isWord("has") || isWord("under") { return try presence() }
    let left = try sum()
    return isComparison() ? try comparison(of: left) : left
  }

  /// "has" path | "under" value
  mutating func presence() throws(Diagnostic) -> Expression {
    let word = next()
    let kind: Expression.Kind =
      if word.text == "has" { .has(try path()) } else { .under(try value()) }
    return Expression(kind, range(from: word.range.lowerBound))
  }

  private mutating func sum() throws(Diagnostic) -> Expression {
    let first = try product()
    var steps: [ArithmeticStep] = []
    while current.kind == .arithmetic, current.text != "/" {
      let operation: ArithmeticStep.Operator = next().text == "+" ? .add : .subtract
      steps.append(ArithmeticStep(operation, try product()))
    }
    return .arithmetic(first, steps)
  }

  private mutating func product() throws(Diagnostic) -> Expression {
    let first = try factor()
    var steps: [ArithmeticStep] = []
    while current.kind == .star || current.kind == .arithmetic && current.text == "/" {
      let operation: ArithmeticStep.Operator = next().kind == .star ? .multiply : .divide
      steps.append(ArithmeticStep(operation, try factor()))
    }
    return .arithmetic(first, steps)
  }

  /// factor = NEG factor | atom
  private mutating func factor() throws(Diagnostic) -> Expression {
    guard let minus = take(.minus) else { return try atom() }
    let start = minus.range.lowerBound
    if current.kind == .number || current.kind == .duration {
      return Expression(.literal(try literal(sign: "-")), range(from: start))
    }
    let operand = try nested { parser throws(Diagnostic) in try parser.factor() }
    return .negative(operand, range(from: start))
  }

  /// atom = "(" expr ")" | literal | PARAM | call | path
  mutating func atom() throws(Diagnostic) -> Expression {
    let token = current
    switch token.kind {
    case .leftParenthesis: return try parenthesized()
    case .number, .duration, .size, .time, .string:
      return Expression(.literal(try literal()), token.range)
    case .parameter: return parameter()
    case .word where token.text == "true" || token.text == "false":
      _ = next()
      return Expression(.literal(.bool(token.text == "true")), token.range)
    case .word:
      if isCall() { return try call() }
      let path = try path()
      return Expression(.path(path), path.range)
    default:
      let problem = Diagnostic(
        .expectedExpression, "expected a column, a value or a call, found \(token.described)",
        at: token.range)
      throw token.kind == .star
        ? problem.helping("count() counts all rows; there is no `*` for all columns") : problem
    }
  }

  private mutating func parenthesized() throws(Diagnostic) -> Expression {
    let opening = next()
    let inner = try expression()
    _ = try expect(.rightParenthesis, ")", closing: opening)
    return Expression(inner.kind, range(from: opening.range.lowerBound))
  }

  mutating func parameter() -> Expression {
    let token = next()
    return Expression(.parameter(String(token.text.dropFirst())), token.range)
  }

  // MARK: Comparisons

  /// tail = op value | ["not"] "in" list
  mutating func comparison(of left: Expression) throws(Diagnostic) -> Expression {
    let start = left.range.lowerBound
    if isWord("in") || isWord("not") {
      let isNegated = take(word: "not") != nil
      guard let word = take(word: "in") else { throw expectedComparison() }
      let values = try valueList(after: word)
      let node = Expression(.isIn(left, values), range(from: start))
      return isNegated ? .negation(of: node, node.range) : node
    }
    guard let sign = take(.comparison) else { throw expectedComparison() }
    let isOfText = sign.text.hasSuffix(":") || sign.text.hasSuffix("~")
    let right = try isOfText ? searchedValue() : movedValue()
    guard current.kind != .comparison else {
      throw Diagnostic(.chainedComparison, "comparisons cannot be chained", at: current.range)
        .helping("join two comparisons with `and`")
    }
    let isNegated = sign.text.hasPrefix("!")
    guard let comparison = Comparison(rawValue: String(sign.text.drop { $0 == "!" }))
    else { preconditionFailure("the lexer made a comparison of `\(sign.text)`") }
    let node = Expression(.compare(comparison, left, right), range(from: start))
    return isNegated ? .negation(of: node, node.range) : node
  }

  private func expectedComparison() -> Diagnostic {
    Diagnostic(
      .expectedToken, "expected a comparison, found \(current.described)", at: current.range
    ).helping("a call alone is not a condition; compare it, as in len(message) > 80")
  }

  private mutating func valueList(after word: Token) throws(Diagnostic) -> [Expression] {
    if current.kind == .parameter { return [parameter()] }
    guard let opening = take(.leftParenthesis) else {
      throw Diagnostic(
        .expectedToken, "expected `(` after `in`, found \(current.described)", at: current.range
      ).helping(
        "to search for the word write \"in\"",
        edits: [.init(range: word.range, replacement: "\"in\"")])
    }
    var values = [try value()]
    while take(.comma) != nil {
      guard values.count < limits.valueCount else {
        let message = "`in` has too many values; the limit is \(limits.valueCount)"
        throw Diagnostic(.tooManyValues, message, at: current.range)
      }
      values.append(try value())
    }
    _ = try expect(.rightParenthesis, ")", closing: opening)
    return values
  }

  /// The value right of `:` or `~`. A number there is the text that it is written as: `: 007` finds no 7.
  private mutating func searchedValue() throws(Diagnostic) -> Expression {
    let start = current.range.lowerBound
    let isNegative = current.kind == .minus && peek(1).kind == .number
    guard isNegative || current.kind == .number else { return try movedValue() }
    if isNegative { _ = next() }
    let digits = next().text
    return Expression(.literal(.string((isNegative ? "-" : "") + digits)), range(from: start))
  }

  /// time = value [ ("+" | "-") DURATION ]
  mutating func movedValue() throws(Diagnostic) -> Expression {
    let base = try value()
    guard current.kind == .arithmetic, current.text != "/", peek(1).kind == .duration
    else { return base }
    let sign = next().text
    let duration = try duration(after: sign)
    return Expression(
      .moved(base, by: sign == "-" ? -duration : duration),
      range(from: base.range.lowerBound))
  }

  /// What can stand right of a comparison. A word there is text, unless it begins with the name of
  /// something that has fields.
  mutating func value() throws(Diagnostic) -> Expression {
    let token = current
    switch token.kind {
    case .minus where peek(1).kind == .number || peek(1).kind == .duration:
      _ = next()
      return Expression(.literal(try literal(sign: "-")), range(from: token.range.lowerBound))
    case .leftParenthesis: return try parenthesized()
    case .parameter: return parameter()
    case .string, .number, .duration, .size, .time:
      return Expression(.literal(try literal()), token.range)
    case .word: return try wordValue()
    default:
      throw Diagnostic(
        .expectedValue, "expected a value, found \(token.described)", at: token.range)
    }
  }

  private mutating func wordValue() throws(Diagnostic) -> Expression {
    let token = current
    if token.text == "true" || token.text == "false" {
      _ = next()
      return Expression(.literal(.bool(token.text == "true")), token.range)
    }
    guard ReservedWord(rawValue: token.text) == nil else {
      throw Diagnostic(.reservedWord, "`\(token.text)` is reserved", at: token.range)
        .fixing(with: "\"\(token.text)\"", "for the text write \"\(token.text)\"")
    }
    if isCall() { return try call() }
    if Path.marksField(token.text) {
      let path = try path()
      return Expression(.path(path), path.range)
    }
    _ = next()
    let isPattern = token.text.contains { $0 == "*" || $0 == "?" }
    return Expression(isPattern ? .pattern(token.text) : .literal(.string(token.text)), token.range)
  }
}
