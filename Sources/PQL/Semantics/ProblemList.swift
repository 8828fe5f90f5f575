/// Counts the regular expressions of a query, each of which takes memory for its automaton.
final class RegexCount {
  /// The most in one query.
  static let limit = 16

  private var count = 0

  /// Counts one more.
  func take(at range: Range<Int>) throws(Diagnostic) {
    count += 1
    guard count <= Self.limit else {
      throw Diagnostic(
        .tooManyRegexes,
        "the query has too many regular expressions; the limit is \(Self.limit)", at: range
      ).helping("join alternatives in one: 'this|that'")
    }
  }
}

/// The problems found so far. The binder's parts share one, so that finding the next goes on after a
/// problem.
final class ProblemList {
  private(set) var all: [Diagnostic] = []

  /// Adds a problem, unless it only follows from one that was noted already.
  func note(_ problem: Diagnostic) {
    guard !problem.isConsequence else { return }
    all.append(problem)
  }
}
