public import PQL
import SegmentIndex

extension PeriscopeStore {
  /// Why nothing can be removed by a query.
  public enum RemovalError: Error, Equatable {
    /// The query makes a table: nothing says which records are meant.
    case notRecords
  }

  /// Removes the records that `query` finds, for good; returns how many.
  ///
  /// For what should never have been logged. The files that held such records are written anew, and the old ones
  /// deleted. It reaches what this session and processes that died have logged, not what other living programs
  /// have in their journals, nor damaged files in the quarantine.
  ///
  /// - Throws: `Diagnostics` for a query that is wrong, `RemovalError` for one that does not find records, `StoreError`
  ///   when a part of the store cannot be read or written: nothing has been removed then.
  public func remove(
    matching query: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> Int {
    let query = try Query(query)
    try compact()
    var limits = QueryLimits()
    limits.rowCount = .max
    let found = try reader.run(query, parameters: parameters, zone: zone, limits: limits)
    guard case .records(let records) = found.rows else { throw RemovalError.notRecords }
    guard !records.isEmpty else { return 0 }
    let unwanted = Set(records.map(\.id))
    return try Compactor(segments).remove { unwanted.contains($0.id) }
  }
}
