/// Reads a journal, live or abandoned, damaged or not, and never changes anything.
public struct JournalRecovery: Sendable {
  /// An entry and its place in the journal.
  public struct Entry: Sendable, Equatable {
    /// Counted from 1 over the life of the journal.
    public let sequence: UInt64
    /// What was appended.
    public let payload: [UInt8]
  }

  /// The entries that the newest segment with any begins with.
  public let segmentHeader: [[UInt8]]
  /// Every entry that can be read, in order.
  public let entries: [Entry]
  /// What is missing, and what was found besides.
  public let report: JournalRecoveryReport

  /// Whether a segment ends with bytes that were never acknowledged.
  public var foundTornEntry: Bool { report.foundTornEntry }
  /// Whether entries at the beginning made way for newer ones.
  public var droppedOlderEntries: Bool { report.droppedOlderEntries }

  /// Reads the journal in `directory` into memory. A missing directory is an empty journal.
  ///
  /// Damage is reported, not thrown: what stands on both sides of it is returned. Throws `disk` only when the
  /// directory itself cannot be read.
  public static func recover(directory: String) throws(JournalError) -> JournalRecovery {
    try recover(directory: directory, fileSystem: POSIXFileSystem())
  }

  package static func recover(
    directory: String, fileSystem: any FileSystem
  ) throws(JournalError) -> JournalRecovery {
    var header: [[UInt8]] = []
    var headerFile = ""
    var entries: [Entry] = []
    let report = scan(directory: directory, fileSystem: fileSystem) { entry in
      switch entry.kind {
      case .header:
        if headerFile != entry.file { header = [] }
        headerFile = entry.file
        header.append(entry.payload.toArray())
      case .entry:
        entries.append(Entry(sequence: entry.sequence, payload: entry.payload.toArray()))
      }
    }
    for damage in report.damages where damage.file == directory {
      if case .unreadable(let error) = damage.kind { throw .disk(error) }
    }
    return JournalRecovery(segmentHeader: header, entries: entries, report: report)
  }

  /// Hands out the entries behind `sequence` one at a time, and the header entries of every segment, in memory
  /// bounded by the longest entry.
  ///
  /// With `closedOnly` the newest segment, which a living writer may be in, is left out. Every problem of the
  /// disk is in the report; this throws only what `body` does.
  package static func scan<E: Error>(
    directory: String, fileSystem: any FileSystem, after sequence: UInt64 = 0,
    closedOnly: Bool = false, _ body: (borrowing JournalEntry) throws(E) -> Void
  ) throws(E) -> JournalRecoveryReport {
    var scan = JournalScan(fileSystem: fileSystem, after: sequence)
    try scan.run(directory, closedOnly: closedOnly, body)
    return scan.report
  }

  /// The identity of the journal in `directory`, and the first sequence that it still has; nil when no
  /// segment can be read.
  ///
  /// A file that cannot be opened is stepped over: reading the journal reports it, with its place. Then the first
  /// sequence is not known. Files that a
  /// fold removes meanwhile are looked for again, for a living journal always has another.
  package static func beginning(
    of directory: String, fileSystem: any FileSystem
  ) throws(DiskError) -> (journalID: UInt128, firstSequence: UInt64?)? {
    guard try fileSystem.status(at: directory)?.isDirectory == true else { return nil }
    for _ in 0..<16 {
      var isUnreadable = false
      var isChanging = false
      for number in try fileSystem.segmentNumbers(in: directory) {
        let name = JournalFormat.fileName(ofSegment: number)
        do throws(DiskError) {
          var window = try FileWindow.open(FilePath.join(directory, name), fileSystem)
          if case .header(let header, _) = try JournalSegmentHeader.find(in: &window) {
            return (header.journalID, isUnreadable ? nil : header.firstSequence)
          }
        } catch {
          if error.isMissing { isChanging = true } else { isUnreadable = true }
        }
      }
      if !isChanging { break }
    }
    return nil
  }

  /// Deletes the journal in `directory`: its segments, its lock, and the directory unless it holds anything
  /// else. A missing directory is no error. Throws `ownedByAnother` when the journal has a living owner.
  public static func remove(directory: String) throws(JournalError) {
    try remove(directory: directory, fileSystem: POSIXFileSystem())
  }

  package static func remove(
    directory: String, fileSystem: any FileSystem
  ) throws(JournalError) {
    do throws(DiskError) {
      guard try fileSystem.status(at: directory) != nil else { return }
      if let claim = try JournalClaim.claim(directory: directory, fileSystem: fileSystem) {
        try claim.removeJournal()
        return
      }
    } catch {
      throw .disk(error)
    }
    throw .ownedByAnother(directory: directory)
  }
}

extension JournalClaim {
  /// Deletes the claimed journal, and releases the claim.
  package func removeJournal() throws(DiskError) {
    defer { release() }
    for name in try fileSystem.list(directory)
    where JournalFormat.segmentNumber(ofFile: name) != nil {
      try fileSystem.unlink(FilePath.join(directory, name))
    }
    let spare = FilePath.join(directory, JournalFormat.spareName)
    if try fileSystem.status(at: spare) != nil { try fileSystem.unlink(spare) }
    // The lock goes last: until then nobody else can begin here.
    try fileSystem.unlink(FilePath.join(directory, JournalFormat.lockName))
    do throws(DiskError) {
      try fileSystem.removeDirectory(directory)
    } catch {
      guard error.code == DiskError.directoryNotEmpty || error.isMissing else { throw error }
    }
  }
}
