/// One segment file while it grows.
struct JournalSegmentWriter: ~Copyable {
  private let fileSystem: any FileSystem
  let file: FileNumber
  private let header: JournalSegmentHeader
  let path: String
  /// Where the next write goes.
  private(set) var end: Int64 = 0
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
  /// The frame under construction, kept to allocate once.
  private var buffer = ByteWriter()

  /// Creates the file, with its header and `headerEntries`. A file that cannot be completed is removed.
  static func create(
    _ path: String, _ header: JournalSegmentHeader, headerEntries: [[UInt8]],
    fileSystem: any FileSystem
  ) throws(DiskError) -> JournalSegmentWriter {
    let file = try fileSystem.open(path, .createNew)
    var writer = JournalSegmentWriter(
      fileSystem: fileSystem, file: file, header: header, path: path)
    header.append(to: &writer.buffer)
    for entry in headerEntries {
      var checksum = CRC32C()
      checksum.update(entry.rawSpan)
      writer.encode(.header, entry.rawSpan, checksum)
    }
    do throws(DiskError) {
      try writer.flush()
    } catch {
      try? fileSystem.close(file)
      try? fileSystem.unlink(path)
      throw error
    }
    return writer
  }

  private init(
    fileSystem: any FileSystem, file: FileNumber, header: JournalSegmentHeader, path: String
  ) {
    self.fileSystem = fileSystem
    self.file = file
    self.header = header
    self.path = path
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

  /// Whether a frame with `payload` bytes still belongs into this segment. The first always does.
  func hasRoom(for payload: Int) -> Bool {
    guard !isAbandoned else { return false }
    return entryCount == 0
      || end + Int64(JournalFormat.frameLength(payload: payload)) <= header.lengthLimit
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

  /// Ends the segment, and seals it if it is sound. The file stays open.
  consuming func finish() -> JournalSegmentInfo {
    let last = header.firstSequence + UInt64(entryCount) - 1
    if !isAbandoned {
      let seal = JournalSeal(entryCount: UInt64(entryCount), lastSequence: last, digest: digest)
      var checksum = CRC32C()
      checksum.update(seal.bytes.rawSpan)
      // Without its seal a segment says as much as one whose writer was killed.
      _ = try? write(.seal, seal.bytes.rawSpan, checksum)
    }
    return JournalSegmentInfo(
      path: path, number: header.segmentNumber, firstSequence: header.firstSequence,
      lastSequence: last, length: end)
  }

  private mutating func write(
    _ kind: JournalFrameKind, _ payload: RawSpan, _ checksum: CRC32C
  ) throws(DiskError) -> UInt32 {
    precondition(!isAbandoned, "an abandoned segment takes no frames")
    let frame = encode(kind, payload, checksum)
    try flush()
    return frame
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

  /// Appends a frame to the buffer, whose first byte goes to `end`, and returns its checksum.
  @discardableResult
  private mutating func encode(
    _ kind: JournalFrameKind, _ payload: RawSpan, _ checksum: CRC32C
  ) -> UInt32 {
    let word = JournalFrameWord(kind, length: payload.byteCount).rawValue
    let frame = JournalFormat.checksum(
      payload: checksum, salt: header.salt, offset: end + Int64(buffer.count), word: word,
      ordinal: entryCount)
    buffer.integer(word)
    buffer.integer(frame)
    buffer.append(payload)
    buffer.pad(to: JournalFormat.alignment)
    return frame
  }
}
