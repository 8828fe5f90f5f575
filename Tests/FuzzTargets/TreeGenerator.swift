package import PQL

/// Makes trees in the parser's normal form, of random numbers or of a fuzzer's choices.
///
/// Random text alone rarely reaches what a printer gets wrong, such as the parentheses in `x - (y - z)`;
/// random trees do at once.
package struct TreeGenerator<Source: RandomNumberGenerator> {
  private var random: Source

  package init(random: Source) {
    self.random = random
  }

  package mutating func query() -> QueryTree {
    let filter = condition(4)
    let stages = (0..<pick([0, 0, 1, 1, 2, 3])).map { _ in stage() }
    return QueryTree(filter: filter, stages: stages)
  }

  // MARK: Choices

  private mutating func pick<Element>(_ choices: [Element]) -> Element {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private func node(_ kind: Expression.Kind) -> Expression { Expression(kind, 0..<0) }

  private mutating func word() -> String {
    pick([
      "timeout", "a-b", "/api/v2", "and", "last", "x*y", "404", "5m", #"a"b"#, #"back\slash"#, "é",
      "",
      "count", "#", "-x", "\u{1b}[0m", "it's", "\u{202e}", "日本", "🎉", "AND",
    ])
  }

  private mutating func segment() -> Path.Segment {
    chance(30)
      ? .index(Int.random(in: 0...9, using: &random))
      : .name(pick(["status", "user id", "x", "a.b", "9", "and", "é", "a-b", "*", #"q"q"#]))
  }

  private mutating func path() -> Path {
    let first = pick(["level", "duration", "tag", "payload", "session", "n"])
    let rest = (0..<pick([0, 1, 1, 2])).map { _ in segment() }
    return Path([.name(first)] + rest, 0..<0)
  }

  private mutating func literal() -> Expression {
    let time = TimeLiteral(
      pick(["2026-09-01", "2026-09-01T10:00:00.25", "2026-09-01T00:00-07:30"]))
    let double = Double.random(in: -1e9...1e9, using: &random)
    let int: Int64 = pick([0, 42, -7, .max, .min, Int64.random(in: .min ... .max, using: &random)])
    let bytes: Int64 = pick([
      0, 1_000, 1_024, 1_000_001, 10 << 40, Int64.random(in: 0 ... .max, using: &random),
    ])
    let duration: Int64 = pick([
      0, 1, -7_200_000_000_000, 5_400_000_000_123, 86_400_000_000_000,
      Int64.random(in: -.max ... .max, using: &random),
    ])
    let choices: [Literal?] = [
      .int(int), .double(double), .duration(duration), .size(bytes), time.map(Literal.time),
      .bool(chance(50)), .string(word()),
    ]
    guard let choice = pick(choices), !chance(10) else { return node(.parameter("p")) }
    return node(.literal(choice))
  }

  // MARK: Expressions

  private mutating func expression(_ depth: Int) -> Expression {
    guard depth > 0, !chance(20) else {
      return chance(50) ? node(.path(path())) : literal()
    }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<45: return arithmetic(depth)
    case ..<55: return .negative(operand(depth - 1), 0..<0)
    case ..<65:
      let arguments = (0..<pick([0, 1, 2])).map { _ in expression(depth - 1) }
      return node(.call(pick(["count", "p99.9", "bin", "if"]), arguments))
    case ..<80: return test(depth - 1)
    default:
      let isOr = chance(50)
      return .joined((0..<2).map { _ in unit(depth - 1) }, byOr: isOr)
    }
  }

  private mutating func unit(_ depth: Int) -> Expression {
    let inner = expression(depth)
    return chance(30) ? .negation(of: inner, 0..<0) : inner
  }

  /// An expression that can be part of a sum.
  private mutating func operand(_ depth: Int) -> Expression {
    let inner = expression(depth)
    switch inner.kind {
    case .and, .or, .not, .compare, .isIn, .has, .under: return node(.path(path()))
    default: return inner
    }
  }

  private mutating func arithmetic(_ depth: Int) -> Expression {
    let isSum = chance(50)
    let operators: [ArithmeticStep.Operator] = isSum ? [.add, .subtract] : [.multiply, .divide]
    let steps = (0..<pick([1, 1, 2])).map { _ in
      ArithmeticStep(pick(operators), operand(depth - 1))
    }
    return .arithmetic(operand(depth - 1), steps)
  }

  private mutating func test(_ depth: Int) -> Expression {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<20: return node(.has(path()))
    case ..<30: return node(.under(value(depth)))
    case ..<50: return node(.isIn(operand(depth), values(depth)))
    default:
      return comparison(operand(depth), movedValue(depth))
    }
  }

  /// A comparison; a number right of `:` and `~` is text.
  private mutating func comparison(_ left: Expression, _ right: Expression) -> Expression {
    let comparison = pick(Comparison.allCases)
    var right = right
    let isOfText = comparison == .contains || comparison == .matches
    if isOfText, case .literal(let literal) = right.kind {
      switch literal {
      case .int(let value): right = node(.literal(.string("\(value)")))
      case .double(let value): right = node(.literal(.string("\(value)")))
      default: break
      }
    }
    if isOfText, case .moved(let base, _) = right.kind, case .literal = base.kind {
      right = node(.pattern("a*"))
    }
    return node(.compare(comparison, left, right))
  }

  private mutating func values(_ depth: Int) -> [Expression] {
    chance(20) ? [node(.parameter("p"))] : (0..<pick([1, 2, 3])).map { _ in value(depth) }
  }

  private mutating func movedValue(_ depth: Int) -> Expression {
    let base = value(depth)
    let amount: Int64 = pick([-604_800_000_000_000, 1_500_000_000])
    return chance(15) ? node(.moved(base, by: amount)) : base
  }

  private mutating func value(_ depth: Int) -> Expression {
    switch Int.random(in: 0..<100, using: &random) {
    case ..<55: literal()
    case ..<65: node(.pattern(pick(["a*", "x?y", "*.swift"])))
    case ..<80: node(.path(Path([.name("tag"), segment()], 0..<0)))
    default: expression(depth - 1)
    }
  }

  // MARK: Filters

  mutating func condition(_ depth: Int) -> Expression {
    guard depth > 0, !chance(25) else { return leaf() }
    switch Int.random(in: 0..<100, using: &random) {
    case ..<40:
      let inner = fieldTest(depth - 1)
      return chance(30) ? .negation(of: inner, 0..<0) : inner
    case ..<55: return .negation(of: condition(depth - 1), 0..<0)
    default:
      let isOr = chance(50)
      return .joined((0..<pick([2, 3])).map { _ in condition(depth - 1) }, byOr: isOr)
    }
  }

  private mutating func leaf() -> Expression {
    switch Int.random(in: 0..<7, using: &random) {
    case 0: node(.text(word(), isPattern: false))
    case 1: node(.text("ti*t", isPattern: true))
    case 2: node(.everything)
    case 3:
      node(.within(node(pick([.literal(.duration(7_200_000_000_000)), .parameter("p")]))))
    case 4: node(.bound(pick([.since, .until]), movedValue(2)))
    case 5: node(.under(value(2)))
    default: node(.has(path()))
    }
  }

  /// A comparison whose left side a filter allows: a path or a call.
  private mutating func fieldTest(_ depth: Int) -> Expression {
    let call = node(.call("len", [node(.path(path()))]))
    let left = chance(70) ? node(.path(path())) : call
    return chance(30)
      ? node(.isIn(left, values(depth)))
      : comparison(left, movedValue(depth))
  }

  // MARK: Stages

  private mutating func item(_ depth: Int, isNamed: Bool = false) -> Item {
    Item(
      name: isNamed || chance(40) ? pick(["x", "rate", "n2"]) : nil, expression(depth), 0..<0)
  }

  private mutating func items(_ depth: Int, areNamed: Bool = false) -> [Item] {
    (0..<pick([1, 2])).map { _ in item(depth, isNamed: areNamed) }
  }

  private mutating func keys() -> [Item] { chance(50) ? [] : items(1) }

  private mutating func stage() -> Stage {
    let kind: Stage.Kind =
      switch Int.random(in: 0..<12, using: &random) {
      case 0: .where(condition(3))
      case 1: .select(items(3))
      case 2: .extend(items(3, areNamed: true))
      case 3: .stats(items(3), by: keys())
      case 4: .top(5, items(1))
      case 5:
        .sort(
          (0..<pick([1, 2])).map { _ in
            SortKey(expression(1), isDescending: chance(50))
          })
      case 6: .limit(100)
      case 7: .dedup(items(2))
      case 8: .timeline(every: pick([nil, 300_000_000_000]), by: keys())
      case 9: .spans
      case 10: .trace(back: pick([nil, 600_000_000_000]), depth: pick([nil, 3]))
      default: .context(10, pick([nil, 5]))
      }
    return Stage(kind, 0..<0)
  }
}
