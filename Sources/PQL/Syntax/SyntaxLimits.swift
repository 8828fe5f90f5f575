/// What a query's text may ask for. Each bound has a diagnostic that names it and its value.
///
/// The standard limits are the largest; a program that takes queries from strangers can lower them.
public struct SyntaxLimits: Sendable, Hashable {
  /// Bytes of a query's text.
  public var textByteCount = 64 << 10
  /// Nested parentheses, calls and negations. It bounds every recursion over the tree as well: parsing,
  /// printing, binding, and the release of the tree itself.
  public var depth = 64
  /// Words and signs of a query.
  public var tokenCount = 16_384
  /// Stages of a query.
  public var stageCount = 32
  /// Values after `in`.
  public var valueCount = 1_000
  /// Keys after `by`.
  public var keyCount = 8

  /// The standard limits.
  public static let standard = SyntaxLimits()

  /// The standard limits, to be lowered.
  public init() {}

  /// These limits, where they are not above the standard ones.
  var lowered: SyntaxLimits {
    var limits = self
    let standard = SyntaxLimits.standard
    limits.textByteCount = min(textByteCount, standard.textByteCount)
    limits.depth = min(depth, standard.depth)
    limits.tokenCount = min(tokenCount, standard.tokenCount)
    limits.stageCount = min(stageCount, standard.stageCount)
    limits.valueCount = min(valueCount, standard.valueCount)
    limits.keyCount = min(keyCount, standard.keyCount)
    return limits
  }
}
