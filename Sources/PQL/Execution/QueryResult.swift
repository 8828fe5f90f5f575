public import SegmentIndex

/// The answer to a query.
public struct QueryResult: Sendable {
  /// What the query's last stage gives.
  public enum Rows: Sendable, Equatable {
    /// Whole records: the query selects and groups nothing.
    case records([Record])
    /// Rows of values, one for each column; nil is missing.
    case table(columns: [String], rows: TableRows)
  }

  /// The rows, in the query's order.
  public var rows: Rows
  /// What the run did, and whether the rows are the whole answer.
  public var summary: QuerySummary

  /// The rows as records; none when they are a table.
  public var records: [Record] {
    if case .records(let records) = rows { records } else { [] }
  }

  /// The rows as a table; nil when they are records.
  public var table: (columns: [String], rows: TableRows)? {
    if case .table(let columns, let rows) = rows { (columns, rows) } else { nil }
  }

  /// An answer.
  package init(rows: Rows, summary: QuerySummary) {
    self.rows = rows
    self.summary = summary
  }

  /// How many rows there are.
  public var rowCount: Int {
    switch rows {
    case .records(let records): records.count
    case .table(_, let rows): rows.count
    }
  }
}
