/// A journal's state behind its lock: the segment that grows, the ones before it, and the budget.
///
/// What holds between any two calls:
/// - Sequences are given in the order of the file, without holes: an entry that was not written whole does
///   not use one up.
/// - No file is written after its writer moved on, and none is written by two journals.
/// - Every file that counts against the budget is in `closed` or is `segment`.
struct JournalWriter: ~Copyable {
  let directory: String
  let journalID: UInt128
  let configuration: Journal.Configuration
  let environment: JournalEnvironment
  private var claim: JournalClaim
  /// Nil before the first append, and after a segment could not be begun.
  var segment: JournalSegmentWriter?
  var closed: [JournalSegmentInfo]
  private(set) var droppedSegmentCount = 0
  private(set) var isClosed = false
  /// Makes mapped segments; nil when they are written.
  private(set) var spare: JournalSpare?
  private var nextNumber: UInt64
  /// The last sequence before those of `segment`.
  private var lastClosedSequence: UInt64
  /// Whether the next segment begins behind entries that may have been lost unseen.
  private var continuesUnsealed: Bool
  /// Directories with new entries that a loss of power may take.
  var unsyncedDirectories: [String]
  /// Whether the directories above the journal's have been synced by this process.
  var isHomeSynced = false
  /// What `.full` appends wait for; see `JournalWriter+Flush`.
  var flushing = FlushState()
  /// See `JournalUpkeep`.
  var upkeep = UpkeepState()

  /// Opens the journal in `directory`, creating what is missing, behind what it holds already.
  init(
    directory: String, configuration: Journal.Configuration, environment: JournalEnvironment
  ) throws(JournalError) {
    let (claim, changed) = try Self.settle(directory, environment.fileSystem)
    let survey = try JournalSurvey.take(of: directory, environment.fileSystem)
    self.directory = directory
    self.configuration = configuration
    self.environment = environment
    self.claim = claim
    unsyncedDirectories = changed
    let random = environment.random
    journalID = survey.journalID ?? UInt128(random()) << 64 | UInt128(random())
    closed = survey.segments
    nextNumber = survey.lastNumber + 1
    lastClosedSequence = survey.lastSequence
    continuesUnsealed = survey.endsUnsealed
    spare = Self.spare(directory, configuration, environment.fileSystem)
  }

  /// What prepares mapped segments in `directory`, which has been claimed; nil when they are written there.
  private static func spare(
    _ directory: String, _ configuration: Journal.Configuration, _ fileSystem: any FileSystem
  ) -> JournalSpare? {
    // One that a dead process left.
    let path = FilePath.join(directory, JournalFormat.spareName)
    if (try? fileSystem.status(at: path)) != nil { try? fileSystem.unlink(path) }
    guard let length = configuration.mappedLength,
      configuration.backend == .mapped
        || (try? fileSystem.keepsAllocations(in: directory)) == true
    else { return nil }
    return JournalSpare(directory: directory, length: length, fileSystem: fileSystem)
  }

  /// Creates and claims `directory`; also returns the directories that this changed.
  private static func settle(
    _ directory: String, _ fileSystem: any FileSystem
  ) throws(JournalError) -> (JournalClaim, [String]) {
    var changed: [String] = []
    // Whoever clears abandoned journals away may take an empty directory for one, for a moment.
    for attempt in 1...64 {
      do throws(DiskError) {
        changed += try fileSystem.createDirectories(directory)
        if let claim = try JournalClaim.claim(directory: directory, fileSystem: fileSystem) {
          return (claim, changed)
        }
      } catch {
        guard error.isMissing, attempt < 64 else { throw .disk(error) }
      }
    }
    throw .ownedByAnother(directory: directory)
  }

  /// The sequence of the last entry; 0 before the first.
  var lastSequence: UInt64 {
    mutating get { segment?.lastSequence ?? lastClosedSequence }
  }

  /// An entry that was added, and what its caller does about it when the lock is free again.
  struct Appended {
    let sequence: UInt64
    /// With `.full`: what to wait for.
    let flush: JournalFlush?
    /// Whether to wake upkeep.
    let needsUpkeep: Bool
  }

  /// Adds an entry. `checksum` has taken in exactly `payload`.
  mutating func append(
    _ payload: RawSpan, _ checksum: CRC32C, _ sync: Sync
  ) throws(JournalError) -> Appended {
    try prepareSegment(for: payload.byteCount)
    do throws(DiskError) {
      try segment?.append(payload, checksum)
    } catch {
      throw .disk(error)
    }
    return appended(sync)
  }

  /// Adds an entry that `body` puts into its place, at most `capacity` bytes; nil when `body` returned false.
  mutating func append(
    capacity: Int, _ sync: Sync, _ body: (inout OutputRawSpan) -> Bool
  ) throws(JournalError) -> Appended? {
    try prepareSegment(for: capacity)
    do throws(DiskError) {
      guard try segment?.append(capacity: capacity, body) == true else { return nil }
    } catch {
      throw .disk(error)
    }
    return appended(sync)
  }

  @inline(__always)
  private mutating func appended(_ sync: Sync) -> Appended {
    let needsUpkeep = segment?.needsUpkeep() == true || !upkeep.isOn
    if needsUpkeep { upkeep.isOn = true }
    return Appended(
      sequence: lastSequence, flush: sync == .full ? requestFlush() : nil, needsUpkeep: needsUpkeep)
  }

  /// Begins a new segment, unless the current one has no entry yet.
  mutating func rotate() throws(JournalError) {
    guard !isClosed else { throw .closed }
    guard let count = segment?.entryCount, count > 0 else { return }
    finishSegment()
    try beginSegment(for: 0)
  }

