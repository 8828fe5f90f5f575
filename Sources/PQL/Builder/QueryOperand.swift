/// Something that can be computed with: a field, a column, or a computation.
public protocol QueryOperand<Content>: Sendable {
  /// The type of its values.
  associatedtype Content: QueryContent

  /// It as part of a query.
  var computation: QueryComputation<Content> { get }
}

/// A sum, a product, or a value, for `QueryStage.extend`.
///
/// ```swift
/// QueryStage.extend("seconds", QueryField.duration / .seconds(1))
/// ```
/// It is not a field: a filter compares the column that `extend` makes of it.
public struct QueryComputation<Content: QueryContent>: QueryOperand {
  let expression: Expression

  init(_ expression: Expression) {
    self.expression = expression
  }

  /// Itself.
  public var computation: QueryComputation { self }

  /// The first operand and one more. What stands behind is in parentheses if that matters.
  fileprivate init(
    _ left: some QueryOperand, _ operation: ArithmeticStep.Operator, _ right: some QueryOperand
  ) {
    self.init(
      .arithmetic(
        left.computation.expression,
        [ArithmeticStep(operation, right.computation.expression)]))
  }
}

extension QueryComputation where Content: QueryLiteral {
  /// The same value in every row.
  public static func value(_ value: Content) -> QueryComputation {
    QueryComputation(value.queryLiteral)
  }
}

extension QueryField: QueryOperand {
  /// The field, to compute with.
  public var computation: QueryComputation<Content> { QueryComputation(expression) }
}

/// A type of numbers.
public protocol QueryNumber: QueryLiteral {}
extension Int: QueryNumber {}
extension Int64: QueryNumber {}
extension Double: QueryNumber {}

// MARK: Numbers

extension QueryOperand where Content: QueryNumber {
  /// The sum; missing when it does not fit.
  public static func + (left: Self, right: some QueryOperand<Content>) -> QueryComputation<Content>
  {
    QueryComputation(left, .add, right)
  }

  /// The difference; missing when it does not fit.
  public static func - (left: Self, right: some QueryOperand<Content>) -> QueryComputation<Content>
  {
    QueryComputation(left, .subtract, right)
  }

  /// The product; missing when it does not fit.
  public static func * (left: Self, right: some QueryOperand<Content>) -> QueryComputation<Content>
  {
    QueryComputation(left, .multiply, right)
  }

  /// The quotient, a fraction; missing when the divisor is zero.
  public static func / <Right: QueryOperand>(
    left: Self, right: Right
  ) -> QueryComputation<Double> where Right.Content: QueryNumber {
    QueryComputation<Double>(left, .divide, right)
  }

  /// The sum with the same number in every row.
  public static func + (left: Self, right: Content) -> QueryComputation<Content> {
    left + QueryComputation.value(right)
  }

  /// The difference from the same number in every row.
  public static func - (left: Self, right: Content) -> QueryComputation<Content> {
    left - QueryComputation.value(right)
  }

  /// The product with the same number in every row.
  public static func * (left: Self, right: Content) -> QueryComputation<Content> {
    left * QueryComputation.value(right)
  }

  /// The product with the same number in every row.
  public static func * (left: Content, right: Self) -> QueryComputation<Content> {
    QueryComputation.value(left) * right
  }

  /// A share of the same number in every row.
  public static func / (left: Self, right: Content) -> QueryComputation<Double> {
    left / QueryComputation.value(right)
  }
}

// MARK: Durations and times

extension QueryOperand where Content == Duration {
  /// The sum.
  public static func + (
    left: Self, right: some QueryOperand<Duration>
  ) -> QueryComputation<Duration> {
    QueryComputation(left, .add, right)
  }

  /// The difference.
  public static func - (
    left: Self, right: some QueryOperand<Duration>
  ) -> QueryComputation<Duration> {
    QueryComputation(left, .subtract, right)
  }

  /// The sum with the same duration in every row.
  public static func + (left: Self, right: Duration) -> QueryComputation<Duration> {
    left + QueryComputation.value(right)
  }

  /// The difference from the same duration in every row.
  public static func - (left: Self, right: Duration) -> QueryComputation<Duration> {
    left - QueryComputation.value(right)
  }

  /// So many times the duration.
  public static func * <Right: QueryOperand>(
    left: Self, right: Right
  ) -> QueryComputation<Duration> where Right.Content: QueryNumber {
    QueryComputation<Duration>(left, .multiply, right)
  }

  /// So many times the duration.
  public static func * (left: Self, right: Double) -> QueryComputation<Duration> {
    left * QueryComputation.value(right)
  }

  /// A part of the duration.
  public static func / (left: Self, right: Double) -> QueryComputation<Duration> {
    QueryComputation<Duration>(left, .divide, QueryComputation.value(right))
  }

  /// How many times the other duration it is.
  public static func / (left: Self, right: some QueryOperand<Duration>) -> QueryComputation<Double>
  {
    QueryComputation<Double>(left, .divide, right)
  }

  /// How many of this duration it is.
  public static func / (left: Self, right: Duration) -> QueryComputation<Double> {
    left / QueryComputation.value(right)
  }
}

extension QueryOperand where Content == QueryTime {
  /// The time between two times.
  public static func - (
    left: Self, right: some QueryOperand<QueryTime>
  ) -> QueryComputation<Duration> {
    QueryComputation<Duration>(left, .subtract, right)
  }

  /// The time later by a duration.
  public static func + (
    left: Self, right: some QueryOperand<Duration>
  ) -> QueryComputation<QueryTime> {
    QueryComputation(left, .add, right)
  }

  /// The time earlier by a duration.
  public static func - (
    left: Self, right: some QueryOperand<Duration>
  ) -> QueryComputation<QueryTime> {
    QueryComputation(left, .subtract, right)
  }
}

// MARK: Values of any type

extension QueryOperand where Content == Variant {
  /// The sum, where both are numbers.
  public static func + (left: Self, right: some QueryOperand) -> QueryComputation<Variant> {
    QueryComputation(left, .add, right)
  }

  /// The difference, where both are numbers.
  public static func - (left: Self, right: some QueryOperand) -> QueryComputation<Variant> {
    QueryComputation(left, .subtract, right)
  }

  /// The product, where both are numbers.
  public static func * (left: Self, right: some QueryOperand) -> QueryComputation<Variant> {
    QueryComputation(left, .multiply, right)
  }

  /// The quotient, where both are numbers.
  public static func / (left: Self, right: some QueryOperand) -> QueryComputation<Variant> {
    QueryComputation(left, .divide, right)
  }

  /// The product with the same number in every row, where it is a number.
  public static func * (left: Self, right: Double) -> QueryComputation<Variant> {
    left * QueryComputation.value(right)
  }

  /// A share of the same number in every row, where it is a number.
  public static func / (left: Self, right: Double) -> QueryComputation<Variant> {
    left / QueryComputation.value(right)
  }
}
