/// A whole query, as it was written: a filter, then stages.
package struct QueryTree: Sendable, Hashable {
  /// What records to begin with; `everything` when the query says nothing.
  package let filter: Expression
  /// Applied in order to the rows of the one before.
  package let stages: [Stage]

  package init(filter: Expression, stages: [Stage]) {
    self.filter = filter
    self.stages = stages
  }
}

/// One step after `|`.
package struct Stage: Sendable, Hashable {
  /// The stages' forms. `count by k` is parsed as the `stats count() by k` it is short for.
  package enum Kind: Sendable, Hashable {
    case `where`(Expression)
    case select([Item])
    case extend([Item])
    case stats([Item], by: [Item])
    case top(Int64, [Item])
    case sort([SortKey])
    case limit(Int64)
    case dedup([Item])
    /// The width of a bin in nanoseconds, if it is given.
    case timeline(every: Int64?, by: [Item])
    case spans
    /// How far back, in nanoseconds, and how many steps, if they are given.
    case trace(back: Int64?, depth: Int64?)
    /// How many records before and after; one number stands for both.
    case context(Int64, Int64?)
  }

  package let kind: Kind
  /// The bytes of the stage's name; equality ignores them.
  package let range: Range<Int>

  package init(_ kind: Kind, _ range: Range<Int>) {
    self.kind = kind
    self.range = range
  }

  package static func == (left: Stage, right: Stage) -> Bool {
    left.kind == right.kind
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }
}

/// An expression and the column it makes.
package struct Item: Sendable, Hashable {
  /// The column's name, when the query gives one.
  package let name: String?
  package let expression: Expression
  /// The bytes of the name, or of the expression when there is none; equality ignores them.
  package let range: Range<Int>

  package init(name: String?, _ expression: Expression, _ range: Range<Int>) {
    self.name = name
    self.expression = expression
    self.range = range
  }

  package static func == (left: Item, right: Item) -> Bool {
    left.name == right.name && left.expression == right.expression
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(expression)
  }
}

/// What to sort by, and in which direction.
package struct SortKey: Sendable, Hashable {
  package let expression: Expression
  package let isDescending: Bool

  package init(_ expression: Expression, isDescending: Bool) {
    self.expression = expression
    self.isDescending = isDescending
  }
}
