/// A function of a group's rows.
public struct QueryAggregate: Sendable {
  let item: Item

  private init(_ function: String, _ argument: Expression? = nil, name: String? = nil) {
    let call = Expression(.call(function, argument.map { [$0] } ?? []), 0..<0)
    item = Item(name: name, call, 0..<0)
  }

  private init(_ item: Item) {
    self.item = item
  }

  /// How many rows.
  public static func count() -> QueryAggregate { QueryAggregate("count") }
  /// How many rows satisfy the filter.
  public static func count(where filter: Filter) -> QueryAggregate {
    QueryAggregate("count", filter.expression.asOperand)
  }
  /// Rows per second.
  public static func rate() -> QueryAggregate { QueryAggregate("rate") }
  /// The sum.
  public static func sum<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("sum", field.expression)
  }
  /// The mean.
  public static func average<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("avg", field.expression)
  }
  /// The smallest.
  public static func minimum<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("min", field.expression)
  }
  /// The largest.
  public static func maximum<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("max", field.expression)
  }
  /// The oldest row's.
  public static func first<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("first", field.expression)
  }
  /// The newest row's.
  public static func last<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("last", field.expression)
  }
  /// How many different values.
  public static func distinct<Content>(_ field: QueryField<Content>) -> QueryAggregate {
    QueryAggregate("distinct", field.expression)
  }
  /// The value that `percent`, from 0 to 100, of the values do not exceed.
  public static func percentile<Content>(
    _ percent: Int, _ field: QueryField<Content>
  ) -> QueryAggregate {
    precondition(0...100 ~= percent, "a percentile is from 0 to 100")
    return QueryAggregate("p\(percent)", field.expression)
  }

  /// The same as a column of this name.
  ///
  /// - Precondition: the name is an ASCII letter or `_`, then letters, digits and `_`, and not reserved.
  public func named(_ name: String) -> QueryAggregate {
    precondition(
      isColumnName(name) && !Parser.unusableNames.contains(name), "`\(name)` cannot name a column")
    return QueryAggregate(Item(name: name, item.expression, 0..<0))
  }
}

extension Expression {
  /// A filter in the forms that expressions have: what a filter leaves out is named.
  var asOperand: Expression {
    func field(_ name: String) -> Expression {
      Expression(.path(Path([.name(name)], range)), range)
    }
    let kind: Expression.Kind =
      switch self.kind {
      case .everything: .literal(.bool(true))
      case .text(let text, let isPattern):
        .compare(
          .contains, field("message"),
          Expression(isPattern ? .pattern(text) : .literal(.string(text)), range))
      case .within(let duration):
        .compare(
          .greaterOrEqual, field("time"),
          // `now - length`, computed.
          Expression(
            .arithmetic(field("now"), [ArithmeticStep(.subtract, duration)]), range))
      case .bound(let bound, let time):
        .compare(bound == .since ? .greaterOrEqual : .less, field("time"), time)
      case .not(let inner): .not(inner.asOperand)
      case .and(let parts): .and(parts.map(\.asOperand))
      case .or(let parts): .or(parts.map(\.asOperand))
      default: self.kind
      }
    return Expression(kind, range)
  }
}
