internal import JournalKit
internal import Synchronization

// What keeps a store small, besides folding.

extension Compactor {
  /// Merges small segments, until no more are to be merged. Readers never wait for it; each merge is one commit.
  ///
  /// - Parameter byteLimit: the bytes of segment files after which the rest is left to a later call.
  ///
  /// A segment that cannot be read whole stays as it is, and is not tried again by this `SegmentStore`: what is
  /// left of it can still be asked, and may be repaired. Throws `busy` and `disk`; nothing is lost then.
  package func merge(
    _ retention: Retention = .unlimited, byteLimit: UInt64 = .max
  ) throws(StoreError) {
    let plan = MergePlan(retention, rowLimit: rowLimit)
    var rest = byteLimit
    // A merge leads to at most one more; a manifest that claims anything else must not keep this going.
    for _ in 0..<64 where rest > 0 {
      let isDone = try store.foldTurn.withLock { _ throws(StoreError) in
        let transaction = try StoreTransaction(store, rowLimit: rowLimit)
        let entries = transaction.contents.manifest.segments
          .filter { transaction.contents.segments[$0.id] != nil && !store.isUnmergeable($0.id) }
        guard let group = plan.groups(of: entries).first else {
          // Removes what a loss of power brought back.
          try transaction.commit()
          return true
        }
        for entry in group { rest -= min(rest, entry.length) }
        let segments = group.compactMap { transaction.contents.segments[$0.id] }
        do throws(StoreError) {
          try transaction.replace(segments)
        } catch {
          guard case .segment(let error) = error else { throw error }
          let damaged = segments.filter { $0.name == error.segment }
          store.setUnmergeable((damaged.isEmpty ? segments : damaged).map(\.id))
          return false
        }
        try transaction.commit()
        return false
      }
      if isDone { return }
    }
  }

  /// Drops the segments that are beyond `retention`, and returns how many. Also works on a full disk.
  ///
  /// Throws `busy` and `disk`; nothing has been dropped then, or all.
  @discardableResult
  package func drop(beyond retention: Retention, now: Int64) throws(StoreError) -> Int {
    try store.foldTurn.withLock { _ throws(StoreError) in
      guard !expired(store.current, retention, now).isEmpty else { return 0 }
      let transaction = try StoreTransaction(store, rowLimit: rowLimit)
      let expired = expired(transaction.contents, retention, now)
      transaction.drop(expired)
      transaction.forgetGaps(without: expired)
      try transaction.commit()
      AttachmentFiles(store).removeUnnamed(transaction.contents)
      return expired.count
    }
  }

  private func expired(
    _ contents: StoreContents, _ retention: Retention, _ now: Int64
  ) -> Set<UniqueID> {
    let entries =
      retention.maximumByteCount == nil
      ? contents.manifest.segments : AttachmentFiles(store).weighed(contents)
    return retention.expired(entries, now: now)
  }

  /// Removes the records that `isUnwanted` says, for good, and returns how many.
  ///
  /// The segments that hold any are written anew without them, and the old files are deleted once that is on
  /// stable storage. What is in journals that are not folded yet is not touched; of the quarantine, intact segments that hold
  /// any are deleted whole: whatever else they have is in the store, or was never a part of it. Throws
  /// `segment` when one of the segments cannot be read whole, `busy` and `disk`; nothing has been removed then, or all.
  @discardableResult
  package func remove(
    where isUnwanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try store.foldTurn.withLock { _ throws(StoreError) in
      let transaction = try StoreTransaction(store, rowLimit: rowLimit)
      var count = 0
      for entry in transaction.contents.manifest.segments {
        guard let segment = transaction.contents.segments[entry.id] else {
          // In a file that is not there is nothing to be removed.
          if try isMissing(entry) { continue }
          throw .segment(
            SegmentError(
              segment: store.layout.segment(entry.id), offset: 0, reason: "the file cannot be read")
          )
        }
        count += try transaction.remove(from: segment, where: isUnwanted)
      }
      try transaction.commit()
      if count > 0 { AttachmentFiles(store).removeUnnamed(transaction.contents) }
      try removeQuarantined(where: isUnwanted)
      return count
    }
  }

  private func removeQuarantined(
    where isUnwanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let layout = store.layout
    for name in try StoreContents.names(in: layout.quarantine, store.fileSystem)
    where StoreLayout.isQuarantined(name) {
      let path = FilePath.join(layout.quarantine, name)
      guard
        let storage = try? SharedBytes(mapping: path, fileSystem: store.fileSystem),
        let segment = try? Segment(storage: storage, name: path),
        let records = try? segment.records()
      else { continue }
      for record in records where try isUnwanted(record) {
        do throws(DiskError) {
          try store.fileSystem.unlink(path)
          try store.fileSystem.syncDirectory(layout.quarantine)
        } catch {
          throw .disk(error)
        }
        break
      }
    }
  }

  private func isMissing(_ entry: Manifest.Entry) throws(StoreError) -> Bool {
    do throws(DiskError) {
      return try store.fileSystem.status(at: store.layout.segment(entry.id)) == nil
    } catch {
      throw .disk(error)
    }
  }
}
