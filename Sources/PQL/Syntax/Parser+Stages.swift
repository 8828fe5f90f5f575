extension Parser {
  mutating func stage() throws(Diagnostic) -> Stage {
    let name = current
    guard name.kind == .word, let stage = StageName(rawValue: name.text) else {
      throw unknownStage(name)
    }
    _ = next()
    let kind: Stage.Kind =
      switch stage {
      case .where: .where(try filter())
      case .select: .select(try items())
      case .extend: .extend(try items(mustBeNamed: true))
      case .dedup: .dedup(try items())
      case .stats: .stats(try items(), by: try keys())
      case .count: .stats([countItem(name)], by: try keys())
      case .top: .top(try wholeNumber(), try items())
      case .limit: .limit(try wholeNumber())
      case .sort: .sort(try sortKeys())
      case .timeline:
        .timeline(
          every: take(word: "every") == nil ? nil : try duration(after: "every"), by: try keys())
      case .spans: .spans
      case .trace:
        .trace(
          back: take(word: "back") == nil ? nil : try duration(after: "back"),
          depth: take(word: "depth") == nil ? nil : try wholeNumber())
      case .context:
        .context(try wholeNumber(), current.kind == .number ? try wholeNumber() : nil)
      }
    return Stage(kind, name.range)
  }

  private func unknownStage(_ name: Token) -> Diagnostic {
    guard name.kind == .word else {
      return Diagnostic(
        .unknownStage, "expected a stage after `|`, found \(name.described)", at: name.range
      ).noting("the stages are " + StageName.allCases.map(\.rawValue).joined(separator: " "))
    }
    return Diagnostic(
      .unknownStage, "there is no stage `\(abbreviated(name.text))`", at: name.range
    )
    .suggesting(name.text, from: StageName.allCases.map(\.rawValue))
    .noting("the stages are " + StageName.allCases.map(\.rawValue).joined(separator: " "))
  }

  /// The `count()` that the stage `count` stands for.
  private func countItem(_ name: Token) -> Item {
    Item(name: nil, Expression(.call("count", []), name.range), name.range)
  }

  private mutating func keys() throws(Diagnostic) -> [Item] {
    guard take(word: "by") != nil else { return [] }
    let keys = try items()
    guard keys.count <= limits.keyCount else {
      let message = "there are \(keys.count) keys; the limit is \(limits.keyCount)"
      throw Diagnostic(.tooManyKeys, message, at: keys[limits.keyCount].range)
    }
    return keys
  }

  private mutating func items(mustBeNamed: Bool = false) throws(Diagnostic) -> [Item] {
    var items = [try item(mustBeNamed: mustBeNamed)]
    while take(.comma) != nil { items.append(try item(mustBeNamed: mustBeNamed)) }
    return items
  }

  /// item = [ NAME "=" ] expr
  private mutating func item(mustBeNamed: Bool) throws(Diagnostic) -> Item {
    let first = current
    if first.kind == .word, peek(1).kind == .comparison, peek(1).text == "=" {
      guard isColumnName(first.text), !Parser.unusableNames.contains(first.text) else {
        throw Diagnostic(
          .columnName, "`\(abbreviated(first.text))` cannot name a column", at: first.range
        ).helping("for a comparison write (\(first.text) = ...)")
      }
      (_, _) = (next(), next())
      return Item(name: first.text, try expression(), first.range)
    }
    let expression = try expression()
    guard !mustBeNamed else {
      throw Diagnostic(
        .columnName, "`extend` needs a name for the column", at: expression.range
      ).fixing(with: "x = " + bytes.text(expression.range), "write extend x = ...")
    }
    return Item(name: nil, expression, expression.range)
  }

  /// Words that the grammar around an item reads otherwise.
  static let unusableNames =
    Set(ReservedWord.allCases.map(\.rawValue)).union(["true", "false", "by"])

  /// Explains how to sort downwards to one who knows it from elsewhere.
  private func foreignDirection(_ key: SortKey) -> Diagnostic {
    let range = key.expression.range.lowerBound..<current.range.upperBound
    let sign = current.text == "desc" || key.isDescending ? "-" : ""
    let start = key.isDescending ? range.lowerBound - 1 : range.lowerBound
    let text = sign + bytes.text(key.expression.range)
    return Diagnostic(
      .unexpectedToken, "`\(current.text)` is not PQL; `-` before a key sorts downwards",
      at: current.range
    ).helping(
      "write \(abbreviated(text))",
      edits: [.init(range: start..<range.upperBound, replacement: text)])
  }

  private mutating func sortKeys() throws(Diagnostic) -> [SortKey] {
    var keys: [SortKey] = []
    repeat {
      let isDescending = take(.minus) != nil
      keys.append(SortKey(try atom(), isDescending: isDescending))
      if isWord("desc") || isWord("asc") { throw foreignDirection(keys[keys.count - 1]) }
    } while take(.comma) != nil
    return keys
  }
}
