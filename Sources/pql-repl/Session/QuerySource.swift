package import PeriscopeCore

/// What answers queries: a store, or a test's array.
package struct QuerySource {
  /// Runs a query. Throws `Diagnostics` for a wrong one, and other errors when it cannot be
  /// answered.
  let answer: (Query) throws -> QueryResult
  /// Hands the records that a query lists to the function, some at a time, and returns the summary; nil when only
  /// `answer` can answer it.
  let stream: (Query, ([Record]) -> Void) throws -> QuerySummary?
  /// The sessions that are known, oldest first.
  let sessions: () throws -> [SessionInfo]
  /// Lines about the store.
  let summary: () throws -> [String]
  /// One page of a query's rows; nil when the source has no pages.
  let page: ((Query, QueryCursor?, Int) throws -> QueryResult)?
  /// How a query is answered.
  let explain: (Query) throws -> String
  /// Follows a query: what it gives says, each time, what is new.
  let follow: (Query) throws -> () throws -> QueryFollower.Change?

  package init(
    answer: @escaping (Query) throws -> QueryResult,
    stream: @escaping (Query, ([Record]) -> Void) throws -> QuerySummary? = { _, _ in nil },
    sessions: @escaping () throws -> [SessionInfo] = { [] },
    summary: @escaping () throws -> [String] = { [] },
    page: ((Query, QueryCursor?, Int) throws -> QueryResult)? = nil,
    explain: @escaping (Query) throws -> String = { _ in "" },
    follow: @escaping (Query) throws -> () throws -> QueryFollower.Change? = { _ in { nil } }
  ) {
    self.answer = answer
    self.stream = stream
    self.sessions = sessions
    self.summary = summary
    self.page = page
    self.explain = explain
    self.follow = follow
  }
}
