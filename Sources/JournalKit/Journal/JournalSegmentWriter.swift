/// One segment file while it grows.
struct JournalSegmentWriter: ~Copyable {
  private let fileSystem: any FileSystem
  let file: FileNumber
  private let header: JournalSegmentHeader
  let path: String
  private let identity: FileStatus.Identity
  /// The file as memory; nil when each frame is written with a call.
  private var mapped: MappedBytes?
  private let pages: MappedBytes.Pages?
  // What each entry changes is side by side: when threads take turns, it moves from processor to processor.
  /// Where the next write goes.
  private(set) var end: Int64 = 0
  private var digest: UInt64 = 0
  private(set) var entryCount: UInt32 = 0
  /// Set when the file's end is not what this object believes, or may never reach stable storage: nothing
  /// may be added any more.
  private var isAbandoned = false
  /// The length at which it wants upkeep, whatever is due; at once, to begin with.
  var upkeepEnd: Int64 = 0
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
    do throws(DiskError) {
      var writer = JournalSegmentWriter(
        fileSystem: fileSystem, file: file, header: header, path: path,
        identity: try fileSystem.status(of: file).identity)
      writer.buffer = beginning(header, headerEntries)
      try writer.flush()
      return writer
    } catch {
      try? fileSystem.close(file)
      try? fileSystem.unlink(path)
      throw error
    }
  }

  /// The same in the mapped space of `spare`, which must have room for the header and `headerEntries`.
  static func map(
    _ path: String, _ header: JournalSegmentHeader, headerEntries: [[UInt8]],
    _ spare: JournalSpare, fileSystem: any FileSystem
  ) throws(DiskError) -> JournalSegmentWriter {
    let beginning = beginning(header, headerEntries)
    let space = try spare.begin(path, with: beginning.bytes.rawSpan)
    return JournalSegmentWriter(
      fileSystem: fileSystem, file: space.file, header: header, path: path,
      identity: space.identity, end: Int64(beginning.count), mapped: space.bytes)
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
    identity: FileStatus.Identity, end: Int64 = 0, mapped: consuming MappedBytes? = nil
  ) {
    self.fileSystem = fileSystem
    self.file = file
    self.header = header
    self.path = path
    self.identity = identity
    self.end = end
    pages = mapped?.pages
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

  /// Whether it wants upkeep now. It only says so once, until `upkeepEnd` is set again.
  @inline(__always)
  mutating func needsUpkeep() -> Bool {
    guard end >= upkeepEnd else { return false }
    upkeepEnd = .max
    return true
  }

  /// The sequence of the last entry, which may be in an earlier segment.
  var lastSequence: UInt64 { header.firstSequence + UInt64(entryCount) - 1 }

  var forUpkeep: JournalUpkeep.Segment {
    JournalUpkeep.Segment(
      number: header.segmentNumber, path: path, identity: identity, pages: pages)
  }

  /// Adds an entry; `checksum` has taken in exactly `payload`.
  mutating func append(_ payload: RawSpan, _ checksum: CRC32C) throws(DiskError) {
    let frame = try write(.entry, payload, checksum)
    entryCount += 1
    digest &+= UInt64(frame)
  }

  /// Adds an entry that `body` puts into its place, at most `capacity` bytes, for which there must be room. False
  /// when `body` returned false: then nothing was added.
  mutating func append(
    capacity: Int, _ body: (inout OutputRawSpan) -> Bool
  ) throws(DiskError) -> Bool {
    precondition(!isAbandoned, "an abandoned segment takes no frames")
    let mark = JournalFrameWord(.entry, length: capacity).rawValue | JournalFrameWord.beingWritten
    let start = Int(end)
    let filled: Int? =
      mapped != nil
      ? mapped?.fill(capacity: capacity, replacing: mark, at: start, body)
      : buffer.bytes.fill(from: JournalFormat.frameOverhead, capacity: capacity, body)
    guard let length = filled else { return false }
    var checksum = CRC32C()
    if mapped != nil {
      mapped?.add(length, from: start + JournalFormat.frameOverhead, to: &checksum)
    } else {
      checksum.update(buffer.bytes.rawSpan.extracting(JournalFormat.frameOverhead...))
    }
    let word = JournalFrameWord(.entry, length: length).rawValue
    let frame = frameChecksum(word, checksum)
    if mapped != nil {
      mapped?.complete(word, frame, at: start)
      end += Int64(JournalFormat.frameLength(payload: length))
    } else {
      buffer.bytes.store(word, at: 0)
      buffer.bytes.store(frame, at: 4)
      buffer.pad(to: JournalFormat.alignment)
      try flush()
    }
    entryCount += 1
    digest &+= UInt64(frame)
    return true
  }

  /// Notes in the file how much of it is on stable storage.
  mutating func mark(_ mark: JournalSyncMark) {
    guard !isAbandoned else { return }
    var checksum = CRC32C()
    checksum.update(mark.bytes.rawSpan)
    // Only recovery's judgement of damage gets less sharp without the mark.
    _ = try? write(.sync, mark.bytes.rawSpan, checksum)
  }

  /// Lets nothing be added any more; `error` says that what is there may never reach stable storage.
  mutating func abandon(_ error: DiskError? = nil) {
    isAbandoned = true
    flushError = flushError ?? error
  }

  /// Ends the segment, and seals it if it is sound. The file stays open; a mapped one has space left that upkeep
  /// cuts off.
  consuming func finish() -> (JournalSegmentInfo, JournalUpkeep.Leftover?) {
    let last = lastSequence
    if !isAbandoned {
      let seal = JournalSeal(entryCount: UInt64(entryCount), lastSequence: last, digest: digest)
      var checksum = CRC32C()
      checksum.update(seal.bytes.rawSpan)
      // Without its seal a segment says as much as one whose writer was killed.
      _ = try? write(.seal, seal.bytes.rawSpan, checksum)
    }
    let length = max(end, Int64(pages?.count ?? 0))
    let info = JournalSegmentInfo(
      path: path, number: header.segmentNumber, firstSequence: header.firstSequence,
      lastSequence: last, length: length)
    guard let pages else { return (info, nil) }
    return (info, JournalUpkeep.Leftover(segment: info, identity: identity, end: end, pages: pages))
  }

  private mutating func write(
    _ kind: JournalFrameKind, _ payload: RawSpan, _ checksum: CRC32C
  ) throws(DiskError) -> UInt32 {
    precondition(!isAbandoned, "an abandoned segment takes no frames")
    let word = JournalFrameWord(kind, length: payload.byteCount).rawValue
    let frame = frameChecksum(word, checksum)
    if mapped != nil {
      publish(word, frame, payload)
      end += Int64(JournalFormat.frameLength(payload: payload.byteCount))
    } else {
      buffer.frame(word, frame, payload)
      try flush()
    }
    return frame
  }

  private func frameChecksum(_ word: UInt32, _ payload: CRC32C) -> UInt32 {
    JournalFormat.checksum(
      payload: payload, salt: header.salt, offset: end, word: word, ordinal: entryCount)
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
      // Nothing landed: the next frame takes the same place. Something landed: nothing may follow it. Nor can anything
      // when somebody has closed the file, or when no file may be longer: then there is room in the next one.
      if written > 0 || error.code == DiskError.badFile
        || error.code == DiskError.fileTooLarge && entryCount > 0
      {
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
