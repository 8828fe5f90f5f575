package import JournalKit
internal import Synchronization

/// One change to a store: segments are prepared beside it, and join it all together or not at all.
///
/// The order of the steps, each of which may be the last before the process dies:
/// 1. Each segment is written under a temporary name, synced, opened again, and every record in it decoded and
///    compared, by digest, with what went in.
/// 2. `commit` gives the segments their names and syncs their directory,
/// 3. writes the next manifest under a temporary name, syncs it and reads it back,
/// 4. gives it its name, which nobody else can have taken: the change has happened,
/// 5. and syncs the store's directory. Only now may the sources of the segments be removed.
///
/// Without a commit a transaction leaves nothing behind; after a death the next one clears up.
package final class StoreTransaction {
  /// Records are sealed into a segment when they take more memory than this, about.
  static let byteLimit = 96 << 20
  /// So many journals that are gone a manifest may know, besides as many as there still are.
  private static let rememberedJournalCount = 16
  /// As long as the manifest of a store with over a thousand segments.
  private static let reserveLength: Int64 = 64 << 10

  private let store: SegmentStore
  private let lock: FileNumber
  /// The store as this transaction will leave it.
  var contents: StoreContents
  private let rowLimit: Int
  /// They write segments while the next one is being filled.
  private let helpers: HelperThreads?
  private var builder = SegmentBuilder()
  private var sessions = SessionDescriptions()
  /// The stretch of a journal that the builder's records come from.
  private var source: SegmentSource?
  private var prepared: [PreparedSegment] = []
  /// The segment that is being written.
  private var underWay: (temporary: String, Deferred<Result<PreparedSegment, StoreError>>)?
  private var renamed: [String] = []
  private var unsyncedDirectories: [String] = []
  /// For a segment that was written anew, the one whose place it takes.
  var places: [UniqueID: UniqueID] = [:]
  /// The segments that leave the store.
  private var dropped: Set<UniqueID> = []
  /// What goes once there is a manifest that does without it.
  private var leftovers = StoreContents.Leftovers()
  /// The store as this transaction found it.
  private var initial = Manifest()
  /// Whether a commit has anything to do.
  private(set) var hasChanges = false
  private var isCommitted = false
  /// Why a file that was to be removed is still there; nil when all are gone.
  private(set) var unremoved: DiskError?

  private var layout: StoreLayout { store.layout }
  private var fileSystem: any FileSystem { store.fileSystem }

  /// Begins a change of `store`, whose directory is created when missing. Throws `busy` while another process
  /// is at it.
  package init(
    _ store: SegmentStore, rowLimit: Int = SegmentBuilder.rowLimit, helpers: HelperThreads? = nil
  ) throws(StoreError) {
    self.store = store
    self.rowLimit = rowLimit
    self.helpers = helpers
    let created: [String]
    let lock: FileNumber?
    do throws(DiskError) {
      created = try store.fileSystem.createDirectories(store.layout.segments)
      lock = try store.fileSystem.lock(at: store.layout.lock)
    } catch {
      throw .disk(error)
    }
    guard let lock else { throw .busy }
    self.lock = lock
    unsyncedDirectories = created
    do throws(StoreError) {
      let found = try store.reload()
      if let error = found.unreadableManifest { throw .disk(error) }
      contents = found
    } catch {
      Self.release(lock, store.fileSystem)
      throw error
    }
    // From here on there is an object, which gives up the lock when it goes, also if this throws.
    try clearUp()
  }

  deinit {
    if !isCommitted { rollBack() }
    Self.release(lock, fileSystem)
  }

  /// Closing alone would not do: a program that was forked meanwhile has the file open, too.
  private static func release(_ lock: FileNumber, _ fileSystem: any FileSystem) {
    try? fileSystem.unlock(lock)
    try? fileSystem.close(lock)
  }
}

// MARK: - What joins the store

extension StoreTransaction {
  /// Adds a record. When there are enough for a segment, they are written.
  package func append(_ record: Record) throws(StoreError) {
    let isFull =
      builder.rowCount >= rowLimit
      || builder.rowCount % 1024 == 1023 && builder.byteEstimate >= Self.byteLimit
    if isFull { try seal() }
    builder.append(record)
  }

