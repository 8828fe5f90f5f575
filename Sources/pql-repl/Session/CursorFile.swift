import PQL

/// A file that says where the pages of a query go on, from one run of the program to the next.
struct CursorFile {
  /// Where a query goes on.
  enum Place: Equatable {
    case beginning
    case after(QueryCursor)
    /// The last page has been shown.
    case end
  }

  let path: String
  private static let endText = "end"

  /// What the file says; the beginning when there is none, or nothing in it.
  func place() throws(CommandFailure) -> Place {
    guard fileExists(path) else { return .beginning }
    let bytes = try InputFile(path: path).contents(limit: 4_096)
    let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    if text.isEmpty { return .beginning }
    if text == Self.endText { return .end }
    guard let cursor = QueryCursor(text)
    else { throw CommandFailure("\(path) holds no cursor", .usage) }
    return .after(cursor)
  }

  /// Writes where the next page begins; nil when there is none. The file is never half of each.
  func write(_ next: QueryCursor?) throws(CommandFailure) {
    try replaceFile(path, with: Array("\(next?.description ?? Self.endText)\n".utf8))
  }
}
