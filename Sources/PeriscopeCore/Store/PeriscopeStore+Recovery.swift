package import SegmentIndex

extension PeriscopeStore {
  /// Folds what processes that died have left in the store's journals into segments, without
  /// beginning a session.
  ///
  /// - Throws: `StoreError`: `notAStore` when there is none in `directory`.
  package static func recover(directory: String) throws(StoreError) -> RecoverySummary {
    let store = try SegmentStore(directory: directory)
    guard try store.exists() else { throw .notAStore(directory) }
    return try store.foldAbandonedJournals()
  }
}
