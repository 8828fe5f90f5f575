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
        let readable = transaction.contents.segmentsByID
        let entries = transaction.contents.manifest.segments
          .filter { readable[$0.id] != nil && !store.isUnmergeable($0.id) }
        guard let group = plan.groups(of: entries).first else {
          // Removes what a loss of power brought back.
          try transaction.commit()
          return true
        }
        for entry in group { rest -= min(rest, entry.length) }
        let segments = group.compactMap { readable[$0.id] }
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
      // What stays is tried again the next time.
      try? AttachmentFiles(store).removeUnnamed(transaction.contents)
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
  /// any are deleted whole: whatever else they have is in the store, was never a part of it, or is lost, and the gap that says
  /// so stays.
  ///
  /// What only the records lead to, such as their attachments, goes before them. So whoever is interrupted, or gets an error,
  /// can do the same again: what is left is found. Throws `segment` when one of the segments cannot be read whole, and
  /// nothing has been removed then; `busy`, and `disk`, also when something that was to go is still there.
  @discardableResult
  package func remove(
    where isUnwanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    try store.foldTurn.withLock { _ throws(StoreError) in
      let transaction = try beginRemoval()
      return try remove(from: transaction, store.quarantinedSegments(), where: isUnwanted)
    }
  }

  /// Removes the records whose identities `choose` returns: of the store, and of the intact segments in the quarantine.
  /// Otherwise as `remove(where:)`; what `choose` throws, this does.
  package func remove(
    choosing choose: (_ store: Snapshot, _ quarantined: [Segment]) throws -> Set<UniqueID>
  ) throws -> Int {
    try store.foldTurn.withLock { _ in
      let transaction = try beginRemoval()
      let quarantined = try store.quarantinedSegments()
      let unwanted = try choose(transaction.contents.snapshot, quarantined)
      return try remove(from: transaction, quarantined) { unwanted.contains($0.id) }
    }
  }

  private func remove(
    from transaction: StoreTransaction, _ quarantined: [Segment],
    where isUnwanted: (Record) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int {
    var count = 0
    var unwantedFiles: Set<UniqueID> = []
    var wantedFiles: Set<UniqueID> = []
    for segment in transaction.contents.segments {
      count += try transaction.remove(from: segment) { record throws(StoreError) in
        let isUnwanted = try isUnwanted(record)
        if isUnwanted {
          unwantedFiles.formUnion(record.attachedFiles)
        } else {
          wantedFiles.formUnion(record.attachedFiles)
        }
        return isUnwanted
      }
    }
    var evidence: [String] = []
    for segment in quarantined {
      // Of a damaged one nobody knows what it holds.
      for record in (try? segment.records()) ?? [] where try isUnwanted(record) {
        unwantedFiles.formUnion(record.attachedFiles)
        if evidence.last != segment.name { evidence.append(segment.name) }
      }
    }
    let files = AttachmentFiles(store)
    try files.remove(unwantedFiles.subtracting(wantedFiles))
    try unlink(evidence, in: store.layout.quarantine)
    try transaction.commit()
    if let error = transaction.unremoved { throw .disk(error) }
    try unlink([], in: store.layout.segments)
    try files.removeUnnamed(transaction.contents)
    return count
  }

  /// Removes the files at `paths`, and whatever has been removed from their directory, for good.
  private func unlink(_ paths: [String], in directory: String) throws(StoreError) {
    do throws(DiskError) {
      for path in paths { try store.fileSystem.unlink(path) }
      if try store.fileSystem.status(at: directory) != nil {
        try store.fileSystem.syncDirectory(directory)
      }
    } catch {
      throw .disk(error)
    }
  }

  /// Begins a change of a store in which everything that is to be looked at can be, and is in its place.
  private func beginRemoval() throws(StoreError) -> StoreTransaction {
    // What others have left is moved to where it is looked for.
    try StoreTransaction(store, rowLimit: rowLimit).commit()
    let transaction = try StoreTransaction(store, rowLimit: rowLimit)
    if let error = transaction.obstacle { throw error }
    let readable = transaction.contents.segmentsByID
    for entry in transaction.contents.manifest.segments where readable[entry.id] == nil {
      let path = store.layout.segment(entry.id)
      do throws(DiskError) {
        // In a file that is not there is nothing to be removed.
        guard try store.fileSystem.status(at: path) != nil else { continue }
      } catch {
        throw .disk(error)
      }
      throw .segment(SegmentError(segment: path, offset: 0, reason: "the file cannot be read"))
    }
    return transaction
  }
}
