/// What a query's records must satisfy: a filter as the text has it, made in Swift.
///
/// ```swift
/// let query = Query {
///   Filter.under("App/Photos")
///   QueryField.level >= .error
///   Filter.last(.seconds(3_600))
/// }
/// ```
public struct Filter: Sendable, Hashable {
  let expression: Expression

  init(_ kind: Expression.Kind) {
    expression = Expression(kind, 0..<0)
  }

  init(_ expression: Expression) {
    self.expression = expression
  }

  /// Every record.
  public static let everything = Filter(.everything)

  /// The message contains the text, in any case.
  public static func text(_ text: String) -> Filter { Filter(.text(text, isPattern: false)) }

  /// One of the record's scopes is the path or below it.
  public static func under(_ scope: String) -> Filter {
    Filter(.under(scope.queryLiteral))
  }

  /// The record has the field.
  public static func has<Content>(_ field: QueryField<Content>) -> Filter {
    guard case .path(let path) = field.expression.kind else {
      // The name of a type contains the empty text, and what is missing has no type.
      let type = Expression(.call("type", [field.expression]), 0..<0)
      return Filter(.compare(.contains, type, "".queryLiteral))
    }
    return Filter(.has(path))
  }

  /// Logged within this time before the query runs; a negative one counts as none.
  public static func last(_ duration: Duration) -> Filter {
    Filter(.within(max(duration, .zero).queryLiteral))
  }

  /// Logged at the time or later.
  public static func since(_ time: QueryTime) -> Filter { Filter(.bound(.since, time.expression)) }

  /// Logged before the time.
  public static func until(_ time: QueryTime) -> Filter { Filter(.bound(.until, time.expression)) }

  /// All of the filters; every record when there are none.
  public static func all(_ filters: [Filter]) -> Filter {
    filters.isEmpty ? .everything : Filter(.joined(filters.map(\.expression), byOr: false))
  }

  /// One of the filters at least; no record when there are none.
  public static func any(_ filters: [Filter]) -> Filter {
    filters.isEmpty ? !.everything : Filter(.joined(filters.map(\.expression), byOr: true))
  }

  /// The records that do not satisfy the filter.
  public static prefix func ! (filter: Filter) -> Filter {
    Filter(.negation(of: filter.expression, 0..<0))
  }

  /// Both filters.
  public static func && (left: Filter, right: Filter) -> Filter { .all([left, right]) }

  /// One of the filters at least.
  public static func || (left: Filter, right: Filter) -> Filter { .any([left, right]) }
}

// MARK: Comparisons

extension QueryField {
  func compared(_ comparison: Comparison, _ right: Expression) -> Filter {
    Filter(.compare(comparison, expression, right))
  }
}

extension QueryField where Content: QueryLiteral {
  /// The field equals the value, to the byte.
  public static func == (field: QueryField, value: Content) -> Filter {
    field.compared(.equal, value.queryLiteral)
  }

  /// The field lacks the value, or is missing.
  public static func != (field: QueryField, value: Content) -> Filter { !(field == value) }

  /// The field is before the value.
  public static func < (field: QueryField, value: Content) -> Filter {
    field.compared(.less, value.queryLiteral)
  }

  /// The field is the value or before it.
  public static func <= (field: QueryField, value: Content) -> Filter {
    field.compared(.lessOrEqual, value.queryLiteral)
  }

  /// The field is after the value.
  public static func > (field: QueryField, value: Content) -> Filter {
    field.compared(.greater, value.queryLiteral)
  }

  /// The field is the value or after it.
  public static func >= (field: QueryField, value: Content) -> Filter {
    field.compared(.greaterOrEqual, value.queryLiteral)
  }

  /// The field equals one of the values; of none it equals none.
  public func isIn(_ values: [Content]) -> Filter {
    values.isEmpty
      ? !.everything : Filter(.isIn(expression, values.map(\.queryLiteral)))
  }
}

extension QueryField where Content == Variant {
  /// The field equals the value and is of its type.
  public static func == (field: QueryField, value: some QueryLiteral) -> Filter {
    field.compared(.equal, value.queryLiteral)
  }

  /// The field lacks the value, is of another type, or is missing.
  public static func != (field: QueryField, value: some QueryLiteral) -> Filter {
    !(field == value)
  }

  /// The field is before the value and of its type.
  public static func < (field: QueryField, value: some QueryLiteral) -> Filter {
    field.compared(.less, value.queryLiteral)
  }

  /// The field is the value or before it, and of its type.
  public static func <= (field: QueryField, value: some QueryLiteral) -> Filter {
    field.compared(.lessOrEqual, value.queryLiteral)
  }

  /// The field is after the value and of its type.
  public static func > (field: QueryField, value: some QueryLiteral) -> Filter {
    field.compared(.greater, value.queryLiteral)
  }

  /// The field is the value or after it, and of its type.
  public static func >= (field: QueryField, value: some QueryLiteral) -> Filter {
    field.compared(.greaterOrEqual, value.queryLiteral)
  }

  /// The field contains the text, in any case.
  public func contains(_ text: String) -> Filter { compared(.contains, text.queryLiteral) }

  /// A part of the field matches the regular expression.
  public func matches(_ regex: String) -> Filter { compared(.matches, regex.queryLiteral) }
}

extension QueryField where Content == QueryTime {
  /// The field is before the time.
  public static func < (field: QueryField, time: QueryTime) -> Filter {
    field.compared(.less, time.expression)
  }

  /// The field is at the time or later.
  public static func >= (field: QueryField, time: QueryTime) -> Filter {
    field.compared(.greaterOrEqual, time.expression)
  }
}

extension QueryField where Content == String {
  /// The field contains the text, in any case.
  public func contains(_ text: String) -> Filter { compared(.contains, text.queryLiteral) }

  /// A part of the field matches the regular expression.
  public func matches(_ regex: String) -> Filter { compared(.matches, regex.queryLiteral) }

  /// The whole field matches the wildcards.
  public func matches(_ wildcards: Wildcards) -> Filter {
    compared(.equal, Expression(.pattern(wildcards.pattern), 0..<0))
  }
}

/// A word with wildcards: `*` is any run of characters, `?` exactly one.
public struct Wildcards: Sendable, Hashable {
  let pattern: String

  /// The word, which has `*` or `?` in it, at least one letter or digit, and otherwise only letters, digits
  /// and `_ . / @ % -`, not beginning with `-`; nil when it is anything else.
  public init?(_ pattern: String) {
    let (tokens, problems) = Lexer.tokenize(Array(pattern.utf8))
    guard problems.isEmpty, tokens.count == 2, tokens[0].kind == .word,
      tokens[0].text.isSameText(as: pattern), pattern.contains(where: { $0 == "*" || $0 == "?" }),
      !Path.marksField(pattern)
    else { return nil }
    self.pattern = pattern
  }
}
