/// A piece of a file in memory, moved forward by a reader.
///
/// The file is read with positioned reads, never mapped: it may belong to a living writer or be cut short by
/// anyone, and that must be a short read, not a signal. No more is held than a chunk or the one range that was
/// asked for.
struct FileWindow: ~Copyable {
  private static let chunkLength = 128 << 10

  private let fileSystem: any FileSystem
  private let file: FileNumber
  /// The file's length when it was opened, or less if it turned out shorter.
  private(set) var length: Int64
  private var buffer: [UInt8] = []
  /// Where in the file the buffer's first byte is.
  private var start: Int64 = 0

  /// Opens the file at `path`.
  static func open(_ path: String, _ fileSystem: any FileSystem) throws(DiskError) -> FileWindow {
    let file = try fileSystem.open(path, .read)
    do throws(DiskError) {
      let length = try fileSystem.status(of: file).length
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
    let end = start + Int64(buffer.count)
    if range.lowerBound >= start && range.upperBound <= end { return true }
    // Keep what is there already, move it to the front, and fill up behind it.
    let overlap = range.lowerBound >= start && range.lowerBound < end
    buffer.removeFirst(overlap ? Int(range.lowerBound - start) : buffer.count)
    start = range.lowerBound
    let kept = buffer.count
    let wanted = min(max(Int64(range.count), Int64(Self.chunkLength)), length - start)
    buffer.append(contentsOf: repeatElement(0, count: max(0, Int(wanted) - kept)))
    do throws(DiskError) {
      let count = try fileSystem.readAll(
        file, into: &buffer, from: kept, at: start + Int64(kept))
      buffer.removeLast(buffer.count - kept - count)
    } catch {
      buffer = []
      throw error
    }
    if buffer.count < range.count { length = start + Int64(buffer.count) }
    return buffer.count >= range.count
  }

  /// The bytes of `range`, which must have been loaded last.
  @_lifetime(borrow self)
  borrowing func bytes(_ range: Range<Int64>) -> RawSpan {
    let first = Int(range.lowerBound - start)
    let whole = buffer.rawSpan
    return unsafe _overrideLifetime(whole.extracting(first..<first + range.count), borrowing: self)
  }

  /// Lets the next `load` read again what was read before.
  mutating func forget() {
    buffer.removeAll(keepingCapacity: true)
  }

  /// Whether nothing but zeros is left from `offset` on.
  mutating func isBlank(from offset: Int64) throws(DiskError) -> Bool {
    var next = offset
    while next < length {
      guard let data = try fileSystem.nextData(file, from: next) else { return true }
      next = data
      if next >= length { return true }
      let range = next..<min(next + Int64(Self.chunkLength), length)
      guard try load(range) else { continue }
      guard bytes(range).isBlank else { return false }
      next = range.upperBound
    }
    return true
  }
}
