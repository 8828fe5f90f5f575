/// Reads regular expressions. The first thing that is wrong ends it.
///
/// Laziness (`*?`) is accepted and changes nothing, because a match here has no extent.
struct RegexParser {
  /// Expressions may be this long, in bytes of UTF-8.
  static let byteLimit = 1_024
  /// Groups may be nested this deep.
  static let depthLimit = 64
  /// A counted repetition may ask for so many.
  static let repetitionLimit = 255
  /// Nested counted repetitions may multiply to so many.
  static let expansionLimit = 1_000

  /// What `(?i)` and its like have switched on.
  private struct Flags {
    var ignoresCase = false
    var dotMatchesNewline = false
  }

  let scalars: [Unicode.Scalar]
  /// Where each scalar begins in the UTF-8, and where the last one ends.
  private let offsets: [Int]
  /// The index of the next scalar to be read.
  var position = 0
  private var flags = Flags()

  /// The tree of `pattern`.
  static func parse(_ pattern: String) throws(RegexError) -> RegexTree {
    let count = pattern.utf8.count
    guard count <= byteLimit else {
      throw RegexError(
        kind: .limit, range: byteLimit..<count,
        reason: "a regular expression has at most \(byteLimit) bytes, and this one has \(count)")
    }
    var parser = RegexParser(pattern)
    let tree = try parser.choice(depth: 0)
    // Only a parenthesis that nobody opened ends a choice before the end.
    guard parser.position == parser.scalars.count else {
      throw parser.error("this `)` closes nothing; write \\) for a parenthesis", length: 1)
    }
    return tree
  }

  private init(_ pattern: String) {
    scalars = Array(pattern.unicodeScalars)
    var offset = 0
    var offsets = [0]
    for scalar in scalars {
      offset += UTF8.width(scalar)
      offsets.append(offset)
    }
    self.offsets = offsets
  }

  // MARK: Reading

