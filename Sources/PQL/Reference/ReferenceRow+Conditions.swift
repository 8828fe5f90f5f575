internal import SegmentIndex

extension ReferenceRow {
  /// Whether the row satisfies the condition, which is always either true or false.
  func satisfies(_ condition: Condition) -> Bool {
    switch condition {
    case .always(let truth): return truth
    case .has(let operand): return value(of: operand) != nil
    case .not(let inner): return !satisfies(inner)
    case .and(let parts): return !parts.contains { !satisfies($0) }
    case .or(let parts): return parts.contains { satisfies($0) }
    case .test(let operand, let predicate):
      guard let value = value(of: operand) else { return false }
      return Reference.passes(value, predicate)
    case .compare(let left, let comparison, let right):
      guard let left = value(of: left), let right = value(of: right) else { return false }
      return Reference.holds(left, comparison, right)
    }
  }
}

extension Reference {
  /// Whether a value passes a test; of a list, whether one of its values does.
  static func passes(_ value: Value, _ predicate: Predicate) -> Bool {
    if case .list(let values) = value { return values.contains { passes($0, predicate) } }
    switch predicate {
    case .any(let predicates): return predicates.contains { passes(value, $0) }
    case .order(let comparison, let constant): return holds(value, comparison, constant)
    case .levelNamed(let name):
      guard case .level(let level) = value else { return false }
      return Array(level.name.utf8) == Array(name.utf8)
    case .severity(let comparison, let severity):
      guard case .level(let level) = value else { return false }
      return holds(Int64(level.severity), comparison, severity)
    case .identity(let range):
      guard case .uuid(let id) = value else { return false }
      return range.lowerBound.bits <= id.bits && id.bits <= range.upperBound.bits
    case .under(let path):
      guard case .string(let scope) = value else { return false }
      let (own, root) = (Array(scope.utf8), Array(path.utf8))
      return root.isEmpty || own == root || own.starts(with: root + [UInt8(ascii: "/")])
    case .matches(let glob):
      guard let text = textOf(value), !value.isJSON else { return false }
      return matches(text, glob.pattern)
    case .finds(let expression): return textOf(value).map { expression.matches($0) } ?? false
    case .contains(let search):
      guard let text = textOf(value) else { return false }
      let (folded, wanted) = (foldedForm(text), foldedForm(search.text))
      guard search.glob == nil else { return matches(folded, "*\(wanted)*") }
      return contains(Array(folded.utf8), Array(wanted.utf8))
    }
  }

  /// The text that tests of text look at; nil for values that are none.
  private static func textOf(_ value: Value) -> String? {
    switch value {
    case .string(let text), .json(let text): text
    case .level(let level): level.name
    case .uuid(let id): id.description
    case .bool, .int, .double, .duration, .size, .time, .list: nil
    }
  }

  private static func foldedForm(_ text: String) -> String {
    String(decoding: foldedText(Array(text.utf8).span), as: UTF8.self)
  }

  private static func contains(_ text: [UInt8], _ wanted: [UInt8]) -> Bool {
    guard wanted.count <= text.count else { return false }
    return (0...text.count - wanted.count).contains { start in
      text[start..<start + wanted.count].elementsEqual(wanted)
    }
  }

  /// Whether all of the text matches, where `*` is any run of scalars and `?` is one.
  private static func matches(_ text: String, _ pattern: String) -> Bool {
    let text = Array(text.unicodeScalars)
    // Which beginnings of the text match what was read of the pattern.
    var matched = [true] + [Bool](repeating: false, count: text.count)
    for scalar in pattern.unicodeScalars {
      var next = [Bool](repeating: false, count: text.count + 1)
      for end in 0...text.count {
        let isStep = end > 0 && matched[end - 1]
        switch scalar {
        case "*": next[end] = matched[end] || end > 0 && next[end - 1]
        case "?": next[end] = isStep
        default: next[end] = isStep && text[end - 1] == scalar
        }
      }
      matched = next
    }
    return matched[text.count]
  }
}

extension Value {
  fileprivate var isJSON: Bool {
    if case .json = self { true } else { false }
  }
}
