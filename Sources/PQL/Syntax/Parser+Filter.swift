extension Parser {
  /// filter = term { ["and"] term } | term { "or" term }
  mutating func filter() throws(Diagnostic) -> Expression {
    try nested { parser throws(Diagnostic) in
      var terms = [try parser.term()]
      var isOr: Bool?
      while let joint = parser.joint() {
        if let isOr, isOr != joint.isOr {
          throw parser.mixed(terms, isOr: isOr, joint)
        }
        isOr = joint.isOr
        if joint.word != nil { _ = parser.next() }
        terms.append(try parser.term())
      }
      return .joined(terms, byOr: isOr ?? false)
    }
  }

  /// What joins the next term to those before: a word, or nothing, which means `and`.
  struct Joint {
    let isOr: Bool
    let word: Token?
  }

  /// What joins the next term, or nil where the filter ends.
  func joint() -> Joint? {
    if isWord("or") { return Joint(isOr: true, word: current) }
    if isWord("and") { return Joint(isOr: false, word: current) }
    switch current.kind {
    case .end, .pipe, .rightParenthesis: return nil
    default: return Joint(isOr: false, word: nil)
    }
  }

  /// Explains a mixture of `and` and `or`, and offers both readings.
  mutating func mixed(_ terms: [Expression], isOr: Bool, _ joint: Joint) -> Diagnostic {
    var problem = Diagnostic(
      .mixedAndOr, "`and` and `or` are mixed without parentheses",
      at: joint.word?.range ?? current.range)
    if joint.word == nil {
      problem.label = "the space before here means `and`"
    } else if joint.isOr {
      problem.label = "the terms before here are joined by `and`"
    } else {
      problem.label = "the terms before here are joined by `or`"
    }
    let start = terms[0].range.lowerBound
    let last = terms[terms.count - 1].range
    // The run of terms that the new joint holds together, as far as it can be read.
    var end = last.upperBound
    while let following = self.joint(), following.isOr == joint.isOr {
      if following.word != nil { _ = next() }
      guard let term = try? attempt({ parser throws(Diagnostic) in try parser.term() })
      else { break }
      end = term.range.upperBound
    }
    guard end > last.upperBound else { return problem }
    for wrapped in [start..<last.upperBound, last.lowerBound..<end] {
      let text =
        bytes.text(start..<wrapped.lowerBound) + "(" + bytes.text(wrapped) + ")"
        + bytes.text(wrapped.upperBound..<end)
      let isFirst = wrapped.lowerBound == start
      let word = isFirst == isOr ? "or" : "and"
      problem = problem.helping(
        text.unicodeScalars.count <= 80 ? text : "put ( ) around the terms that `\(word)` joins",
        edits: [
          .init(range: wrapped.lowerBound..<wrapped.lowerBound, replacement: "("),
          .init(range: wrapped.upperBound..<wrapped.upperBound, replacement: ")"),
        ])
    }
    return problem
  }

  /// term = { "not" | NEG } primary
  mutating func term() throws(Diagnostic) -> Expression {
    let start = current.range.lowerBound
    var isNegated = false
    while isWord("not") || current.kind == .minus {
      _ = next()
      isNegated.toggle()
    }
    let operand = try primary()
    return isNegated ? .negation(of: operand, range(from: start)) : operand
  }

  /// primary = "(" filter ")" | "*" | time limit | "under" value | "has" path | comparison | text
  private mutating func primary() throws(Diagnostic) -> Expression {
    let token = current
    switch token.kind {
    case .leftParenthesis:
      _ = next()
      let inner = try filter()
      _ = try expect(.rightParenthesis, ")", closing: token)
      return Expression(inner.kind, range(from: token.range.lowerBound))
    case .star:
      _ = next()
      return Expression(.everything, token.range)
    case .word:
      if let word = ReservedWord(rawValue: token.text) { return try reserved(word) }
      return try wordTerm()
    case .string, .number, .duration, .size, .time:
      return try text(isPattern: false)
    default:
      let problem = Diagnostic(
        .expectedCondition, "expected a search word, a field or `(`, found \(token.described)",
        at: token.range)
      switch token.kind {
      case .comma where index > 0:
        throw problem.fixing(with: " ", "a space joins conditions; write no comma")
      case .arithmetic:
        throw problem.helping(
          "compute in `extend`, or in ( ) right of a comparison, as in line > (version + 1)")
      default: throw problem
      }
    }
  }

  private mutating func reserved(_ word: ReservedWord) throws(Diagnostic) -> Expression {
    let start = current.range.lowerBound
    switch word {
    case .last:
      _ = next()
      let length = try length(after: "last")
      return Expression(.within(length), range(from: start))
    case .since, .until:
      _ = next()
      let time = try movedValue()
      return Expression(.bound(word == .since ? .since : .until, time), range(from: start))
    case .has, .under:
      return try presence()
    case .and, .or, .in, .not:
      throw Diagnostic(
        .reservedWord, "`\(word.rawValue)` has nothing on its left", at: current.range
      ).fixing(with: "\"\(word.rawValue)\"", "to search for the word write \"\(word.rawValue)\"")
    }
  }

  /// A term that begins with a word which is not reserved: a comparison if an operator follows, else
  /// text to search for.
  private mutating func wordTerm() throws(Diagnostic) -> Expression {
    let word = current
    if isCall() { return try comparison(of: try call()) }
    let path: Path
    do throws(Diagnostic) {
      path = try attempt { parser throws(Diagnostic) in
        let path = try parser.path()
        let isLong = path.range != word.range
        guard parser.isComparison() || isLong else {
          throw Diagnostic(.fieldAlone, "not a comparison", at: path.range)
        }
        return path
      }
    } catch {
      return try searchWord(word, notField: error)
    }
    guard isComparison() else {
      throw Diagnostic(.fieldAlone, "a field alone is not a condition", at: path.range)
        .helping("to ask whether the record has it write has \(Printer.text(path))")
    }
    return try comparison(of: Expression(.path(path), path.range))
  }

  /// A word that is searched for, because as a field it had the problem `notField`.
  private mutating func searchWord(
    _ word: Token, notField problem: Diagnostic
  ) throws(Diagnostic) -> Expression {
    // With an operator or an index behind it the word was meant as a field, and what is wrong with
    // it matters.
    let wasMeantAsField = peek(1).kind == .comparison || peek(1).kind == .leftBracket
    guard problem.code == .fieldAlone || !wasMeantAsField else { throw problem }
    if ["AND", "OR", "NOT"].contains(word.text) {
      let lower = word.text.lowercased()
      throw Diagnostic(.wrongCase, "`\(word.text)` is written in lower case", at: word.range)
        .fixing(with: lower)
        .helping("to search for the word write \"\(word.text)\"")
    }
    return try text(isPattern: word.text.contains { $0 == "*" || $0 == "?" })
  }

  private mutating func text(isPattern: Bool) throws(Diagnostic) -> Expression {
    let token = next()
    guard current.kind != .comparison else {
      throw Diagnostic(
        .notAField, "only a field can stand left of `\(current.text)`, not \(token.described)",
        at: token.range
      ).helping("to search for the text with the sign in it, quote the whole")
    }
    return Expression(.text(token.text, isPattern: isPattern), token.range)
  }
}
