package import SegmentIndex

/// A test of one value against constants: what a comparison with a literal becomes.
package indirect enum Predicate: Sendable, Hashable {
  /// The value stands so to the constant, and is of a type that compares with it.
  case order(Comparison, Value)
  /// A level of this name.
  case levelNamed(String)
  /// A severity stands so to the number.
  case severity(Comparison, Int64)
  /// The whole text matches.
  case matches(Glob)
  /// A part of the text matches.
  case finds(RegularExpression)
  /// The text contains it, case folded.
  case contains(TextSearch)
  /// An identity between the bounds: one that begins with given digits.
  case identity(ClosedRange<UniqueID>)
  /// A scope is the path or below it.
  case under(String)
  /// One of them passes.
  case any([Predicate])

  /// Whether the value passes. A list passes when one of its values does.
  func holds(_ value: Value) -> Bool {
    if case .list(let values) = value { return values.contains(where: holds) }
    switch self {
    case .order(let comparison, let constant): return compares(value, comparison, constant)
    case .levelNamed(let name):
      guard case .level(let level) = value else { return false }
      return Value.textOrder(level.name, name) == .same
    case .severity(let comparison, let number):
      guard case .level(let level) = value else { return false }
      return comparison.accepts(Value.Order(Int64(level.severity), number))
    case .matches(let glob): return value.searchableText.map(glob.matches) ?? false
    case .finds(let expression): return value.matchableText.map(expression.matches) ?? false
    case .contains(let search):
      if case .json(let text) = value { return search.isFound(in: text) }
      return value.searchableText.map(search.isFound) ?? false
    case .identity(let range):
      guard case .uuid(let id) = value else { return false }
      return range.contains(id)
    case .under(let path):
      guard case .string(let scope) = value else { return false }
      return isScope(scope, under: path)
    case .any(let predicates): return predicates.contains { $0.holds(value) }
    }
  }
}

extension Predicate {
  /// A function that tests many values, one after another, and is quicker at that than `holds`.
  func makeTest() -> (Value) -> Bool {
    switch self {
    case .finds(let expression):
      let matcher = RegexMatcher(expression)
      func test(_ value: Value) -> Bool {
        if case .list(let values) = value { return values.contains(where: test) }
        return value.matchableText.map { matcher.matches(Array($0.utf8).span) } ?? false
      }
      return test
    case .any(let predicates): return Self.testOfAny(predicates)
    default: return holds
    }
  }

  /// Looks constants up however many there are, and asks the other predicates one by one.
  private static func testOfAny(_ predicates: [Predicate]) -> (Value) -> Bool {
    var constants: Set<Value> = []
    var others: [(Value) -> Bool] = []
    for predicate in predicates {
      if case .order(.equal, let constant) = predicate, constant.equalsAsInSets {
        constants.insert(constant)
      } else {
        others.append(predicate.makeTest())
      }
    }
    let known = constants
    func isKnown(_ value: Value) -> Bool {
      if case .list(let values) = value { return values.contains(where: isKnown) }
      return value.equalsAsInSets && known.contains(value)
    }
    return { [others] value in isKnown(value) || others.contains { $0(value) } }
  }
}

extension Value {
  /// Whether the operator `=` holds for this and the values that equal it, and for no others. It never holds for NaN
  /// and JSON, which do equal themselves, and for a list it holds when it does for one of its values.
  fileprivate var equalsAsInSets: Bool {
    switch self {
    case .double(let value): !value.isNaN
    case .json, .list: false
    default: true
    }
  }
}

extension Comparison {
  /// Whether the order satisfies the comparison.
  func accepts(_ order: Value.Order) -> Bool {
    switch self {
    case .equal: order == .same
    case .less: order == .before
    case .lessOrEqual: order != .after
    case .greater: order == .after
    case .greaterOrEqual: order != .before
    case .contains, .matches: false
    }
  }
}

/// Whether two values compare so. Values of different types never do, nor does NaN or JSON.
func compares(_ left: Value, _ comparison: Comparison, _ right: Value) -> Bool {
  switch (left, right) {
  case (.list(let values), _): return values.contains { compares($0, comparison, right) }
  case (_, .list(let values)): return values.contains { compares(left, comparison, $0) }
  case (.double(let value), _) where value.isNaN: return false
  case (_, .double(let value)) where value.isNaN: return false
  case (.int, .int), (.int, .double), (.double, .int), (.double, .double), (.size, .size),
    (.size, .int), (.int, .size), (.size, .double), (.double, .size), (.bool, .bool),
    (.string, .string), (.duration, .duration), (.time, .time), (.uuid, .uuid):
    break
  case (.level(let left), .level(let right)) where comparison != .equal:
    return comparison.accepts(Value.Order(left.severity, right.severity))
  case (.level, .level): break
  default: return false
  }
  return comparison.accepts(Value.order(left, right))
}

/// Whether the path `scope` is `ancestor` or below it. The empty path is above every scope.
func isScope(_ scope: String, under ancestor: String) -> Bool {
  let (path, root) = (scope.utf8, ancestor.utf8)
  guard path.starts(with: root) else { return false }
  return root.isEmpty || path.count == root.count || path.dropFirst(root.count).first == 0x2f
}

extension Value {
  /// The text that regular expressions look at: JSON too.
  var matchableText: String? {
    if case .json(let text) = self { text } else { searchableText }
  }

  /// The text that text operators look at: of texts, levels and identities.
  var searchableText: String? {
    switch self {
    case .string(let text): text
    case .level(let level): level.name
    case .uuid(let id): id.description
    default: nil
    }
  }
}
