/// What a regular expression says, without its spelling.
indirect enum RegexTree: Sendable, Hashable {
  /// One scalar of the set.
  case scalar(ScalarSet)
  /// Nothing, at certain places.
  case assertion(Assertion)
  /// All of them, one after another. The empty sequence matches everywhere.
  case sequence([RegexTree])
  /// One of them.
  case choice([RegexTree])
  /// As many in a row as the bounds allow; without a maximum, any number.
  case repetition(RegexTree, minimum: Int, maximum: Int?)

  /// What holds at a place between two bytes.
  enum Assertion: Sendable, Hashable {
    /// The whole text begins here.
    case start
    /// The whole text ends here.
    case end
    /// On just one side is a digit, a letter of ASCII or `_`.
    case wordBoundary
    /// Not so; and the place is not inside a scalar.
    case noWordBoundary
  }

  /// How often the innermost part of nested counted repetitions stands in the program.
  var expansion: Int {
    switch self {
    case .scalar, .assertion: 1
    case .sequence(let parts), .choice(let parts): parts.reduce(1) { max($0, $1.expansion) }
    case .repetition(let part, let minimum, let maximum):
      max(1, maximum ?? minimum) * part.expansion
    }
  }
}
