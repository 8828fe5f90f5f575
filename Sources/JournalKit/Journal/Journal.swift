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
  private let fileSystem: any FileSystem
  private let writer: BargingMutex<JournalWriter>
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
    let writer = try JournalWriter(
      directory: directory, configuration: configuration, environment: environment)
    id = writer.journalID
    entryLimit = configuration.entryLimit
    fileSystem = environment.fileSystem
    self.writer = BargingMutex(writer)
  }

  deinit { close() }

  /// Adds an entry and returns its sequence, counted from 1 over the life of the directory.
  ///
  /// When this throws, the entry is not acknowledged: recovery may still find it, whole or not at all. One
  /// failed call never costs a later entry. Throws `closed`, `entryTooLarge`, `ownedByAnother` (after somebody
  /// deleted the directory and another journal took the place) and `disk`.
  @discardableResult
  public func append(
    _ payload: RawSpan, sync: Sync = .processDeath
  ) throws(JournalError) -> UInt64 {
    guard payload.byteCount <= entryLimit else {
      throw .entryTooLarge(length: payload.byteCount, limit: entryLimit)
    }
    // The largest part of the work, and it needs no lock.
    var checksum = CRC32C()
    checksum.update(payload)
    let (sequence, flush) = try writer.withLock { writer throws(JournalError) in
      try writer.append(payload, checksum, sync)
    }
    if let flush { try wait(for: flush) }
    return sequence
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

  /// Adds an entry; see `append(_:sync:)` of a span.
  @discardableResult
  public func append(
    _ payload: [UInt8], sync: Sync = .processDeath
  ) throws(JournalError) -> UInt64 {
    try append(payload.rawSpan, sync: sync)
  }

  /// Seals the last segment and gives the directory up. Later appends throw `closed`; closing again does
  /// nothing. The end of the journal's life closes it, too.
  public func close() {
    writer.withLock { $0.close() }
  }

  /// How many segments made way for newer ones since this journal was opened.
  public var droppedSegmentCount: Int {
    writer.withLock { $0.droppedSegmentCount }
  }

  /// Seals the current segment, so that it can be folded into a store, and begins the next one. Does
  /// nothing when the current one has no entry.
  package func rotate() throws(JournalError) {
    try writer.withLock { writer throws(JournalError) in try writer.rotate() }
  }

  /// The segments that will not change any more, oldest first, as far as this journal knows: another part of
  /// the program may have removed some.
  package func closedSegments() -> [JournalSegmentInfo] {
    writer.withLock { $0.closed }
  }
}
