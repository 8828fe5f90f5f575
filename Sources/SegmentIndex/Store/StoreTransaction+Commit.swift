internal import JournalKit

extension StoreTransaction {
  /// So many journals that are gone a manifest may know, besides as many as there still are.
  private static let rememberedJournalCount = 16
  /// As long as the manifest of a store with over a thousand segments.
  private static let reserveLength: Int64 = 64 << 10

  /// Makes the change. Once this has returned, the sources of the segments can be removed.
  ///
  /// When this throws after the manifest got its name (`disk`, of syncing the directory), the change has
  /// happened but may not survive a loss of power: sources must stay.
  package func commit() throws(StoreError) {
    precondition(!isCommitted, "a transaction is committed once")
    try seal()
    try finishWriting()
    try finishSyncing()
    settle()
    guard hasChanges else { return clearLeftovers() }
    // Without any manifest every segment counts that an import made. From here on those do not that this one
    // has named when it dies.
    if isFirst,
      prepared.contains(where: { !$0.hasSources })
    {
      try write(initial)
      try sync(layout.directory)
    }
    // What was meant for this generation and is not in it must not look as if it were.
    moveAway(leftovers.uncommitted)
    leftovers.uncommitted = []
    do throws(DiskError) {
      for segment in prepared {
        let path = layout.segment(segment.entry.id)
        try fileSystem.rename(segment.temporary, to: path, replacing: false)
        renamed.append(path)
      }
    } catch {
      throw .disk(error)
    }
    // Also without new ones: nobody knows whether those that were found here were synced.
    try sync(layout.segments)
    for directory in unsyncedDirectories where directory != layout.directory {
      try sync(directory)
    }
    do throws(DiskError) {
      try fileSystem.syncAncestors(of: layout.directory)
    } catch {
      throw .disk(error)
    }
    for segment in prepared { list(segment.entry) }
    contents.manifest.segments.removeAll { dropped.contains($0.id) }
    contents.manifest.removed += dropped.sorted()
    try forgetJournals()
    try write(contents.manifest)
    isCommitted = true
    try sync(layout.directory)
    contents = try store.reload()
    leftovers.redundant += dropped.map(layout.segment)
    clearLeftovers()
    removeOldManifests()
  }

  /// Waits until all segments are on stable storage.
  private func finishSyncing() throws(StoreError) {
    do throws(DiskError) {
      for segment in prepared { try segment.syncing?.result().get() }
    } catch {
      throw .disk(error)
    }
  }

  private func list(_ entry: Manifest.Entry) {
    let place = contents.manifest.segments.firstIndex { $0.id == places[entry.id] }
    contents.manifest.segments.insert(entry, at: place ?? contents.manifest.segments.endIndex)
  }

  /// Lets the manifest forget journals that are gone for good: there may be a new one with every launch.
  ///
  /// Only once nothing is left that it would have to know them for: their files, which a loss of power could bring
  /// back until the directory is synced, and segments of theirs that are not listed. And only when most of those that are
  /// known are gone: where there are thousands to be folded, looking at each of them after each would take minutes.
  private func forgetJournals() throws(StoreError) {
    guard leftovers.evidence.isEmpty, leftovers.unsettled == nil,
      contents.manifest.compactedUpTo.count > Self.rememberedJournalCount
    else { return }
    let count = try StoreContents.names(in: layout.journals, fileSystem).count
    guard contents.manifest.compactedUpTo.count > 2 * count + Self.rememberedJournalCount
    else { return }
    let journals = try StoreContents.Journals(layout, fileSystem)
    // One that cannot be told may be any.
    guard journals.obstacle == nil else { return }
    let gone = contents.manifest.compactedUpTo.keys
      .filter { journals.beginnings[$0] == nil && $0 != source?.journal }
    guard !gone.isEmpty else { return }
    do throws(DiskError) {
      let exists = try fileSystem.status(at: layout.journals) != nil
      try fileSystem.syncDirectory(exists ? layout.journals : layout.directory)
    } catch {
      throw .disk(error)
    }
    for journal in gone { contents.manifest.compactedUpTo[journal] = nil }
  }

  private func sync(_ directory: String) throws(StoreError) {
    do throws(DiskError) {
      try fileSystem.syncDirectory(directory)
    } catch {
      throw .disk(error)
    }
  }

