import JournalKit
package import SegmentIndex

// What tools do to a store, without beginning a session in it.
extension PeriscopeStore {
  /// Folds what processes that died have left in the store's journals into segments, merges small ones, and drops what is
  /// beyond `retention`.
  ///
  /// - Throws: `StoreError`: `notAStore` when there is none in `directory`.
  package static func recover(
    directory: String, retention: Retention = .unlimited
  ) throws(StoreError) -> RecoverySummary {
    let store = try existing(directory)
    let summary = try store.foldAbandonedJournals(.system)
    try store.tidy(retention, .system)
    return summary
  }

  /// Checks every byte of the store, and changes nothing.
  ///
  /// - Throws: `StoreError`: `notAStore` when there is none in `directory`.
  package static func verify(directory: String) throws(StoreError) -> StoreVerifier.Report {
    try StoreVerifier.verify(existing(directory))
  }

  private static func existing(_ directory: String) throws(StoreError) -> SegmentStore {
    let store = try SegmentStore(directory: directory)
    guard try store.exists() else { throw .notAStore(directory) }
    return store
  }
}
