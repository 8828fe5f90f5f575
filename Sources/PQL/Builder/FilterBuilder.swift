/// Joins the filters of a closure by *and*.
@resultBuilder
public enum FilterBuilder {
  /// A filter.
  public static func buildExpression(_ filter: Filter) -> Filter { filter }

  /// All filters of a block.
  public static func buildBlock(_ filters: Filter...) -> Filter { .all(filters) }

  /// The filter of an `if`; every record when it is not taken.
  public static func buildOptional(_ filter: Filter?) -> Filter { filter ?? .everything }

  /// The filter of the first branch.
  public static func buildEither(first filter: Filter) -> Filter { filter }

  /// The filter of the second branch.
  public static func buildEither(second filter: Filter) -> Filter { filter }

  /// All filters that a loop makes.
  public static func buildArray(_ filters: [Filter]) -> Filter { .all(filters) }
}

/// Lists the stages of a closure.
@resultBuilder
public enum StageBuilder {
  /// A stage.
  public static func buildExpression(_ stage: QueryStage) -> [QueryStage] { [stage] }

  /// The stages of a block, in order.
  public static func buildBlock(_ stages: [QueryStage]...) -> [QueryStage] {
    Array(stages.joined())
  }

  /// The stages of an `if`; none when it is not taken.
  public static func buildOptional(_ stages: [QueryStage]?) -> [QueryStage] { stages ?? [] }

  /// The stages of the first branch.
  public static func buildEither(first stages: [QueryStage]) -> [QueryStage] { stages }

  /// The stages of the second branch.
  public static func buildEither(second stages: [QueryStage]) -> [QueryStage] { stages }

  /// All stages that a loop makes.
  public static func buildArray(_ stages: [[QueryStage]]) -> [QueryStage] {
    Array(stages.joined())
  }
}

extension Query {
  /// A query made in Swift: filters joined by *and*, then stages. It equals the query of its text.
  ///
  /// The limits on text do not hold here; a tree nested deeper than 64 has no text that would be read back.
  public init(
    @FilterBuilder _ filter: () -> Filter = { .everything },
    @StageBuilder stages: () -> [QueryStage] = { [] }
  ) {
    self.init(
      tree: QueryTree(
        filter: filter().expression, stages: stages().map { Stage($0.kind, 0..<0) }))
  }
}
