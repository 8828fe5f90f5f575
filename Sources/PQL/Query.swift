/// A PQL query: a filter, then stages, ready to run on any store.
///
/// ```swift
/// let query = try Query("under App/Photos level >= error last 1h | count by event")
/// ```
/// Parsing checks the grammar; names and types are checked when the query is bound to parameters and run.
/// Two queries are equal when their canonical texts are.
public struct Query: Sendable {
  package let tree: QueryTree

  /// Parses `text`.
  ///
  /// - Throws: `Diagnostics`, whose ranges are byte ranges of the text's UTF-8.
  public init(_ text: String) throws(Diagnostics) {
    try self.init(utf8: Array(text.utf8))
  }

  /// Parses UTF-8 text, which need not be valid: any bytes give a query or diagnostics.
  public init(utf8 bytes: [UInt8]) throws(Diagnostics) {
    tree = try Parser.parse(bytes)
  }

  /// A query of this tree.
  package init(tree: QueryTree) {
    self.tree = tree
  }
}

extension Query: CustomStringConvertible {
  /// The canonical text: every implied word and unit spelled out. `Query(query.description) == query`.
  public var description: String { Printer.text(tree) }
}

extension Query: Hashable {
  /// Whether both have the same canonical text, to the byte. Takes time in proportion to the texts.
  public static func == (left: Query, right: Query) -> Bool {
    left.tree == right.tree && left.description.isSameText(as: right.description)
  }

  /// Feeds what equal queries have in common.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(tree)
  }
}