  /// Makes `manifest` the next generation.
  private func write(_ manifest: Manifest) throws(StoreError) {
    var manifest = manifest
    manifest.generation = contents.highestGeneration + 1
    manifest.previousChecksum = contents.checksum
    // A file that only claims to be the last generation: what came behind it, nobody would find.
    guard manifest.generation <= Int64.max else {
      throw .conflict(generation: manifest.generation)
    }
    let path = layout.manifest(manifest.generation)
    let temporary = path + StoreLayout.temporarySuffix
    let bytes = manifest.encoded()
    guard bytes.count <= Manifest.maximumLength else {
      throw .disk(DiskError(call: .write, path: path, code: DiskError.fileTooLarge))
    }
    do throws(DiskError) {
      do throws(DiskError) {
        try fileSystem.writeNew(temporary, bytes.rawSpan, sync: true)
      } catch {
        // A full disk must not keep segments that are to go.
        guard error.isFull, !dropped.isEmpty, (try? fileSystem.unlink(layout.reserve)) != nil
        else { throw error }
        try fileSystem.writeNew(temporary, bytes.rawSpan, sync: true)
      }
      guard try fileSystem.contents(of: temporary, limit: bytes.count) == bytes else {
        try? fileSystem.unlink(temporary)
        throw DiskError(call: .read, path: temporary, code: DiskError.inputOutput)
      }
      try fileSystem.rename(temporary, to: path, replacing: false)
    } catch {
      try? fileSystem.unlink(temporary)
      if error.isAlreadyThere { throw .conflict(generation: manifest.generation) }
      throw .disk(error)
    }
    contents.highestGeneration = manifest.generation
    contents.checksum = Manifest.checksum(of: bytes)
  }

  /// Keeps as evidence what the store does without, and removes what is in it in another form.
  private func clearLeftovers() {
    moveAway(leftovers.evidence + leftovers.uncommitted)
    for path in leftovers.redundant {
      do throws(DiskError) {
        try fileSystem.unlink(path)
      } catch {
        // The manifest says of it that it is removed, so it is tried again.
        if !error.isMissing { unremoved = error }
      }
    }
    leftovers = StoreContents.Leftovers()
    store.trimQuarantine()
    keepReserve()
  }

  /// Moves files into the quarantine. Those that stay are looked at by the next transaction again.
  private func moveAway(_ paths: [String]) {
    for path in paths {
      do throws(StoreError) {
        _ = try store.quarantine(path)
      } catch {
        contents.problems.append(StoreProblem(path, error))
      }
    }
  }

  /// Keeps some space that a full disk can be relieved with.
  private func keepReserve() {
    do throws(DiskError) {
      let length = try fileSystem.status(at: layout.reserve)?.length ?? 0
      guard length < Self.reserveLength else { return }
      let file = try fileSystem.open(layout.reserve, .createIfMissing)
      defer { try? fileSystem.close(file) }
      try fileSystem.allocate(file, length: Self.reserveLength)
    } catch {
      // There is none then; a file that is too short is tried again after the next commit.
    }
  }

  /// Keeps the newest generation and the one before.
  private func removeOldManifests() {
    let names = (try? StoreContents.names(in: layout.directory, fileSystem)) ?? []
    let generations = names.compactMap(layout.generation(ofFile:)).sorted()
    for generation in generations.dropLast(2) {
      // One that stays costs nothing but its few bytes, and is tried again after the next commit.
      try? fileSystem.unlink(layout.manifest(generation))
    }
  }

  func rollBack() {
    // Its file has to be there or not to be there, once and for all.
    if let (_, segment) = underWay, case .success(let segment) = segment.result() {
      prepared.append(segment)
    }
    // Whoever syncs a file closes it, too.
    for segment in prepared { _ = segment.syncing?.result() }
    for segment in prepared.dropFirst(renamed.count) { try? fileSystem.unlink(segment.temporary) }
    guard !renamed.isEmpty else { return }
    // Not even a call that failed may have happened after all: only segments that no manifest can list go.
    // Those that stay are looked at by the next transaction.
    do throws(DiskError) {
      let path = layout.manifest(contents.highestGeneration + 1)
      guard try fileSystem.status(at: path) == nil else { return }
      for path in renamed { try fileSystem.unlink(path) }
    } catch { return }
  }
}
