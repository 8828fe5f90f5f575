package import JournalKit
package import SegmentIndex

extension SegmentStore {
  /// So many journals are folded in one commit.
  private static let foldedTogetherCount = 32

  /// Folds every journal whose owner is dead, and removes it.
  ///
  /// A journal that fails stays as it is and is reported, and does not keep the others waiting. While another
  /// process changes the store, nothing is folded here, and that is reported, too.
  package func foldAbandonedJournals(
    _ clock: WallClock? = nil
  ) throws(StoreError) -> RecoverySummary {
    let names: [String]
    do throws(DiskError) {
      let exists = try fileSystem.status(at: journalsDirectory)?.isDirectory == true
      names = try exists ? fileSystem.list(journalsDirectory) : []
    } catch {
      throw .disk(error)
    }
    var summary = RecoverySummary()
    var rest = names.map { FilePath.join(journalsDirectory, $0) }[...]
    while !rest.isEmpty {
      let directories = rest.prefix(Self.foldedTogetherCount)
      rest = rest.dropFirst(directories.count)
      if directories.count > 1, let reports = try? fold(together: Array(directories), clock) {
        for report in reports { summary.add(report) }
      } else {
        // One of them does not let itself be folded.
        guard foldEach(directories, clock, &summary) else { break }
      }
    }
    summary.journals.sort { ($0.session?.start ?? 0) < ($1.session?.start ?? 0) }
    return summary
  }

  /// Folds one journal after another; false when another process changes the store.
  private func foldEach(
    _ directories: ArraySlice<String>, _ clock: WallClock?, _ summary: inout RecoverySummary
  ) -> Bool {
    for directory in directories {
      do throws(StoreError) {
        summary.add(try fold(directory, onlyClosedSegments: false, clock))
      } catch {
        if case .journalIsLive = error { continue }
        summary.problems.append(StoreProblem(directory, error))
        if case .busy = error { return false }
      }
    }
    return true
  }

  private func fold(
    together directories: [String], _ clock: WallClock?
  ) throws(StoreError) -> [FoldReport] {
    try Compactor(self).fold(journalDirectories: directories, now: clock?.now()) { directory in
      var decoder = LogJournalDecoder(journalName: FilePath.name(of: directory))
      return { payload, _ in decoder.decode(payload) }
    }
  }

  /// Folds one journal: whole, or for a living owner only the segments that it has finished.
  @discardableResult
  package func fold(
    _ directory: String, onlyClosedSegments: Bool, _ clock: WallClock? = nil
  ) throws(StoreError) -> FoldReport {
    var decoder = LogJournalDecoder(journalName: FilePath.name(of: directory))
    return try Compactor(self).fold(
      journalDirectory: directory, onlyClosedSegments: onlyClosedSegments, now: clock?.now()
    ) { payload, _ in decoder.decode(payload) }
  }
}

extension SegmentStore {
  /// The bytes that are merged at once in the background of a program. It takes time and heat, and there is hardly ever so
  /// much to be merged.
  private static let backgroundMergeLimit: UInt64 = 32 << 20

  /// Merges small segments, and drops those beyond `retention`.
  ///
  /// - Parameter isWanted: whether somebody wants it all done now; else there may be some left for the next time.
  package func tidy(
    _ retention: Retention, _ clock: WallClock, isWanted: Bool = true
  ) throws(StoreError) {
    let compactor = Compactor(self)
    // First what needs no space.
    try compactor.drop(beyond: retention, now: clock.now())
    try compactor.merge(retention, byteLimit: isWanted ? .max : Self.backgroundMergeLimit)
  }
}

extension StoreError {
  /// What `error`, of the journal in `directory`, means for the store.
  init(_ error: JournalError, journal directory: String) {
    switch error {
    case .disk(let error): self = .disk(error)
    case .ownedByAnother(let directory): self = .journalIsLive(directory)
    case .unsupportedVersion(let file, let version):
      self = .unsupportedVersion(file: file, majorVersion: version)
    case .closed, .forked: self = .closed
    case .entryTooLarge: preconditionFailure("a session entry of \(directory) is too large")
    }
  }
}
