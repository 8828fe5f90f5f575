/// A piece of a file in memory, moved forward by a reader.
///
/// The file is read with positioned reads, never mapped: it may belong to a living writer or be cut short by
/// anyone, and that must be a short read, not a signal. No more is held than a chunk or the one range that was
/// asked for.
struct FileWindow: ~Copyable {
  /// The bytes of the first read after a jump, for many jumps look at a few bytes only. Each read in a row is twice
  /// as long as the one before, up to `chunkLength`.
  static let firstReadLength: Int64 = 4 << 10
  private static let chunkLength: Int64 = 128 << 10
  /// What is further back in a file is not looked at: writers begin the next one long before, and the length
  /// of a file with holes says nothing about the work that somebody put into it.
  static let maximumLength: Int64 = 4 << 30

  private let fileSystem: any FileSystem
  private let file: FileNumber
  /// The file's length when it was opened, or less if it turned out shorter.
  private(set) var length: Int64
  /// It stays as long as it had to be once, because to clear it for each read costs as much as the read.
  private var buffer: [UInt8] = []
  /// How many bytes of the buffer, from its first one on, are the file's.
  private var filled = 0
  /// Where in the file the buffer's first byte is.
  private var start: Int64 = 0
  private var readLength = firstReadLength

  /// Opens the file at `path`.
  static func open(_ path: String, _ fileSystem: any FileSystem) throws(DiskError) -> FileWindow {
    let file = try fileSystem.open(path, .read)
    do throws(DiskError) {
      let length = min(try fileSystem.status(of: file).length, maximumLength)
      return FileWindow(fileSystem: fileSystem, file: file, length: length)
    } catch {
      try? fileSystem.close(file)
      throw error
    }
  }

  private init(fileSystem: any FileSystem, file: FileNumber, length: Int64) {
    self.fileSystem = fileSystem
    self.file = file
    self.length = length
  }

  deinit { try? fileSystem.close(file) }

  /// Makes `range` available; false when the file ends before its end.
  mutating func load(_ range: Range<Int64>) throws(DiskError) -> Bool {
    guard range.upperBound <= length else { return false }
    let end = start + Int64(filled)
    if range.lowerBound >= start && range.upperBound <= end { return true }
    // Keep what is there already, move it to the front, and fill up behind it.
    let isJump = filled == 0 || range.lowerBound < start || range.lowerBound > end
    let kept = isJump ? 0 : Int(end - range.lowerBound)
    buffer.move(filled - kept..<filled, to: 0)
    filled = kept
    start = range.lowerBound
    readLength = isJump ? Self.firstReadLength : min(2 * readLength, Self.chunkLength)
    let wanted = max(Int(min(max(Int64(range.count), readLength), length - start)), kept)
    if wanted > buffer.count {
      buffer += [UInt8](repeating: 0, count: wanted - buffer.count)
    }
    do throws(DiskError) {
      filled += try fileSystem.readAll(
        file, into: &buffer, kept..<wanted, at: start + Int64(kept))
    } catch {
      filled = 0
      throw error
    }
    if filled < range.count { length = start + Int64(filled) }
    return filled >= range.count
  }

  /// The bytes of `range`, which must have been loaded last.
  @_lifetime(borrow self)
  borrowing func bytes(_ range: Range<Int64>) -> RawSpan {
    let first = Int(range.lowerBound - start)
    let whole = buffer.rawSpan
    return unsafe _overrideLifetime(whole.extracting(first..<first + range.count), borrowing: self)
  }

  /// Whether the few bytes of `range` are all zero; false when the file ends before its end. Bytes outside of
  /// the window are read alone, and the window stays where it is.
  mutating func isZero(_ range: Range<Int64>) throws(DiskError) -> Bool {
    let first = range.lowerBound - start
    if first >= 0 && range.upperBound <= start + Int64(filled) {
      for index in Int(first)..<Int(first) + range.count where buffer[index] != 0 { return false }
      return true
    }
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try fileSystem.readAll(file, into: &bytes, at: range.lowerBound)
    return count == bytes.count && bytes.allSatisfy { $0 == 0 }
  }

  /// Lets the next `load` read again what was read before.
  mutating func forget() {
    filled = 0
  }

  /// Whether nothing but zeros is left from `offset` on.
  mutating func isBlank(from offset: Int64) throws(DiskError) -> Bool {
    try blankEnd(from: offset) == length
  }

  /// Where the zeros from `offset` on end: at the first other byte, or at the end of the file.
  mutating func blankEnd(from offset: Int64) throws(DiskError) -> Int64 {
    var next = offset
    var step = Self.firstReadLength
    while next < length {
      guard let data = try fileSystem.nextData(file, from: next) else { return length }
      next = data
      if next >= length { return length }
      let range = next..<min(next + step, length)
      step = min(2 * step, Self.chunkLength)
      guard try load(range) else { continue }
      let bytes = bytes(range)
      if !bytes.isBlank {
        for index in 0..<bytes.byteCount where bytes[index] != 0 { return next + Int64(index) }
      }
      next = range.upperBound
    }
    return length
  }
}
