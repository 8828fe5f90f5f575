public import PQL
import SegmentIndex

extension PeriscopeStore {
  /// Why nothing can be removed by a query.
  public enum RemovalError: Error, Equatable {
    /// What dead programs have left in their journals could not all be folded: it may hold what is to go.
    case notFolded([StoreProblem])
    /// The query makes a table: nothing says which records are meant.
    case notRecords
  }

  /// Removes the records that `query` finds, for good; returns how many.
  ///
  /// For what should never have been logged. The files that held such records are written anew, and the old ones
  /// deleted. It reaches what this session and processes that died have logged, not what other living programs
  /// have in their journals, nor damaged files in the quarantine; intact segments there that hold such records are deleted.
  ///
  /// - Throws: `Diagnostics` for a query that is wrong; `RemovalError` for one that does not find records, and, like
  ///   `StoreError`, when a part of the store cannot be read or written. Nothing has been removed then.
  public func remove(
    matching query: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> Int {
    let query = try Query(query)
    let recovery = try compact()
    guard recovery.problems.isEmpty else { throw RemovalError.notFolded(recovery.problems) }
    let found = try reader.run(query, parameters: parameters, zone: zone, limits: .unlimited)
    guard case .records(let records) = found.rows else { throw RemovalError.notRecords }
    guard !records.isEmpty else { return 0 }
    let unwanted = Set(records.map(\.id))
    return try Compactor(segments).remove { unwanted.contains($0.id) }
  }
}
