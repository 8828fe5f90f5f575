/// Why a text is not a regular expression that can be run.
package struct RegexError: Error, Sendable, Hashable {
  /// What kind of reason it is.
  package enum Kind: Sendable, Hashable {
    /// The text is malformed.
    case syntax
    /// The text means something that no automaton can do, or that this language does not offer.
    case unsupported
    /// The expression is larger than it may be.
    case limit
  }

  package let kind: Kind
  /// The part of the expression that is to blame, in bytes of its UTF-8.
  package let range: Range<Int>
  /// One clause without a full stop, such as "look-ahead is not supported".
  package let reason: String

  /// Where in the expression the reason begins, in bytes of its UTF-8.
  package var offset: Int { range.lowerBound }

  package init(kind: Kind, range: Range<Int>, reason: String) {
    self.kind = kind
    self.range = range
    self.reason = reason
  }
}
