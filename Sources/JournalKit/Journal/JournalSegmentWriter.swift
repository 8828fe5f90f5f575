/// One segment file while it grows.
struct JournalSegmentWriter: ~Copyable {
  /// How far a segment grows before the rest of its pages is brought in.
  private static let unpreparedLength: Int64 = 256 << 10

  private let fileSystem: any FileSystem
  let file: FileNumber
  private let header: JournalSegmentHeader
  let path: String
  /// Where the next write goes.
  private(set) var end: Int64 = 0
  /// The file as memory; nil when each frame is written with a call.
  private var mapped: MappedBytes?
  /// The length at which the next preparation is due.
  private var preparationStart = Int64.max
  private(set) var entryCount: UInt32 = 0
  private var digest: UInt64 = 0
  /// Set when the file's end is not what this object believes, or may never reach stable storage: nothing
  /// may be added any more.
  private var isAbandoned = false
  /// Whether there are entries that await a flush.
  var needsFlush = false
  /// Why a flush failed. The kernel may have dropped the pages, and reports that once: a second flush that
  /// succeeds would prove nothing.
  private(set) var flushError: DiskError?
  /// What is written next, kept to allocate once.
  private var buffer = ByteWriter()

  /// Creates the file, with its header and `headerEntries`. A file that cannot be completed is removed.
  static func create(
    _ path: String, _ header: JournalSegmentHeader, headerEntries: [[UInt8]],
    fileSystem: any FileSystem
  ) throws(DiskError) -> JournalSegmentWriter {
    let file = try fileSystem.open(path, .createNew)
    var writer = JournalSegmentWriter(
      fileSystem: fileSystem, file: file, header: header, path: path)
    writer.buffer = beginning(header, headerEntries)
    do throws(DiskError) {
      try writer.flush()
    } catch {
      try? fileSystem.close(file)
      try? fileSystem.unlink(path)
      throw error
    }
    return writer
  }

  /// The same in the mapped space of `spare`, which must have room for the header and `headerEntries`.
  static func map(
    _ path: String, _ header: JournalSegmentHeader, headerEntries: [[UInt8]],
    _ spare: JournalSpare, fileSystem: any FileSystem
  ) throws(DiskError) -> JournalSegmentWriter {
    let beginning = beginning(header, headerEntries)
    let space = try spare.begin(path, with: beginning.bytes.rawSpan)
    let half = header.lengthLimit / 2
    let start = space.isPopulated ? half : min(half, unpreparedLength)
    var writer = JournalSegmentWriter(
      fileSystem: fileSystem, file: space.file, header: header, path: path,
      end: Int64(beginning.count), mapped: space.bytes)
    writer.preparationStart = start
    return writer
  }

  /// The bytes before the first entry.
  private static func beginning(
    _ header: JournalSegmentHeader, _ headerEntries: [[UInt8]]
  ) -> ByteWriter {
    var writer = ByteWriter()
    header.append(to: &writer)
    for entry in headerEntries {
      var payload = CRC32C()
      payload.update(entry.rawSpan)
      let word = JournalFrameWord(.header, length: entry.count).rawValue
      let frame = JournalFormat.checksum(
        payload: payload, salt: header.salt, offset: Int64(writer.count), word: word, ordinal: 0)
      writer.frame(word, frame, entry.rawSpan)
    }
    return writer
  }

  private init(
    fileSystem: any FileSystem, file: FileNumber, header: JournalSegmentHeader, path: String,
    end: Int64 = 0, mapped: consuming MappedBytes? = nil
  ) {
    self.fileSystem = fileSystem
    self.file = file
    self.header = header
    self.path = path
    self.end = end
    self.mapped = mapped
  }

  /// How far a segment has grown.
  struct Position {
    let number: UInt64
    let mark: JournalSyncMark
  }

  var position: Position {
    Position(
      number: header.segmentNumber,
      mark: JournalSyncMark(end: end, entryCount: UInt64(entryCount)))
  }

  /// Whether a frame with `payload` bytes still belongs into this segment. The first always does when the file can
  /// grow.
  func hasRoom(for payload: Int) -> Bool {
    guard !isAbandoned else { return false }
    return entryCount == 0 && mapped == nil
      || end + Int64(JournalFormat.frameLength(payload: payload)) <= header.lengthLimit
  }

