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

  /// Removes the records that `query` finds, for good, with what is attached to them; returns how many.
  ///
  /// For what should never have been logged. The files that held such records are written anew, and the old ones
  /// deleted. It reaches what this session and processes that died have logged, not what other living programs
  /// have in their journals, nor damaged files in the quarantine. Intact segments there that hold such records are deleted; what
  /// only they hold does not count, and is found by queries that are nothing but conditions.
  ///
  /// When this throws, or the process dies, a part may have been removed, such as attachments: do it again until it returns,
  /// also if that is 0.
  ///
  /// - Throws: `Diagnostics` for a query that is wrong; `RemovalError` for one that does not find records, and, like
  ///   `StoreError`, when a part of the store cannot be read or written.
  public func remove(
    matching query: String, parameters: [String: Value] = [:], zone: TimeZoneRules = .utc
  ) throws -> Int {
    let query = try Query(query)
    let recovery = try compact()
    guard recovery.problems.isEmpty else { throw RemovalError.notFolded(recovery.problems) }
    let context = reader.context(parameters, zone, .unlimited)
    return try Compactor(segments).remove { store, quarantined in
      let all = quarantined.reduce(store) { $0.adding($1) }
      var unwanted: Set<UniqueID> = []
      if try query.stream(on: all, context, { unwanted.formUnion($0.map(\.id)) }) != nil {
        return unwanted
      }
      // What a stage chooses depends on what else there is.
      guard case .records(let records) = try query.run(on: store, context).rows
      else { throw RemovalError.notRecords }
      return Set(records.map(\.id))
    }
  }
}