  /// Adds records. Whenever there are enough for a segment, they are written.
  package func append(_ records: borrowing RecordBatch) throws(StoreError) {
    var first = 0
    while first < records.count {
      // How much memory they take is asked as often as for single records.
      if builder.rowCount >= rowLimit
        || builder.rowCount % 1024 == 1023 && builder.byteEstimate >= Self.byteLimit
      {
        try seal()
      }
      let next = (builder.rowCount + 1) / 1024 * 1024 + 1023
      let room = min(rowLimit, next) - builder.rowCount
      let last = min(first + room, records.count)
      builder.append(records, rows: first..<last)
      first = last
    }
  }

  /// Describes a run of the program, in all segments from here on.
  package func add(_ session: SessionInfo) {
    sessions.add(session)
  }

  /// Notes that the store will have what the entries of `journal` up to `sequence` hold: the records so far.
  func advance(_ journal: UInt128, to sequence: UInt64) {
    if source?.journal != journal {
      settle()
      let first = (contents.compactedUpTo[journal] ?? 0) + 1
      source = SegmentSource(journal: journal, firstSequence: first, lastSequence: sequence)
    }
    source?.lastSequence = sequence
    hasChanges = true
  }

  /// Brings the manifest up to what `advance` was told.
  private func settle() {
    guard let source else { return }
    contents.manifest.compactedUpTo[source.journal] = source.lastSequence
  }

  /// Notes what is missing, unless it was noted before.
  func add(_ gaps: [Gap]) {
    if contents.add(gaps) { hasChanges = true }
  }

  /// Makes a commit write a manifest even when nothing else is new.
  func requireCommit() {
    hasChanges = true
  }

  /// The segments that will join the store.
  var segmentCount: Int {
    prepared.count + (underWay == nil ? 0 : 1) + (builder.rowCount > 0 ? 1 : 0)
  }

  /// Why there are files of segments of which nobody knows whether they count; nil when there are none.
  var obstacle: StoreError? {
    leftovers.unsettled
      ?? (leftovers.evidence.isEmpty && leftovers.uncommitted.isEmpty ? nil : .busy)
  }

  /// Whether all records so far are in segments.
  var isSealed: Bool { builder.rowCount == 0 }

  private func seal() throws(StoreError) {
    guard !isSealed else { return }
    var full = builder
    builder = SegmentBuilder()
    for session in sessions.all { full.add(session) }
    if var source {
      full.add(source)
      source.firstSequence = source.lastSequence + 1
      self.source = source
    }
    try write(full)
  }

  /// Makes a segment that will join the store. One that helpers write is waited for when there is another one.
  func write(_ full: consuming SegmentBuilder) throws(StoreError) {
    try finishWriting()
    full.generation = generation(isImport: full.sources.isEmpty)
    let temporary = layout.segment(full.id) + StoreLayout.temporarySuffix
    hasChanges = true
    let fileSystem = fileSystem
    guard let helpers else {
      prepared.append(try Self.write(full, to: temporary, fileSystem))
      return
    }
    let handover = Handover(full)
    let segment = helpers.defer(urgently: true) {
      Result { () throws(StoreError) in
        try Self.write(handover.take(), to: temporary, fileSystem)
      }
    }
    underWay = (temporary, segment)
  }

  /// Whether there is no manifest, readable or not.
  private var isFirst: Bool { contents.checksum == 0 && contents.highestGeneration == 0 }

  /// The generation that will list a segment; the one before an import into a store without any, `commit` makes.
  private func generation(isImport: Bool) -> UInt64 {
    min(contents.highestGeneration + (isFirst && isImport ? 2 : 1), UInt64(Int64.max))
  }

  /// Waits for the segment that is being written.
  private func finishWriting() throws(StoreError) {
    guard let (_, segment) = underWay else { return }
    underWay = nil
    prepared.append(try segment.result().get())
  }

  /// Writes a segment, and makes sure that it has what went into it; without, there is no file.
  private static func write(
    _ full: consuming SegmentBuilder, to temporary: String, _ fileSystem: any FileSystem
  ) throws(StoreError) -> PreparedSegment {
    let (rowCount, digest) = (full.rowCount, full.digest)
    do {
      var bytes = try full.finish()
      if rowCount <= SegmentFormat.granuleRowCount { bytes = Segment.packed(bytes) ?? bytes }
      try fileSystem.writeNew(temporary, bytes.rawSpan, sync: true)
      return try check(temporary, fileSystem, rowCount: rowCount, digest: digest)
    } catch {
      try? fileSystem.unlink(temporary)
      throw StoreError(error)
    }
  }

