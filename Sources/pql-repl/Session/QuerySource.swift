package import PeriscopeCore

/// What answers queries: a store, or a test's array.
package struct QuerySource {
  /// Runs a query. Throws `Diagnostics` for a wrong one, and other errors when it cannot be
  /// answered.
  let answer: (Query) throws -> QueryResult
  /// The sessions that are known, oldest first.
  let sessions: () throws -> [SessionInfo]
  /// Lines about the store.
  let summary: () throws -> [String]

  package init(
    answer: @escaping (Query) throws -> QueryResult,
    sessions: @escaping () throws -> [SessionInfo] = { [] },
    summary: @escaping () throws -> [String] = { [] }
  ) {
    self.answer = answer
    self.sessions = sessions
    self.summary = summary
  }
}