  /// Seals the last segment and gives the directory up.
  mutating func close() {
    guard !isClosed else { return }
    isClosed = true
    finishSegment()
    while let leftover = upkeep.leftovers.popLast() {
      let number = leftover.segment.number
      if let length = leftover.cut(environment.fileSystem) { cut(number, length) }
    }
    spare?.close()
    claim.release()
  }

  /// Gives the directory up as far as this process is concerned, and changes nothing in it: what there is, belongs to
  /// the parent.
  mutating func leaveToParent() {
    isClosed = true
    claim.release()
  }
}

// MARK: - From one segment to the next

extension JournalWriter {
  /// Makes sure that `segment` is there, is sound, and has room for `payload` bytes.
  private mutating func prepareSegment(for payload: Int) throws(JournalError) {
    guard !isClosed else { throw .closed }
    if !upkeep.isOn { lookAfterPause() }
    if segment?.hasRoom(for: payload) == true { return }
    finishSegment()
    try beginSegment(for: payload)
  }

  private mutating func finishSegment() {
    guard let finished = segment.take() else { return }
    let file = RetiredFile(
      file: finished.file, needsFlush: finished.needsFlush, error: finished.flushError)
    let (info, leftover) = finished.finish()
    lastClosedSequence = info.lastSequence
    closed.append(info)
    if let leftover { upkeep.leftovers.append(leftover) }
    retire(file)
  }

  private mutating func beginSegment(for payload: Int) throws(JournalError) {
    try returnHome()
    let headerEntries = configuration.segmentHeader?() ?? []
    for entry in headerEntries where entry.count > configuration.entryLimit {
      throw .entryTooLarge(length: entry.count, limit: configuration.entryLimit)
    }
    let overhead = headerEntries.reduce(Int(JournalSegmentHeader.framesStart)) {
      $0 + JournalFormat.frameLength(payload: $1.count)
    }
    let needed = overhead + JournalFormat.frameLength(payload: payload)
    let mapped = needed <= configuration.segmentLimit ? spare : nil
    makeRoom(for: max(configuration.segmentLimit, needed))
    do throws(DiskError) {
      segment = try createFile(headerEntries, mapped)
    } catch {
      throw .disk(error)
    }
    continuesUnsealed = false
    if !unsyncedDirectories.contains(directory) { unsyncedDirectories.insert(directory, at: 0) }
  }

  /// Creates the next segment's file: mapped in the space of `spare` when there is one and it works, else written.
  private mutating func createFile(
    _ headerEntries: [[UInt8]], _ spare: JournalSpare?
  ) throws(DiskError) -> JournalSegmentWriter {
    var spare = spare
    while true {
      // A number is used once, even when this attempt fails.
      let number = nextNumber
      nextNumber += 1
      let header = JournalSegmentHeader(
        journalID: journalID, segmentNumber: number, firstSequence: lastSequence + 1,
        bootID: environment.fileSystem.bootID, salt: environment.random(),
        time: environment.clock.now(), lengthLimit: Int64(configuration.segmentLimit),
        continuesUnsealed: continuesUnsealed)
      let path = FilePath.join(directory, JournalFormat.fileName(ofSegment: number))
      if let space = spare.take() {
        do throws(DiskError) {
          return try JournalSegmentWriter.map(
            path, header, headerEntries: headerEntries, space, fileSystem: environment.fileSystem)
        } catch {
          continue
        }
      }
      do throws(DiskError) {
        return try JournalSegmentWriter.create(
          path, header, headerEntries: headerEntries, fileSystem: environment.fileSystem)
      } catch {
        // A foreign file has the name: never touch it.
        guard error.isAlreadyThere else { throw error }
      }
    }
  }

  /// Makes sure that the directory is still there and ours; whoever deleted it wanted the old entries gone,
  /// not the new ones.
  private mutating func returnHome() throws(JournalError) {
    do throws(DiskError) {
      if try claim.isInPlace() { return }
    } catch {
      throw .disk(error)
    }
    let (claim, changed) = try Self.settle(directory, environment.fileSystem)
    self.claim = claim
    spare?.close()
    spare = Self.spare(directory, configuration, environment.fileSystem)
    unsyncedDirectories += changed.filter { !unsyncedDirectories.contains($0) }
    isHomeSynced = false
    let fileSystem = environment.fileSystem
    closed.removeAll { segment in
      do throws(DiskError) {
        return try fileSystem.status(at: segment.path) == nil
      } catch {
        return false
      }
    }
  }

  /// Drops the oldest segments until `length` bytes fit into the budget. One that cannot be removed stays
  /// in the account, to be tried again next time, and the next oldest is tried in its place.
  private mutating func makeRoom(for length: Int) {
    // A mapped segment has its whole length from the beginning, and the space for the next one counts, too.
    let length = spare == nil ? length : max(length, 2 * (configuration.mappedLength ?? 0))
    let limit = Int64(configuration.byteBudget - min(length, configuration.byteBudget))
    var total = closed.reduce(0) { $0 + $1.length }
    var index = 0
    while total > limit && index < closed.count {
      do throws(DiskError) {
        try environment.fileSystem.unlink(closed[index].path)
        droppedSegmentCount += 1
      } catch {
        guard error.isMissing else {
          index += 1
          continue
        }
        // Folded into the store and removed there: not a loss.
      }
      total -= closed[index].length
      closed.remove(at: index)
    }
  }
}
