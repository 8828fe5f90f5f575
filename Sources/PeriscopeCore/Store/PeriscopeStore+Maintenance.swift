import JournalKit
package import SegmentIndex

extension PeriscopeStore {
  /// Takes back what the store is known to lack and files of its quarantine have: those that a person has mended, or that
  /// could not be read for a while. Each record comes back once, however often this is called.
  ///
  /// Only a segment that verifies to its last byte, and a journal's file without any damage, is taken; the report says of
  /// every other file why it was left. The files stay in the quarantine. A removal of chosen records that was done before
  /// this did not reach what was missing: do it again.
  ///
  /// - Throws: `StoreError`; nothing has been taken back then.
  @discardableResult
  public func restore() throws(StoreError) -> RestoreReport {
    try segments.restore()
  }
}

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

  /// Takes back from the quarantine of the store what it is known to lack, as the method of a store does.
  ///
  /// - Throws: `StoreError`: `notAStore` when there is none in `directory`.
  package static func restore(directory: String) throws(StoreError) -> RestoreReport {
    try existing(directory).restore()
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
