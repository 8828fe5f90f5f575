/// A condition or a computation, as it was written.
///
/// Filters and expressions share this one tree; some forms come only from a filter (`text`, `everything`,
/// `within`, `bound`). Parsing leaves a normal form, so that equal meanings have equal trees more often:
/// - `a != b`, `a !~ b`, `a !: b`, `a not in b` are `not` around the positive form;
/// - there is no `not` directly inside `not`, no `and` inside `and`, no `or` inside `or`;
/// - sums and products are flat lists whose first operand is not of the same kind;
/// - a minus before a number or a duration is part of the literal.
///
/// Equality ignores where things stood.
package struct Expression: Sendable, Hashable {
  /// The forms.
  package indirect enum Kind: Sendable, Hashable {
    /// `*`: every record.
    case everything
    /// The message contains the text; in a pattern `*` and `?` are wildcards.
    case text(String, isPattern: Bool)
    /// `last 2h` or `last $span`: a duration before now.
    case within(Expression)
    /// `since x` or `until x`.
    case bound(TimeBound, Expression)
    /// One of the record's scopes is there or below.
    case under(Expression)
    /// The row has a value there.
    case has(Path)
    case compare(Comparison, Expression, Expression)
    case isIn(Expression, [Expression])
    case not(Expression)
    case and([Expression])
    case or([Expression])
    /// A sum or a product, evaluated from left to right.
    case arithmetic(Expression, [ArithmeticStep])
    case negate(Expression)
    case call(String, [Expression])
    case path(Path)
    case literal(Literal)
    /// Text with wildcards, on the right of a comparison.
    case pattern(String)
    case parameter(String)
    /// A time moved by a duration in nanoseconds: `today - 7d`.
    case moved(Expression, by: Int64)
  }

  package let kind: Kind
  /// Its bytes in the query.
  package let range: Range<Int>

  package init(_ kind: Kind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  package static func == (left: Expression, right: Expression) -> Bool {
    left.kind == right.kind
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }
}

/// Which side of a time a filter keeps.
package enum TimeBound: String, Sendable, Hashable {
  /// That time and later.
  case since
  /// Before that time.
  case until
}

/// The positive comparisons; the negated ones are `not` around these.
package enum Comparison: String, Sendable, Hashable, CaseIterable {
  case equal = "="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case contains = ":"
  case matches = "~"

  /// Whether the comparison has a negated spelling with `!`.
  var hasNegatedSpelling: Bool { self == .equal || self == .contains || self == .matches }
}

/// One further operand of a sum or a product.
package struct ArithmeticStep: Sendable, Hashable {
  /// The four operations.
  package enum Operator: String, Sendable, Hashable {
    case add = "+"
    case subtract = "-"
    case multiply = "*"
    case divide = "/"

    /// Whether it belongs to sums and not to products.
    var isAdditive: Bool { self == .add || self == .subtract }
  }

  package let operation: Operator
  package let operand: Expression

  package init(_ operation: Operator, _ operand: Expression) {
    self.operation = operation
    self.operand = operand
  }
}

/// A value written in the query.
///
/// Equality is Swift's, in which two spellings of one accented letter are equal; `Query` compares bytes.
package enum Literal: Sendable, Hashable {
  case bool(Bool)
  case int(Int64)
  /// Never NaN or infinite.
  case double(Double)
  case string(String)
  /// Nanoseconds.
  case duration(Int64)
  /// Bytes.
  case size(Int64)
  case time(TimeLiteral)
}

/// A field, a column, or a place inside one: `level`, `tag."user id"`, `payload.items[0].sku`.
package struct Path: Sendable, Hashable {
  /// One step. Names are equal when their UTF-8 is.
  package enum Segment: Sendable {
    case name(String)
    /// An element of an array, counted from 0.
    case index(Int)
  }

  /// At least one; the first is a name.
  package let segments: [Segment]
  /// Its bytes in the query; equality ignores them.
  package let range: Range<Int>

  package init(_ segments: [Segment], _ range: Range<Int>) {
    self.segments = segments
    self.range = range
  }

  package static func == (left: Path, right: Path) -> Bool {
    left.segments == right.segments
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(segments)
  }
}

extension Path.Segment: Hashable {
  package static func == (left: Path.Segment, right: Path.Segment) -> Bool {
    switch (left, right) {
    case (.name(let left), .name(let right)): left.isSameText(as: right)
    case (.index(let left), .index(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .name(let name): hasher.combine(text: name)
    case .index(let index): hasher.combine(index)
    }
  }
}

// MARK: Normal form

extension Expression {
  /// `not` of an expression, without doubling it.
  package static func negation(of operand: Expression, _ range: Range<Int>) -> Expression {
    if case .not(let inner) = operand.kind { return inner }
    return Expression(.not(operand), range)
  }

  /// `and` or `or` of operands, flat; a single operand stands for itself.
  package static func joined(_ operands: [Expression], byOr isOr: Bool) -> Expression {
    var flat: [Expression] = []
    for operand in operands {
      switch operand.kind {
      case .and(let inner) where !isOr, .or(let inner) where isOr: flat += inner
      default: flat.append(operand)
      }
    }
    guard flat.count > 1 else { return flat[0] }
    let range = operands[0].range.lowerBound..<operands[operands.count - 1].range.upperBound
    return Expression(isOr ? .or(flat) : .and(flat), range)
  }

  /// A sum or a product, its first operand flattened into it when it is one too.
  package static func arithmetic(_ first: Expression, _ steps: [ArithmeticStep]) -> Expression {
    guard let last = steps.last else { return first }
    let range = first.range.lowerBound..<last.operand.range.upperBound
    if case .arithmetic(let innermost, let inner) = first.kind,
      inner[0].operation.isAdditive == last.operation.isAdditive
    {
      return Expression(.arithmetic(innermost, inner + steps), range)
    }
    return Expression(.arithmetic(first, steps), range)
  }

  /// An arithmetic minus, folded into a literal where that is exact.
  package static func negative(_ operand: Expression, _ range: Range<Int>) -> Expression {
    switch operand.kind {
    case .literal(.int(let value)) where value != .min:
      Expression(.literal(.int(-value)), range)
    case .literal(.duration(let value)) where value != .min:
      Expression(.literal(.duration(-value)), range)
    case .literal(.double(let value)):
      Expression(.literal(.double(-value)), range)
    default: Expression(.negate(operand), range)
    }
  }
}
