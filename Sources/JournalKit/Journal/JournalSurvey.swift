/// What a journal that is about to be continued finds in its directory.
struct JournalSurvey {
  /// Nil when there is no readable segment.
  private(set) var journalID: UInt128?
  private(set) var segments: [JournalSegmentInfo] = []
  /// The highest number in use, readable or not.
  private(set) var lastNumber: UInt64 = 0
  private(set) var lastSequence: UInt64 = 0
  /// Whether entries behind `lastSequence` may have been lost unseen.
  private(set) var endsUnsealed = false

  /// Reads the headers of all segments, and the last readable segment whole.
  ///
  /// This program may be folding the journal that it continues: what vanishes meanwhile was not missing.
  static func take(
    of directory: String, _ fileSystem: any FileSystem
  ) throws(JournalError) -> JournalSurvey {
    for _ in 1...64 {
      do throws(JournalError) {
        return try JournalSurvey(directory: directory, fileSystem: fileSystem)
      } catch {
        guard case .disk(let disk) = error, disk.isMissing else { throw error }
      }
    }
    return try JournalSurvey(directory: directory, fileSystem: fileSystem)
  }

  private init(directory: String, fileSystem: any FileSystem) throws(JournalError) {
    do throws(DiskError) {
      let numbers = try fileSystem.segmentNumbers(in: directory)
      for number in numbers {
        let path = FilePath.join(directory, JournalFormat.fileName(ofSegment: number))
        try add(path, number, fileSystem)
      }
      lastNumber = numbers.last ?? 0
      guard lastNumber < Int64.max else {
        // A file that says so by its name alone. There is no number for the next one.
        let name = JournalFormat.fileName(ofSegment: lastNumber)
        throw DiskError(
          call: .open, path: FilePath.join(directory, name), code: DiskError.fileExists)
      }
      try readLast(fileSystem)
      guard lastSequence < Self.sequenceLimit else {
        throw DiskError(
          call: .open, path: segments.last?.path ?? directory, code: DiskError.fileTooLarge)
      }
    } catch {
      throw .disk(error)
    }
    if let unsupported {
      throw .unsupportedVersion(file: unsupported.path, majorVersion: unsupported.majorVersion)
    }
  }

  /// No journal counts so far, but a file may say that one did. What is appended behind it must still be readable, and
  /// segments may begin up to 2^63.
  private static let sequenceLimit: UInt64 = 1 << 62

  private var unsupported: (path: String, majorVersion: UInt16)?
  /// The readable segment with the highest number, as an index, and its header.
  private var lastReadable: (index: Int, header: JournalSegmentHeader)?

  private mutating func add(
    _ path: String, _ number: UInt64, _ fileSystem: any FileSystem
  ) throws(DiskError) {
    var first = lastSequence + 1
    var window = try FileWindow.open(path, fileSystem)
    switch try JournalSegmentHeader.find(in: &window) {
    case .header(let header, _) where header.journalID == journalID ?? header.journalID:
      first = header.firstSequence
      journalID = header.journalID
      lastReadable = (segments.count, header)
    case .unsupported(let majorVersion):
      unsupported = (path, majorVersion)
      return
    // One of another journal says nothing about this one.
    case .header, .unbegun, .damaged: break
    }
    if let previous = segments.popLast() {
      segments.append(previous.ending(at: max(first, previous.firstSequence) - 1))
    }
    lastSequence = max(lastSequence, first - 1)
    segments.append(
      JournalSegmentInfo(
        path: path, number: number, firstSequence: first, lastSequence: first - 1,
        length: window.length))
  }

  private mutating func readLast(_ fileSystem: any FileSystem) throws(DiskError) {
    endsUnsealed = !segments.isEmpty
    guard let (index, header) = lastReadable else { return }
    var reader = JournalSegmentReader(
      try FileWindow.open(segments[index].path, fileSystem), header: header,
      bootID: fileSystem.bootID)
    var ending: JournalSegmentReader.Ending?
    while ending == nil {
      if case .end(let found) = try reader.next() { ending = found }
    }
    lastSequence = max(lastSequence, header.firstSequence + reader.ordinal - 1)
    segments[index] = segments[index].ending(at: lastSequence)
    endsUnsealed = ending != .clean(isSealed: true) || index != segments.count - 1
  }
}

extension JournalSegmentInfo {
  fileprivate func ending(at lastSequence: UInt64) -> JournalSegmentInfo {
    JournalSegmentInfo(
      path: path, number: number, firstSequence: firstSequence, lastSequence: lastSequence,
      length: length)
  }
}
