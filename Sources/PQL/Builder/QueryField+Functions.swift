// Functions of the language. What they give is a field like any other: it can be compared, selected, grouped by.

extension QueryField {
  private static func call(_ function: String, _ arguments: [Expression]) -> QueryField {
    QueryField(Expression(.call(function, arguments), 0..<0))
  }

  /// The first that is not missing: this field's value or the other's.
  public func or(_ other: QueryField) -> QueryField {
    .call("coalesce", [expression, other.expression])
  }

  /// The value as text.
  public var asText: QueryField<String> { .call("string", [expression]) }

  /// The value as a whole number, cut towards zero; missing when it is not one.
  public var asInteger: QueryField<Int64> { .call("int", [expression]) }

  /// The value as a number; missing when it is not one.
  public var asNumber: QueryField<Double> { .call("double", [expression]) }

  /// The name of the value's type, such as `string`.
  public var typeName: QueryField<String> { .call("type", [expression]) }

  /// One field's value where the filter holds, else the other's.
  public static func either(
    _ filter: Filter, _ value: QueryField, else other: QueryField
  ) -> QueryField {
    .call("if", [filter.expression.asOperand, value.expression, other.expression])
  }
}

extension QueryField where Content: QueryLiteral {
  /// The field's value, and `value` where it is missing.
  public func or(_ value: Content) -> QueryField {
    .call("coalesce", [expression, value.queryLiteral])
  }

  /// One value where the filter holds, else the other.
  public static func either(_ filter: Filter, _ value: Content, else other: Content) -> QueryField {
    .call("if", [filter.expression.asOperand, value.queryLiteral, other.queryLiteral])
  }
}

extension QueryField where Content == String {
  /// The text in lower case.
  public var lowercased: QueryField { .call("lower", [expression]) }

  /// How many characters the text has.
  public var length: QueryField<Int64> { .call("len", [expression]) }
}

extension QueryField where Content: QueryNumber {
  /// The number rounded down to a multiple of `width`.
  public func bin(_ width: Content) -> QueryField {
    .call("bin", [expression, width.queryLiteral])
  }
}

extension QueryField where Content == Duration {
  /// The duration rounded down to a multiple of `width`.
  public func bin(_ width: Duration) -> QueryField {
    .call("bin", [expression, width.queryLiteral])
  }
}
