package import JournalKit
internal import Synchronization

/// One change to a store: segments are prepared beside it, and join it all together or not at all.
///
/// The order of the steps, each of which may be the last before the process dies:
/// 1. Each segment is written under a temporary name, synced, opened again, and every record in it decoded and
///    compared, by digest, with what went in. With helpers, others are filled and compared while the disk syncs it.
/// 2. `commit` waits until all are synced, gives the segments their names and syncs their directory,
/// 3. writes the next manifest under a temporary name, syncs it and reads it back,
/// 4. gives it its name, which nobody else can have taken: the change has happened,
/// 5. and syncs the store's directory. Only now may the sources of the segments be removed.
///
/// Without a commit a transaction leaves nothing behind; after a death the next one clears up.
package final class StoreTransaction {
  /// Records are sealed into a segment when they take more memory than this, about.
  package static let byteLimit = 96 << 20
  /// After how much more the memory that they take is looked at again, which takes a while.
  private static let weighingPace = (rows: 1_024, bytes: 1 << 20)

  let store: SegmentStore
  private let lock: FileNumber
  /// The store as this transaction will leave it.
  var contents: StoreContents
  private let rowLimit: Int
  private let byteLimit: Int
  /// They write segments while the next one is being filled.
  private let helpers: HelperThreads?
  /// Syncs what helpers have written, so that none of them waits for the disk instead of working.
  private let disk: HelperThreads?
  private var builder = SegmentBuilder()
  /// What has been added since the builder's memory was looked at.
  private var unweighed = (rows: 0, bytes: 0)
  /// The runs of the program that are described, in all segments from there on.
  package private(set) var sessions = SessionDescriptions()
  /// The stretch of a journal that the builder's records come from.
  var source: SegmentSource?
  var prepared: [PreparedSegment] = []
  /// The segment that is being written.
  var underWay: (temporary: String, Deferred<Result<PreparedSegment, StoreError>>)?
  var renamed: [String] = []
  var unsyncedDirectories: [String] = []
  /// For a segment that was written anew, the one whose place it takes.
  var places: [UniqueID: UniqueID] = [:]
  /// The segments that leave the store.
  var dropped: Set<UniqueID> = []
  /// What goes once there is a manifest that does without it.
  var leftovers = StoreContents.Leftovers()
  /// The store as this transaction found it.
  var initial = Manifest()
  /// Whether a commit has anything to do.
  var hasChanges = false
  var isCommitted = false
  /// Why a file that was to be removed is still there; nil when all are gone.
  var unremoved: DiskError?

  var layout: StoreLayout { store.layout }
  var fileSystem: any FileSystem { store.fileSystem }

  /// Begins a change of `store`, whose directory is created when missing. Throws `busy` while another process
  /// is at it.
  package init(
    _ store: SegmentStore, rowLimit: Int = SegmentBuilder.rowLimit,
    byteLimit: Int = StoreTransaction.byteLimit, helpers: HelperThreads? = nil
  ) throws(StoreError) {
    self.store = store
    self.rowLimit = rowLimit
    self.byteLimit = byteLimit
    self.helpers = helpers
    disk = helpers.map { _ in HelperThreads(count: 1) }
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
    try sealIfFull()
    builder.append(record)
    unweighed.rows += 1
    unweighed.bytes += record.textByteCount
  }

  /// Adds records. Whenever there are enough for a segment, they are written.
  package func append(_ records: borrowing RecordBatch) throws(StoreError) {
    var first = 0
    while first < records.count {
      try sealIfFull()
      let room = min(rowLimit - builder.rowCount, Self.weighingPace.rows - unweighed.rows)
      let rows = records.rows(
        from: first, count: room, byteCount: Self.weighingPace.bytes - unweighed.bytes)
      builder.append(records, rows: rows)
      unweighed.rows += rows.count
      unweighed.bytes += records.byteCount(ofRows: rows)
      first = rows.upperBound
    }
  }

  private func sealIfFull() throws(StoreError) {
    if builder.rowCount >= rowLimit { return try seal() }
    guard unweighed.rows >= Self.weighingPace.rows || unweighed.bytes >= Self.weighingPace.bytes
    else { return }
    unweighed = (0, 0)
    if builder.byteEstimate >= byteLimit { try seal() }
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
  func settle() {
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

  func seal() throws(StoreError) {
    guard !isSealed else { return }
    var full = builder
    builder = SegmentBuilder()
    unweighed = (0, 0)
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
      prepared.append(try Self.write(full, to: temporary, fileSystem, disk: nil))
      return
    }
    let handover = Handover(full)
    let segment = helpers.defer(urgently: true) { [disk] in
      Result { () throws(StoreError) in
        try Self.write(handover.take(), to: temporary, fileSystem, disk: disk)
      }
    }
    underWay = (temporary, segment)
  }

  /// Whether there is no manifest, readable or not.
  var isFirst: Bool { contents.checksum == 0 && contents.highestGeneration == 0 }

  /// The generation that will list a segment; the one before an import into a store without any, `commit` makes.
  private func generation(isImport: Bool) -> UInt64 {
    min(contents.highestGeneration + (isFirst && isImport ? 2 : 1), UInt64(Int64.max))
  }

  /// Waits for the segment that is being written; it may still be on its way to stable storage then.
  func finishWriting() throws(StoreError) {
    guard let (_, segment) = underWay else { return }
    underWay = nil
    prepared.append(try segment.result().get())
  }

  /// Writes a segment, and makes sure that it has what went into it; without, there is no file.
  private static func write(
    _ full: consuming SegmentBuilder, to temporary: String, _ fileSystem: any FileSystem,
    disk: HelperThreads?
  ) throws(StoreError) -> PreparedSegment {
    let (rowCount, digest) = (full.rowCount, full.digest)
    var syncing: Deferred<Result<Void, DiskError>>?
    do {
      var bytes = try full.finish()
      if Segment.isSmall(rowCount: rowCount, byteCount: bytes.count) {
        bytes = Segment.packed(bytes) ?? bytes
      }
      if let disk {
        let file = try fileSystem.writeNew(temporary, bytes.rawSpan)
        syncing = disk.defer {
          Result { () throws(DiskError) in try fileSystem.syncAndClose(file) }
        }
      } else {
        try fileSystem.writeNew(temporary, bytes.rawSpan, sync: true)
      }
      let segment = try check(temporary, fileSystem, rowCount: rowCount, digest: digest)
      return PreparedSegment(
        temporary: temporary, entry: Manifest.Entry(segment),
        hasSources: !segment.sources.isEmpty, syncing: syncing)
    } catch {
      _ = syncing?.result()
      try? fileSystem.unlink(temporary)
      throw StoreError(error)
    }
  }

  /// Opens a file that was just written, and decodes every field in it. It must not stay open: what was read of it
  /// would take memory until the commit.
  private static func check(
    _ path: String, _ fileSystem: any FileSystem, rowCount: Int, digest: UInt64
  ) throws -> Segment {
    let segment = try Segment(mapping: path, fileSystem: fileSystem)
    guard segment.rowCount == rowCount, segment.digest == digest,
      try segment.computeDigest() == digest
    else {
      throw SegmentError(
        segment: path, offset: 0, reason: "the file does not hold the records written to it")
    }
    return segment
  }

  /// Takes the segments `ids` out of the store.
  func drop(_ ids: Set<UniqueID>) {
    dropped.formUnion(ids)
    hasChanges = true
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
struct PreparedSegment: Sendable {
  let temporary: String
  let entry: Manifest.Entry
  /// Whether it says where its records came from; those of an import do not.
  let hasSources: Bool
  /// Brings it to stable storage, and closes its file; nil when that has been done.
  let syncing: Deferred<Result<Void, DiskError>>?
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

extension Record {
  /// About how much memory its texts take, in bytes.
  fileprivate var textByteCount: Int {
    tags.reduce(message.utf8.count + payload.count + attachments.count) { sum, tag in
      switch tag.value {
      case .string(let text), .json(let text): sum + text.utf8.count
      case .int, .double, .bool: sum
      }
    }
  }
}
