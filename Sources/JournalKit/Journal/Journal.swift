import Synchronization

/// An append-only journal of opaque entries in a directory of its own.
///
/// An entry survives the death of the process from the moment that `append` returns. The journal keeps to a
/// byte budget by dropping its oldest segment whole, so it is safe to write to it for ever. One `Journal` at a
/// time owns the directory; anyone may read it with `JournalRecovery`.
///
/// All methods may be called from any thread.
public final class Journal: Sendable {
  /// Identifies the journal: the same for all segments of the directory.
  public let id: UInt128
  private let entryLimit: Int
  private let emptyChecksum = CRC32C()
  private let fileSystem: any FileSystem
  private let writer: BargingMutex<JournalWriter>
  private let upkeep: any BackgroundWorker
  /// The process that may write.
  private let generation: UInt32
  /// Held by the one thread that flushes. Always taken before `writer`, never inside.
  private let flushTurn = Mutex(())

  /// Opens the journal in `directory`, which is created when missing. A journal that is there already is
  /// continued in a new segment; nothing of it is changed.
  ///
  /// Throws `ownedByAnother` while another `Journal` has the directory open, `unsupportedVersion` when a newer
  /// program wrote it, and `disk`.
  public convenience init(
    directory: String, configuration: Configuration = Configuration()
  ) throws(JournalError) {
    try self.init(
      directory: directory, configuration: configuration, environment: JournalEnvironment())
  }

  package init(
    directory: String, configuration: Configuration = Configuration(),
    environment: JournalEnvironment
  ) throws(JournalError) {
    ForkGeneration.watch()
    generation = ForkGeneration.current
    let writer = try JournalWriter(
      directory: directory, configuration: configuration, environment: environment)
    id = writer.journalID
    entryLimit = configuration.entryLimit
    let fileSystem = environment.fileSystem
    self.fileSystem = fileSystem
    let shared = BargingMutex(writer)
    self.writer = shared
    upkeep = environment.worker { JournalUpkeep.round(shared, fileSystem) }
  }

  deinit { close() }

  /// Adds an entry and returns its sequence, counted from 1 over the life of the directory.
  ///
  /// When this throws, the entry is not acknowledged: recovery may still find it, whole or not at all. One
  /// failed call never costs a later entry. Throws `closed`, `forked`, `entryTooLarge`, `ownedByAnother` (after
  /// somebody deleted the directory and another journal took the place) and `disk`.
  ///
  /// Takes time in proportion to the entry's length, and allocates nothing.
  @discardableResult
  public func append(
    _ payload: RawSpan, sync: Sync = .processDeath
  ) throws(JournalError) -> UInt64 {
    try require(payload.byteCount)
    // The largest part of the work, and it needs no lock.
    var checksum = emptyChecksum
    checksum.update(payload)
    let appended = try writer.withLock { writer throws(JournalError) in
      try writer.append(payload, checksum, sync)
    }
    return try finish(appended)
  }

  /// Adds an entry that `body` puts together where it will stay, at most `capacity` bytes, and returns its sequence;
  /// nil when `body` returns false: then nothing was added.
  ///
  /// This saves a copy, but `body` runs while the journal is locked: it should be short, and must neither use the
  /// journal nor fork the process, nor replace the output. All of `capacity` is looked at, so a close guess is
  /// cheaper; and a segment that has no room for so much ends, even if less is used.
  ///
  /// Throws as `append(_:sync:)` does, `entryTooLarge` for a `capacity` above the limit.
  @discardableResult
  public func append(
    capacity: Int, sync: Sync = .processDeath, _ body: (inout OutputRawSpan) -> Bool
  ) throws(JournalError) -> UInt64? {
    precondition(capacity >= 0)
    try require(capacity)
    let generation = generation
    let appended = try writer.withLock { writer throws(JournalError) in
      try writer.append(capacity: capacity, sync) { output in
        let isWanted = body(&output)
        // `body` returns twice then, and there is but one place.
        precondition(
          generation == ForkGeneration.current, "the process was forked in the middle of an entry")
        return isWanted
      }
    }
    return try appended.map { appended throws(JournalError) in try finish(appended) }
  }

  /// Adds an entry; see `append(_:sync:)` of a span.
  @discardableResult
  public func append(
    _ payload: [UInt8], sync: Sync = .processDeath
  ) throws(JournalError) -> UInt64 {
    try append(payload.rawSpan, sync: sync)
  }

  @inline(__always)
  private func require(_ length: Int) throws(JournalError) {
    guard length <= entryLimit else { throw .entryTooLarge(length: length, limit: entryLimit) }
    try requireOwner()
  }

  /// In a child, what the lock guards is a copy, and the thread that holds it may not exist.
  @inline(__always)
  private func requireOwner() throws(JournalError) {
    guard generation == ForkGeneration.current else { throw .forked }
  }

  /// Whether this process was forked off the one that opened the journal, and may not write.
  package var isForked: Bool { generation != ForkGeneration.current }

  @inline(__always)
  private func finish(_ appended: JournalWriter.Appended) throws(JournalError) -> UInt64 {
    if appended.needsUpkeep { upkeep.wake() }
    if let flush = appended.flush { try wait(for: flush) }
    return appended.sequence
  }

  /// Waits until `flush` has happened, or makes it happen.
  private func wait(for flush: JournalFlush) throws(JournalError) {
    // Who comes while a flush is under way waits here. The first one in makes the next flush for all of them.
    let outcome = flushTurn.withLock { _ -> JournalFlush.Outcome in
      if case .pending = flush.outcome { makeFlush() }
      return flush.outcome
    }
    if case .failed(let error) = outcome { throw .disk(error) }
  }

  private func makeFlush() {
    let work = writer.withLock { $0.beginFlush() }
    do throws(DiskError) {
      try work.run(fileSystem)
      writer.withLock { $0.endFlush(work, nil) }
      work.flush.outcome = .done
    } catch {
      writer.withLock { $0.endFlush(work, error) }
      work.flush.outcome = .failed(error)
    }
  }

  /// Seals the last segment and gives the directory up. Later appends throw `closed`; closing again does
  /// nothing. The end of the journal's life closes it, too. In a forked child this changes nothing that the
  /// parent could see.
  public func close() {
    guard generation == ForkGeneration.current else {
      writer.withLockIfAvailable { $0.leaveToParent() }
      return
    }
    writer.withLock { $0.close() }
    upkeep.stop()
  }

  /// How many segments made way for newer ones since this journal was opened.
  public var droppedSegmentCount: Int {
    writer.withLock { $0.droppedSegmentCount }
  }

  /// Why the space for the next segment could not be made ready while the current one still had room; nil when it
  /// could, or was not tried yet. A full disk shows here before it costs an entry.
  public var nextSegmentError: DiskError? {
    writer.withLock { $0.spare }?.error
  }

  /// Seals the current segment, so that it can be folded into a store, and begins the next one. Does
  /// nothing when the current one has no entry.
  package func rotate() throws(JournalError) {
    try requireOwner()
    try writer.withLock { writer throws(JournalError) in try writer.rotate() }
    upkeep.wake()
  }

  /// The segments that will not change any more, oldest first, as far as this journal knows: another part of
  /// the program may have removed some.
  package func closedSegments() -> [JournalSegmentInfo] {
    writer.withLock { $0.closed }
  }
}