  /// Opens a file that was just written, and decodes every field in it. It does not stay open: what was read of it
  /// would take memory until the commit.
  private static func check(
    _ path: String, _ fileSystem: any FileSystem, rowCount: Int, digest: UInt64
  ) throws -> PreparedSegment {
    let segment = try Segment(
      storage: SharedBytes(mapping: path, fileSystem: fileSystem), name: path)
    guard segment.rowCount == rowCount, segment.digest == digest,
      try segment.computeDigest() == digest
    else {
      throw SegmentError(
        segment: path, offset: 0, reason: "the file does not hold the records written to it")
    }
    return PreparedSegment(
      temporary: path, entry: Manifest.Entry(segment), hasSources: !segment.sources.isEmpty)
  }

  /// Takes the segments `ids` out of the store.
  func drop(_ ids: Set<UniqueID>) {
    dropped.formUnion(ids)
    hasChanges = true
  }
}

// MARK: - Commit

extension StoreTransaction {
  /// Makes the change. Once this has returned, the sources of the segments can be removed.
  ///
  /// When this throws after the manifest got its name (`disk`, of syncing the directory), the change has
  /// happened but may not survive a loss of power: sources must stay.
  package func commit() throws(StoreError) {
    precondition(!isCommitted, "a transaction is committed once")
    try seal()
    try finishWriting()
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

  private func rollBack() {
    // Its file has to be there or not to be there, once and for all.
    if let (temporary, segment) = underWay, case .success = segment.result() {
      try? fileSystem.unlink(temporary)
    }
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

// MARK: - After a death

extension StoreTransaction {
  /// Removes the temporary files of transactions that died, and adopts segments that would be lost otherwise.
  ///
  /// Other unlisted ones and damaged manifests stay until there is a manifest that knows what was lost with
  /// them: as long as they are there, every opening finds out again.
  private func clearUp() throws(StoreError) {
    for directory in [layout.directory, layout.segments] {
      for name in try StoreContents.names(in: directory, fileSystem) where isTemporary(name) {
        try? fileSystem.unlink(FilePath.join(directory, name))
      }
    }
    // What had to be pieced together is written down, so that it is the store from now on.
    if contents.isRecovered {
      hasChanges =
        contents.highestGeneration > 0 || !contents.manifest.segments.isEmpty
        || !contents.manifest.gaps.isEmpty
    }
    leftovers = try contents.adopt(
      layout, fileSystem, all: contents.isRecovered && contents.checksum == 0)
    // What a commit does not know would be lost with it.
    if contents.isRecovered, let error = leftovers.unsettled { throw error }
    if contents.isAmended { hasChanges = true }
    leftovers.evidence += contents.damagedManifests
    // Those that are not there any more need not be remembered.
    contents.manifest.removed = leftovers.redundant
      .compactMap { StoreLayout.segmentID(ofFile: FilePath.name(of: $0)) }
    initial = contents.manifest
  }

  private func isTemporary(_ name: String) -> Bool {
    guard name.hasSuffix(StoreLayout.temporarySuffix) else { return false }
    let final = String(name.dropLast(StoreLayout.temporarySuffix.count))
    return StoreLayout.segmentID(ofFile: final) != nil || layout.generation(ofFile: final) != nil
  }
}

extension StoreError {
  /// Wraps what reading or writing a segment throws.
  package init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as DiskError: self = .disk(error)
    case let error as SegmentError: self = .segment(error)
    default: preconditionFailure("unexpected error \(error)")
    }
  }
}

/// A segment that has been written under a temporary name, and verified.
private struct PreparedSegment: Sendable {
  let temporary: String
  let entry: Manifest.Entry
  /// Whether it says where its records came from; those of an import do not.
  let hasSources: Bool
}

/// Passes a builder on to the one who takes it, and keeps nothing: what holds a closure would hold its memory.
private final class Handover: Sendable {
  private let builder: Mutex<SegmentBuilder?>

  init(_ builder: consuming SegmentBuilder) {
    self.builder = Mutex(builder)
  }

  func take() -> SegmentBuilder {
    guard let builder = builder.withLock({ $0.take() })
    else { preconditionFailure("a builder is taken once") }
    return builder
  }
}
