extension Parser {
  // MARK: Literals

  /// Reads a literal token; `sign` is the minus before it, if there was one.
  mutating func literal(sign: String = "") throws(Diagnostic) -> Literal {
    let token = next()
    let value: Literal? =
      switch token.kind {
      case .string: .string(token.text)
      case .number: NumberText.value(token.text, sign: sign)
      case .duration: exact(Quantity.duration(token.text), sign).map(Literal.duration)
      case .size: exact(Quantity.size(token.text), sign).map(Literal.size)
      case .time: TimeLiteral(token.text).map(Literal.time)
      default: preconditionFailure("`\(token.text)` is not a literal")
      }
    guard let value else { throw outOfRange(token) }
    return value
  }

  private func exact(_ quantity: Quantity?, _ sign: String) -> Int64? {
    guard case .exact(let value) = quantity else { return nil }
    return sign.isEmpty ? value : -value
  }

  private func outOfRange(_ token: Token) -> Diagnostic {
    let reason =
      switch token.kind {
      case .time: "is not a date and time between 1678 and 2261"
      case .duration: "is not a whole number of nanoseconds in 64 bits"
      case .size: "is not a whole number of bytes in 64 bits"
      default: "does not fit a 64-bit number"
      }
    return Diagnostic(
      .valueOutOfRange, "`\(abbreviated(token.text))` \(reason)", at: token.range)
  }

  /// Reads the duration that must follow `word`.
  mutating func duration(after word: String) throws(Diagnostic) -> Int64 {
    guard let token = take(.duration) else {
      let problem = Diagnostic(
        .expectedArgument,
        "expected a duration after `\(word)`, such as 2h, found \(current.described)",
        at: current.range)
      // `5 minutes`
      if current.kind == .number, peek(1).kind == .word, let unit = unit(named: peek(1).text) {
        let duration = current.text + unit
        let edit = Diagnostic.Edit(
          range: current.range.lowerBound..<peek(1).range.upperBound, replacement: duration)
        throw problem.helping("write \(duration)", edits: [edit])
      }
      throw problem.noting("the units are ns us ms s m h d w")
    }
    guard let value = exact(Quantity.duration(token.text), "") else { throw outOfRange(token) }
    return value
  }

  /// The unit of durations that an English word means.
  private func unit(named word: String) -> String? {
    let names = ["s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"]
    return names.first { word == $0.value || word == $0.value + "s" }?.key
  }

  /// Reads the duration that must follow `word`, or a parameter that stands for one.
  mutating func length(after word: String) throws(Diagnostic) -> Expression {
    let token = current
    if token.kind == .parameter { return parameter() }
    return Expression(.literal(.duration(try duration(after: word))), token.range)
  }

  /// Reads a whole number.
  mutating func wholeNumber() throws(Diagnostic) -> Int64 {
    let token = current
    guard token.kind == .number, NumberText.isWhole(token.text) else {
      throw Diagnostic(
        .expectedArgument, "expected a whole number, found \(token.described)", at: token.range)
    }
    guard case .int(let value) = try literal() else { throw outOfRange(token) }
    return value
  }

  // MARK: Paths and calls

  /// path = name { "." ( name | STRING ) | "[" INT "]" }, all of it touching
  mutating func path() throws(Diagnostic) -> Path {
    let first = current
    guard first.kind == .word else {
      throw Diagnostic(.notAField, "expected a field, found \(first.described)", at: first.range)
    }
    guard ReservedWord(rawValue: first.text) == nil else {
      throw Diagnostic(.reservedWord, "`\(first.text)` is reserved", at: first.range)
    }
    _ = next()
    var segments: [Path.Segment] = []
    var end = first.range.upperBound
    try appendNames(of: first.text[...], at: first.range, to: &segments, &end)
    while current.range.lowerBound == end {
      if let bracket = take(.leftBracket) {
        segments.append(.index(try arrayIndex()))
        end = try expect(.rightBracket, "]", closing: bracket).range.upperBound
      } else if let dot = take(.dot) {
        end = dot.range.upperBound
        segments.append(.name(try quotedName(&end)))
      } else if current.kind == .word, current.text.hasPrefix(".") {
        let word = next()
        end = word.range.upperBound
        try appendNames(of: word.text.dropFirst(), at: word.range, to: &segments, &end)
      } else {
        break
      }
    }
    return Path(segments, first.range.lowerBound..<end)
  }

  /// Adds the dotted names of one word; after a final dot a quoted name must touch it.
  private mutating func appendNames(
    of word: Substring, at range: Range<Int>, to segments: inout [Path.Segment], _ end: inout Int
  ) throws(Diagnostic) {
    var names = word.split(separator: ".", omittingEmptySubsequences: false)
    let endsInDot = names.count > 1 && names[names.count - 1].isEmpty
    if endsInDot { names.removeLast() }
    for name in names {
      guard isPlainSegment(name) else {
        throw Diagnostic(
          .notAField, "`\(abbreviated(String(name)))` is not a field's name", at: range
        ).helping("quote an unusual name, as in tag.\"user id\"; quote the whole to search for it")
      }
      segments.append(.name(String(name)))
    }
    if endsInDot {
      segments.append(.name(try quotedName(&end)))
    }
  }

  private mutating func quotedName(_ end: inout Int) throws(Diagnostic) -> String {
    guard current.kind == .string, current.range.lowerBound == end else {
      throw Diagnostic(.notAField, "after the `.` a name must follow", at: end..<end)
    }
    let name = next()
    end = name.range.upperBound
    return name.text
  }

  private mutating func arrayIndex() throws(Diagnostic) -> Int {
    guard current.kind == .number, let index = Int(current.text) else {
      throw Diagnostic(
        .notAField, "an index must be a whole number, found \(current.described)",
        at: current.range)
    }
    _ = next()
    return index
  }

  /// call = NAME "(" [ expr { "," expr } ] ")"
  mutating func call() throws(Diagnostic) -> Expression {
    let name = next()
    guard isFunctionName(name.text) else {
      throw Diagnostic(
        .notAFunction, "`\(abbreviated(name.text))` is not a function's name", at: name.range
      ).helping("put a space before the `(`, or quote the text")
    }
    let opening = next()
    var arguments: [Expression] = []
    if current.kind != .rightParenthesis {
      repeat { arguments.append(try expression()) } while take(.comma) != nil
    }
    _ = try expect(.rightParenthesis, ")", closing: opening)
    return Expression(.call(name.text, arguments), range(from: name.range.lowerBound))
  }

  /// A column's name, with an optional fraction as in `p99.9`.
  private func isFunctionName(_ text: String) -> Bool {
    guard let dot = text.firstIndex(of: ".") else { return isColumnName(text) }
    let fraction = text[text.index(after: dot)...]
    return isColumnName(String(text[..<dot])) && !fraction.isEmpty
      && fraction.unicodeScalars.allSatisfy(\.isASCIIDigit)
  }
}