  var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    position += 1
    return true
  }

  /// Takes the text if it stands next.
  private mutating func take(text: String) -> Bool {
    guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
    position += text.unicodeScalars.count
    return true
  }

  /// An error about what is between two indices of scalars; without an end, up to the position.
  func error(
    _ reason: String, kind: RegexError.Kind = .syntax, from start: Int, to end: Int? = nil
  ) -> RegexError {
    let end = min(end ?? position, scalars.count)
    return RegexError(kind: kind, range: offsets[start]..<offsets[max(start, end)], reason: reason)
  }

  /// An error about the next scalars.
  func error(
    _ reason: String, kind: RegexError.Kind = .syntax, length: Int
  ) -> RegexError {
    error(reason, kind: kind, from: position, to: position + length)
  }

  // MARK: Structure

  private mutating func choice(depth: Int) throws(RegexError) -> RegexTree {
    guard depth <= Self.depthLimit else {
      throw error("groups are nested at most \(Self.depthLimit) deep", kind: .limit, length: 1)
    }
    var parts = [try sequence(depth: depth)]
    while take("|") { parts.append(try sequence(depth: depth)) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence(depth: Int) throws(RegexError) -> RegexTree {
    var parts: [RegexTree] = []
    while let scalar = next, scalar != "|", scalar != ")" {
      let start = position
      guard let part = try part(depth: depth) else { continue }
      parts.append(try repeated(part, from: start))
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// The next part of a sequence; nil for flags, which are no part.
  private mutating func part(depth: Int) throws(RegexError) -> RegexTree? {
    let start = position
    guard let scalar = next else { return nil }
    position += 1
    switch scalar {
    case "(": return try group(depth: depth, from: start)
    case "[": return .scalar(try scalarClass(from: start))
    case ".": return .scalar(flags.dotMatchesNewline ? .all : .allButNewline)
    case "^": return .assertion(.start)
    case "$": return .assertion(.end)
    case "\\":
      switch try escape(from: start) {
      case .scalar(let scalar): return .scalar(folding(ScalarSet(scalar)))
      case .set(let set): return .scalar(set)
      case .assertion(let assertion): return .assertion(assertion)
      }
    case "*", "+", "?": throw error("`\(scalar)` has nothing to repeat", from: start)
    case "{":
      throw error("a `{` repeats what is before it; write \\{ for a brace", from: start)
    default: return .scalar(folding(ScalarSet(scalar)))
    }
  }

  /// The set, with all case variants when case does not matter here.
  func folding(_ set: ScalarSet) -> ScalarSet {
    flags.ignoresCase ? set.ignoringCase : set
  }

  // MARK: Groups

  private mutating func group(depth: Int, from start: Int) throws(RegexError) -> RegexTree? {
    let outer = flags
    if take("?") {
      try refuseUnsupportedGroup(from: start)
      try readFlags(from: start)
      // `(?i)` holds up to the end of the group that it stands in.
      if take(")") { return nil }
      position += 1
    }
    let inner = try choice(depth: depth + 1)
    guard take(")") else {
      throw error(
        "this `(` is never closed; write \\( for a parenthesis", from: start, to: start + 1)
    }
    flags = outer
    return inner
  }

  private mutating func refuseUnsupportedGroup(from start: Int) throws(RegexError) {
    let refused = [
      ("=", "look-ahead is not supported"), ("!", "look-ahead is not supported"),
      ("<=", "look-behind is not supported"), ("<!", "look-behind is not supported"),
      (">", "atomic groups are not supported"), ("#", "comments are not supported"),
      ("<", "groups have no names here; write (...)"),
      ("P", "groups have no names here; write (...)"),
      ("'", "groups have no names here; write (...)"),
      ("(", "conditions are not supported"), ("|", "branch resets are not supported"),
      ("R", "recursion is not supported"), ("&", "recursion is not supported"),
    ]
    for (opening, reason) in refused where take(text: opening) {
      throw error(reason, kind: .unsupported, from: start)
    }
  }

  /// The letters after `(?`, up to but not including `)` or `:`.
  private mutating func readFlags(from start: Int) throws(RegexError) {
    var value = true
    while let scalar = next, scalar != ")", scalar != ":" {
      let flag = position
      position += 1
      switch scalar {
      case "i": flags.ignoresCase = value
      case "s": flags.dotMatchesNewline = value
      case "-" where value: value = false
      case "m":
        throw error("^ and $ always stand for the whole text", kind: .unsupported, from: flag)
      default:
        throw error("`\(scalar)` is no flag; there are i and s", kind: .unsupported, from: flag)
      }
    }
    guard next != nil else { throw error("this group is never closed", from: start) }
  }

  // MARK: Repetition

  private mutating func repeated(_ part: RegexTree, from start: Int) throws(RegexError) -> RegexTree
  {
    let sign = position
    guard let (minimum, maximum) = try quantifier() else { return part }
    // In parentheses it can be: it is there or not.
    if case .assertion = part, scalars[start] != "(" {
      throw error("`^`, `$` and \\b cannot be repeated", from: start)
    }
    if take("+") {
      throw error("possessive repetition is not supported", kind: .unsupported, from: sign)
    }
    _ = take("?")
    if let scalar = next, "*+?{".unicodeScalars.contains(scalar) {
      throw error("what is repeated already needs parentheses to be repeated again", length: 1)
    }
    let tree = RegexTree.repetition(part, minimum: minimum, maximum: maximum)
    guard tree.expansion <= Self.expansionLimit else {
      throw error(
        "nested repetitions multiply to \(tree.expansion); the limit is \(Self.expansionLimit)",
        kind: .limit, from: sign)
    }
    return tree
  }

  private mutating func quantifier() throws(RegexError) -> (minimum: Int, maximum: Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    let start = position
    guard take("{") else { return nil }
    let minimum = try count()
    let maximum = take(",") ? try count() : minimum
    guard take("}"), let minimum else {
      throw error(
        "a `{` begins a repetition such as {3}, {2,} or {2,5}; write \\{ for a brace", from: start)
    }
    if let maximum, maximum < minimum {
      throw error("\(minimum) is more than \(maximum)", from: start)
    }
    return (minimum, maximum)
  }

  /// The number that stands next, if one does.
  private mutating func count() throws(RegexError) -> Int? {
    let start = position
    var value = 0
    while let digit = next, digit.isASCIIDigit {
      value = min(value * 10 + Int(digit.value - 0x30), 1_000_000)
      position += 1
    }
    guard value <= Self.repetitionLimit else {
      throw error(
        "a part is repeated at most \(Self.repetitionLimit) times", kind: .limit, from: start)
    }
    return position == start ? nil : value
  }
}
