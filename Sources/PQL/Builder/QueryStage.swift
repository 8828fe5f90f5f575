/// A stage of a query made in Swift; docs/pql.md says what each does.
public struct QueryStage: Sendable {
  let kind: Stage.Kind

  private init(_ kind: Stage.Kind) {
    self.kind = kind
  }

  /// Keeps the rows that satisfy the filter.
  public static func `where`(_ filter: Filter) -> QueryStage {
    QueryStage(.where(filter.expression))
  }

  /// Keeps only these columns.
  public static func select<each Content>(
    _ fields: repeat QueryField<each Content>
  ) -> QueryStage {
    QueryStage(.select(items(repeat each fields)))
  }

  /// Adds a column of this name, which `QueryField.column` reads in later stages.
  ///
  /// - Precondition: the name is an ASCII letter or `_`, then letters, digits and `_`, and not reserved.
  public static func extend(_ name: String, _ value: some QueryOperand) -> QueryStage {
    precondition(
      isColumnName(name) && !Parser.unusableNames.contains(name), "`\(name)` cannot name a column")
    return QueryStage(.extend([Item(name: name, value.computation.expression, 0..<0)]))
  }

  /// Adds a column that says whether the filter holds.
  ///
  /// - Precondition: as for other columns.
  public static func extend(_ name: String, _ filter: Filter) -> QueryStage {
    extend(name, QueryComputation<Bool>(filter.expression.asOperand))
  }

  /// Makes a row for each group.
  public static func stats<each Content>(
    _ aggregates: [QueryAggregate], by keys: repeat QueryField<each Content>
  ) -> QueryStage {
    precondition(!aggregates.isEmpty, "`stats` needs aggregates")
    return QueryStage(.stats(aggregates.map(\.item), by: items(repeat each keys)))
  }

  /// Counts the rows of each group.
  public static func count<each Content>(by keys: repeat QueryField<each Content>) -> QueryStage {
    QueryStage(.stats([QueryAggregate.count().item], by: items(repeat each keys)))
  }

  /// Counts the rows.
  public static func count() -> QueryStage {
    QueryStage(.stats([QueryAggregate.count().item], by: []))
  }

  /// The most frequent values. A negative count counts as 0.
  public static func top<each Content>(
    _ count: Int, by keys: repeat QueryField<each Content>
  ) -> QueryStage {
    QueryStage(.top(Int64(max(count, 0)), items(repeat each keys)))
  }

  /// Orders the rows.
  public static func sort(_ keys: QueryOrder...) -> QueryStage {
    QueryStage(.sort(keys.map(\.key)))
  }

  /// Keeps the first rows. A negative count counts as 0.
  public static func limit(_ count: Int) -> QueryStage { QueryStage(.limit(Int64(max(count, 0)))) }

  /// Keeps the newest record of each key.
  public static func dedup<each Content>(by keys: repeat QueryField<each Content>) -> QueryStage {
    QueryStage(.dedup(items(repeat each keys)))
  }

  /// Counts records over time, in bins of a width or of one that suits.
  public static func timeline<each Content>(
    every width: Duration? = nil, by keys: repeat QueryField<each Content>
  ) -> QueryStage {
    QueryStage(.timeline(every: width?.wholeNanoseconds, by: items(repeat each keys)))
  }

  /// A row for each span.
  public static let spans = QueryStage(.spans)

  /// What led to each record.
  public static func trace(back: Duration? = nil, depth: Int? = nil) -> QueryStage {
    QueryStage(.trace(back: back?.wholeNanoseconds, depth: depth.map(Int64.init)))
  }

  /// The neighbours of each record. Negative counts count as 0.
  public static func context(before: Int, after: Int) -> QueryStage {
    QueryStage(.context(Int64(max(before, 0)), Int64(max(after, 0))))
  }

  private static func items<each Content>(
    _ fields: repeat QueryField<each Content>
  ) -> [Item] {
    var items: [Item] = []
    for field in repeat each fields {
      items.append(Item(name: nil, field.expression, 0..<0))
    }
    return items
  }
}

/// A key to sort by.
public struct QueryOrder: Sendable {
  let key: SortKey

  /// Smallest first.
  public static func ascending<Content>(_ field: QueryField<Content>) -> QueryOrder {
    QueryOrder(key: SortKey(field.expression, isDescending: false))
  }

  /// Biggest first.
  public static func descending<Content>(_ field: QueryField<Content>) -> QueryOrder {
    QueryOrder(key: SortKey(field.expression, isDescending: true))
  }
}
