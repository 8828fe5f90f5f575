import Synchronization

/// The `.full` appends that one flush serves, and how it went.
final class JournalFlush: Sendable {
  enum Outcome {
    case pending
    case done
    case failed(DiskError)
  }

  private let state = Mutex(Outcome.pending)

  var outcome: Outcome {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

// A flush takes the disk a long time, so it runs outside the journal's lock: other entries are appended, and
// segments begun, meanwhile. Whoever asks for a flush while one is under way shares the next one with all others
// who do.

extension JournalWriter {
  struct FlushState {
    /// The flush that will serve the entries appended now; nil when nobody needs one.
    var requested: JournalFlush?
    /// Files that are full but must stay open.
    var retired: [RetiredFile] = []
    /// The files that the flush under way works on.
    var busy: [FileNumber] = []
  }

  /// A file that takes no more entries, but has some that await a flush, or is being flushed.
  struct RetiredFile {
    let file: FileNumber
    var needsFlush: Bool
    /// Why a flush of it failed, whether before it was retired or since.
    var error: DiskError?
  }

  /// What a flush has to do, outside the lock.
  struct FlushWork {
    let flush: JournalFlush
    var files: [FileNumber] = []
    /// From the inside out: an entry counts once everything above it does.
    var directories: [String] = []
    /// The journal's directory, in the first flush: those above it are synced, too.
    var home: String?
    /// The segment that is still growing, and how far it was.
    var current: JournalSegmentWriter.Position?
    /// An earlier flush of one of the files has failed.
    var error: DiskError?

    func run(_ fileSystem: any FileSystem) throws(DiskError) {
      if let error { throw error }
      for file in files { try fileSystem.sync(file) }
      for directory in directories { try fileSystem.syncDirectory(directory) }
      if let home { try fileSystem.syncAncestors(of: home) }
    }
  }

  /// Lets the next flush serve the entry that was appended last.
  mutating func requestFlush() -> JournalFlush {
    segment?.needsFlush = true
    let flush = flushing.requested ?? JournalFlush()
    flushing.requested = flush
    return flush
  }

  /// Begins the requested flush. There is one at a time, and `endFlush` has to follow.
  mutating func beginFlush() -> FlushWork {
    guard flushing.busy.isEmpty, let flush = flushing.requested.take() else {
      preconditionFailure("a flush is begun once for each request, one at a time")
    }
    var work = FlushWork(flush: flush)
    for index in flushing.retired.indices where flushing.retired[index].needsFlush {
      work.files.append(flushing.retired[index].file)
      work.error = work.error ?? flushing.retired[index].error
      flushing.retired[index].needsFlush = false
    }
    if let file = segment?.file, let current = segment?.position, segment?.needsFlush == true {
      segment?.needsFlush = false
      work.files.append(file)
      work.error = work.error ?? segment?.flushError
      work.current = current
    }
    work.directories = unsyncedDirectories
    unsyncedDirectories = []
    work.home = isHomeSynced ? nil : directory
    flushing.busy = work.files
    return work
  }

  /// Takes note of how a flush went.
  mutating func endFlush(_ work: FlushWork, _ error: DiskError?) {
    if let current = work.current, current.number == segment?.position.number {
      if let error { segment?.abandon(error) } else { segment?.mark(current.mark) }
    }
    if let error {
      // Files that ended meanwhile, with entries that the next flush was asked for: it would prove nothing.
      for index in flushing.retired.indices
      where work.files.contains(flushing.retired[index].file) {
        flushing.retired[index].error = flushing.retired[index].error ?? error
      }
    }
    if error == nil {
      isHomeSynced = true
    } else {
      // A directory's flush that failed proves as little as a file's, but the next file changes it anew.
      unsyncedDirectories += work.directories.filter { !unsyncedDirectories.contains($0) }
    }
    flushing.busy = []
    for retired in flushing.retired where !retired.needsFlush {
      try? environment.fileSystem.close(retired.file)
    }
    flushing.retired.removeAll { !$0.needsFlush }
  }

  /// Closes a file that takes no more entries: now, or after the flush that it needs or is in.
  mutating func retire(_ file: RetiredFile) {
    if file.needsFlush || flushing.busy.contains(file.file) {
      flushing.retired.append(file)
    } else {
      try? environment.fileSystem.close(file.file)
    }
  }
}
