/// Tests texts, one after another, against one expression; what it learns from one helps with the next.
///
/// It first looks for the bytes that a match must have, then runs a deterministic automaton that is made on
/// the way, and simulates the program state by state where that automaton would grow beyond its limit. One
/// thread at a time may use it. When the automaton has seen texts of a kind, nothing is allocated for more
/// of them.
package final class RegexMatcher {
  /// What a matcher's automaton may take, in bytes, unless told otherwise.
  package static let automatonByteLimit = 2 << 20

  private let literal: ByteSearch?
  private let isLiteral: Bool
  private var automaton: LazyAutomaton

  /// A matcher whose automaton takes at most about `automatonByteLimit` bytes: with 0 it always simulates.
  package init(
    _ expression: RegularExpression, automatonByteLimit: Int = RegexMatcher.automatonByteLimit
  ) {
    literal = expression.requiredLiteral
    isLiteral = expression.isLiteral
    automaton = LazyAutomaton(expression.program, byteLimit: automatonByteLimit)
  }

  /// Whether there is a match in the UTF-8 `text`.
  package func matches(_ text: Span<UInt8>) -> Bool {
    if let literal {
      guard literal.isFound(in: text) else { return false }
      if isLiteral { return true }
    }
    return automaton.matches(text)
  }

  /// How much work has been done, in bytes and states looked at. It grows by at most a small multiple of the
  /// expression's states for each byte.
  package var stepCount: Int { automaton.stepCount }

  /// Whether the automaton was given up, so that all texts are simulated.
  package var isSimulating: Bool { automaton.isExhausted }
}
