/// Reads tokens into a tree: recursive descent with two tokens of look-ahead, grammar in docs/pql.md.
///
/// Any text gives a tree or at least one diagnostic. After a problem reading goes on at the next `|`, so
/// that several stages can be wrong at once.
package struct Parser {
  let bytes: [UInt8]
  let limits: SyntaxLimits
  private let tokens: [Token]
  private(set) var index = 0
  private var depth = 0
  private var diagnostics: [Diagnostic] = []

  /// Parses a query's UTF-8 text.
  package static func parse(
    _ bytes: [UInt8], _ limits: SyntaxLimits = .standard
  ) throws(Diagnostics) -> QueryTree {
    let limits = limits.lowered
    let (tokens, problems) = Lexer.tokenize(bytes, limits)
    // Grammar over words that were misread would only add consequences.
    guard problems.isEmpty else { throw Diagnostics(problems) }
    var parser = Parser(bytes, tokens, limits)
    let tree = parser.query()
    guard parser.diagnostics.isEmpty else { throw Diagnostics(parser.diagnostics) }
    return tree
  }

  /// Parses the name of a field alone; nil when the text is none.
  static func path(_ text: String) -> Path? {
    let bytes = Array(text.utf8)
    let (tokens, problems) = Lexer.tokenize(bytes)
    guard problems.isEmpty else { return nil }
    var parser = Parser(bytes, tokens, .standard)
    guard let path = try? parser.path(), parser.current.kind == .end else { return nil }
    return path
  }

  private init(_ bytes: [UInt8], _ tokens: [Token], _ limits: SyntaxLimits) {
    self.bytes = bytes
    self.limits = limits
    self.tokens = tokens
  }

  private mutating func query() -> QueryTree {
    var filter = Expression(.everything, 0..<0)
    if current.kind != .pipe, current.kind != .end {
      do throws(Diagnostic) {
        filter = try self.filter()
        try expectStageEnd()
      } catch {
        recover(from: error)
      }
    }
    var stages: [Stage] = []
    while take(.pipe) != nil, diagnostics.count < Diagnostics.limit {
      do throws(Diagnostic) {
        guard stages.count < limits.stageCount else {
          let message = "the query has too many stages; the limit is \(limits.stageCount)"
          throw Diagnostic(.tooManyStages, message, at: current.range)
        }
        stages.append(try stage())
        try expectStageEnd()
      } catch {
        recover(from: error)
      }
    }
    return QueryTree(filter: filter, stages: stages)
  }

  private func expectStageEnd() throws(Diagnostic) {
    guard current.kind != .pipe, current.kind != .end else { return }
    throw Diagnostic(
      .unexpectedToken, "expected `|` or the end of the query, found \(current.described)",
      at: current.range)
  }

  private mutating func recover(from diagnostic: Diagnostic) {
    diagnostics.append(diagnostic)
    depth = 0
    while current.kind != .pipe, current.kind != .end { index += 1 }
  }

  // MARK: Tokens

  /// The token to read next; the last one is `.end` and stays.
  var current: Token { peek(0) }

  func peek(_ distance: Int) -> Token { tokens[min(index + distance, tokens.count - 1)] }

  mutating func next() -> Token {
    defer { index += 1 }
    return current
  }

  /// Takes the next token if it is of this kind.
  mutating func take(_ kind: Token.Kind) -> Token? {
    current.kind == kind ? next() : nil
  }

  /// Takes the next token if it is this word.
  mutating func take(word: String) -> Token? {
    isWord(word) ? next() : nil
  }

  func isWord(_ word: String, at distance: Int = 0) -> Bool {
    peek(distance).kind == .word && peek(distance).text == word
  }

  /// Whether a call begins here: a word that touches `(`.
  func isCall() -> Bool {
    current.kind == .word && peek(1).kind == .leftParenthesis
      && peek(1).range.lowerBound == current.range.upperBound
  }

  /// Whether what comes next compares the operand before it.
  func isComparison() -> Bool {
    current.kind == .comparison || isWord("in") || isWord("not") && isWord("in", at: 1)
  }

  /// Takes a token that must come here.
  mutating func expect(
    _ kind: Token.Kind, _ name: String, closing opening: Token? = nil
  ) throws(Diagnostic) -> Token {
    if let token = take(kind) { return token }
    var problem = Diagnostic(
      .expectedToken, "expected `\(name)`, found \(current.described)", at: current.range)
    problem.expected = [name]
    if let opening {
      problem.labels = [.init(range: opening.range, text: "opened here")]
    }
    throw problem
  }

  /// Runs `body` one level deeper.
  mutating func nested<Result>(
    _ body: (inout Parser) throws(Diagnostic) -> Result
  ) throws(Diagnostic) -> Result {
    guard depth < limits.depth else {
      let limit = "the limit is \(limits.depth)"
      throw Diagnostic(
        .nestedTooDeep, "the query is nested too deeply; \(limit)", at: current.range)
    }
    depth += 1
    let result = try body(&self)
    depth -= 1
    return result
  }

  /// Tries to read something and, when that fails, stands where it stood.
  mutating func attempt<Result>(
    _ body: (inout Parser) throws(Diagnostic) -> Result
  ) throws(Diagnostic) -> Result {
    let (index, depth) = (self.index, self.depth)
    do throws(Diagnostic) {
      return try body(&self)
    } catch {
      (self.index, self.depth) = (index, depth)
      throw error
    }
  }

  /// The range from the start of `first` to the end of the token before the current one.
  func range(from first: Int) -> Range<Int> {
    first..<max(first, index > 0 ? tokens[index - 1].range.upperBound : first)
  }
}
