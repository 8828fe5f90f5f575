/// What a query's text may ask for. Each bound has a diagnostic that names it and its value.
package enum SyntaxLimits {
  /// Bytes of a query's text.
  package static let textByteCount = 64 << 10
  /// Nested parentheses, calls and negations. It bounds every recursion over the tree as well: parsing,
  /// printing, binding, and the release of the tree itself.
  package static let depth = 64
  /// Words and signs of a query.
  package static let tokenCount = 16_384
  /// Stages of a query.
  package static let stageCount = 32
  /// Values after `in`.
  package static let valueCount = 1_000
  /// Keys after `by`.
  package static let keyCount = 8
}
