/// A PQL query: a filter, then stages, ready to run on any store.
///
/// ```swift
/// let query = try Query("under App/Photos level >= error last 1h | count by event")
/// ```
/// Parsing checks the grammar; names and types are checked when the query is bound to parameters and run.
/// Two queries are equal when their canonical texts are.
public struct Query: Sendable {
  /// The versions of the language. Text is kept with the version that it was written for, which goes on
  /// meaning the same.
  public enum Version: Int, Sendable, Hashable, CaseIterable {
    /// docs/pql.md.
    case v1 = 1
  }

  package let tree: QueryTree

  /// Parses `text`.
  ///
  /// - Parameters:
  ///   - version: the version of the language that the text is written in.
  ///   - limits: what the text may ask for; limits above the standard ones count as those.
  /// - Throws: `Diagnostics`, whose ranges are byte ranges of the text's UTF-8.
  public init(
    _ text: String, version: Version = .v1, limits: SyntaxLimits = .standard
  ) throws(Diagnostics) {
    try self.init(utf8: Array(text.utf8), version: version, limits: limits)
  }

  /// Parses UTF-8 text, which need not be valid: any bytes give a query or diagnostics. Takes time in
  /// proportion to the text.
  public init(
    utf8 bytes: [UInt8], version: Version = .v1, limits: SyntaxLimits = .standard
  ) throws(Diagnostics) {
    switch version {
    case .v1: tree = try Parser.parse(bytes, limits)
    }
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