  /// What is to be done in the background when a mapped segment has grown to some length.
  enum Preparation {
    /// Bringing in the rest of its pages. A segment that nobody prepared begins without: most programs log
    /// little, and 16 MiB of pages are much for them.
    case populating(@Sendable () -> Void)
    /// Making the next segment's space ready.
    case spare
  }

  /// The next preparation, if it is due.
  mutating func duePreparation() -> Preparation? {
    guard end >= preparationStart else { return nil }
    if preparationStart < header.lengthLimit / 2, let populating = mapped?.populating {
      preparationStart = header.lengthLimit / 2
      return .populating(populating)
    }
    preparationStart = .max
    return .spare
  }

  /// Adds an entry; `checksum` has taken in exactly `payload`.
  mutating func append(_ payload: RawSpan, _ checksum: CRC32C) throws(DiskError) {
    let frame = try write(.entry, payload, checksum)
    entryCount += 1
    digest &+= UInt64(frame)
  }

  /// Notes in the file how much of it is on stable storage.
  mutating func mark(_ mark: JournalSyncMark) {
    guard !isAbandoned else { return }
    var checksum = CRC32C()
    checksum.update(mark.bytes.rawSpan)
    // Only recovery's judgement of damage gets less sharp without the mark.
    _ = try? write(.sync, mark.bytes.rawSpan, checksum)
  }

  /// Whether the file still has a name.
  func isLinked() throws(DiskError) -> Bool {
    try fileSystem.status(of: file).linkCount > 0
  }

  /// Lets nothing be added any more; `error` says that what is there may never reach stable storage.
  mutating func abandon(_ error: DiskError? = nil) {
    isAbandoned = true
    flushError = flushError ?? error
  }

  /// Ends the segment, and seals it if it is sound. The file stays open, and loses the space that it did not
  /// need: nobody but this object maps it, and readers only find zeros gone.
  consuming func finish() -> JournalSegmentInfo {
    let last = header.firstSequence + UInt64(entryCount) - 1
    if !isAbandoned {
      let seal = JournalSeal(entryCount: UInt64(entryCount), lastSequence: last, digest: digest)
      var checksum = CRC32C()
      checksum.update(seal.bytes.rawSpan)
      // Without its seal a segment says as much as one whose writer was killed.
      _ = try? write(.seal, seal.bytes.rawSpan, checksum)
    }
    var length = end
    if let space = mapped?.count {
      do throws(DiskError) {
        try fileSystem.truncate(file, length: end)
      } catch {
        length = Int64(space)
      }
    }
    return JournalSegmentInfo(
      path: path, number: header.segmentNumber, firstSequence: header.firstSequence,
      lastSequence: last, length: length)
  }

  private mutating func write(
    _ kind: JournalFrameKind, _ payload: RawSpan, _ checksum: CRC32C
  ) throws(DiskError) -> UInt32 {
    precondition(!isAbandoned, "an abandoned segment takes no frames")
    let word = JournalFrameWord(kind, length: payload.byteCount).rawValue
    let frame = JournalFormat.checksum(
      payload: checksum, salt: header.salt, offset: end, word: word, ordinal: entryCount)
    if mapped != nil {
      publish(word, frame, payload)
      end += Int64(JournalFormat.frameLength(payload: payload.byteCount))
    } else {
      buffer.frame(word, frame, payload)
      try flush()
    }
    return frame
  }

  /// Stores a frame at `end` of the mapped file, whose blank rest is its padding.
  private func publish(_ word: UInt32, _ checksum: UInt32, _ payload: RawSpan) {
    mapped?.publish(
      word, checksum, payload, replacing: word | JournalFrameWord.beingWritten, at: Int(end))
  }

  /// Writes the buffer at `end`, and empties it.
  private mutating func flush() throws(DiskError) {
    defer { buffer.bytes.removeAll(keepingCapacity: buffer.bytes.capacity <= 1 << 20) }
    var written = 0
    do throws(DiskError) {
      try fileSystem.writeAll(file, buffer.bytes.rawSpan, at: end, written: &written)
    } catch {
      // Nothing landed: the next frame takes the same place. Something landed: nothing may follow it.
      if written > 0 {
        end += Int64(written)
        isAbandoned = true
      }
      throw error
    }
    end += Int64(written)
  }
}

extension ByteWriter {
  /// A frame, padding included.
  fileprivate mutating func frame(_ word: UInt32, _ checksum: UInt32, _ payload: RawSpan) {
    integer(word)
    integer(checksum)
    append(payload)
    pad(to: JournalFormat.alignment)
  }
}
