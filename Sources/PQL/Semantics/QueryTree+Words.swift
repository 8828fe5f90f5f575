extension QueryTree {
  /// What a newcomer should know of a filter such as `message contains x`, which searches for three words.
  var remarksOnWords: [String] {
    guard case .and(let parts) = filter.kind else { return [] }
    for (index, part) in parts.enumerated().dropFirst() {
      guard let verb = part.word, let sign = Self.signs[verb], let field = parts[index - 1].word,
        Field(rawValue: field) != nil
      else { continue }
      let value = index + 1 < parts.count ? parts[index + 1].word : nil
      let written = ([field, verb] + (value.map { [quotedIfNeeded($0)] } ?? [])).joined(
        separator: " ")
      let meant = "\(field) \(sign) \(value.map(quotedIfNeeded) ?? "...")"
      return ["`\(written)` searches messages for each of the words; to compare write \(meant)"]
    }
    return []
  }

  /// Words that other languages compare with, and the signs of this one.
  private static let signs = [
    "contains": ":", "like": ":", "includes": ":", "is": "=", "equals": "=", "equal": "=",
    "eq": "=", "ne": "!=",
    "matches": "~", "regex": "~", "gt": ">", "gte": ">=", "ge": ">=", "lt": "<", "lte": "<=",
    "le": "<=",
  ]
}

extension Expression {
  /// The word that a lone word searches for.
  fileprivate var word: String? {
    if case .text(let text, isPattern: false) = kind { text } else { nil }
  }
}

/// The text as a value of the language, short enough for a message.
private func quotedIfNeeded(_ text: String) -> String {
  let isWord =
    !text.isEmpty && text.utf8.count <= 40
    && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
  return isWord ? text : quoted(abbreviated(text))
}
