// Whole transfers on top of single calls, above the door so that short transfers can be simulated
// below it.

extension FileSystem {
  /// Writes all of `bytes` at `offset`. After a failure any prefix of them may have landed.
  package func writeAll(
    _ file: FileNumber, _ bytes: RawSpan, at offset: Int64
  ) throws(DiskError) {
    var written = 0
    try writeAll(file, bytes, at: offset, written: &written)
  }

  /// Writes all of `bytes` at `offset`; `written` says after a failure how many of them landed.
  package func writeAll(
    _ file: FileNumber, _ bytes: RawSpan, at offset: Int64, written: inout Int
  ) throws(DiskError) {
    written = 0
    while written < bytes.byteCount {
      let rest = bytes.extracting(written..<bytes.byteCount)
      let count = try write(file, rest, at: offset + Int64(written))
      // A file system that takes nothing and reports no error would keep this loop for ever.
      guard count > 0 else {
        throw DiskError(call: .write, path: "file \(file.rawValue)", code: DiskError.inputOutput)
      }
      written += count
    }
  }

  /// Reads as many bytes as `range` has, or as there are before the end of the file, from `offset` on: into these
  /// places of `bytes`. Returns how many they are.
  package func readAll(
    _ file: FileNumber, into bytes: inout [UInt8], _ range: Range<Int>, at offset: Int64
  ) throws(DiskError) -> Int {
    var count = 0
    while count < range.count {
      let result = unsafe bytes.withUnsafeMutableBytes { buffer -> Result<Int, DiskError> in
        let rest = unsafe UnsafeMutableRawBufferPointer(
          rebasing: buffer[(range.lowerBound + count)..<range.upperBound])
        do throws(DiskError) {
          return .success(try unsafe self.read(file, into: rest, at: offset + Int64(count)))
        } catch {
          return .failure(error)
        }
      }
      let transferred = try result.get()
      if transferred == 0 { break }
      count += transferred
    }
    return count
  }

  /// Fills `bytes` from `offset` on and returns how many there were before the end of the file.
  package func readAll(
    _ file: FileNumber, into bytes: inout [UInt8], at offset: Int64
  ) throws(DiskError) -> Int {
    try readAll(file, into: &bytes, bytes.indices, at: offset)
  }

  /// The bytes of `file` at the offsets `range`; fewer when the file ends before.
  package func bytes(of file: FileNumber, _ range: Range<Int>) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = try readAll(file, into: &bytes, at: Int64(range.lowerBound))
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// The whole file at `path`, which may have at most `limit` bytes.
  package func contents(of path: String, limit: Int) throws(DiskError) -> [UInt8] {
    let file = try open(path, .read)
    defer { try? close(file) }
    // Files such as those under /proc have no length beforehand: read on until there is room left, and
    // up to one byte further than allowed, to notice a file that is longer.
    let length = try status(of: file).length
    guard length <= Int64(limit) else {
      throw DiskError(call: .read, path: path, code: DiskError.fileTooLarge)
    }
    let room = length > 0 ? Int(length) : min(limit, 16 << 10)
    var bytes = [UInt8](repeating: 0, count: room + 1)
    var count = try readAll(file, into: &bytes, at: 0)
    while count == bytes.count, count <= limit {
      bytes.append(contentsOf: repeatElement(0, count: min(count, limit + 1 - count)))
      count += try readAll(file, into: &bytes, count..<bytes.count, at: Int64(count))
    }
    guard count <= limit else {
      throw DiskError(call: .read, path: path, code: DiskError.fileTooLarge)
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Makes a new file of `bytes` at `path`, on stable storage when this returns if `sync` says so. A
  /// file that could not be completed is removed again.
  package func writeNew(_ path: String, _ bytes: RawSpan, sync: Bool) throws(DiskError) {
    let file = try writeNew(path, bytes)
    do throws(DiskError) {
      if sync { try syncAndClose(file) } else { try close(file) }
    } catch {
      try? unlink(path)
      throw error
    }
  }

  /// Makes a new file of `bytes` at `path`, which stays open. A file that could not be completed is removed again.
  package func writeNew(_ path: String, _ bytes: RawSpan) throws(DiskError) -> FileNumber {
    let file = try open(path, .createNew)
    do throws(DiskError) {
      try writeAll(file, bytes, at: 0)
    } catch {
      try? close(file)
      try? unlink(path)
      throw error
    }
    return file
  }

  /// Returns once the content of `file`, which is closed in any case, is on stable storage.
  package func syncAndClose(_ file: FileNumber) throws(DiskError) {
    do throws(DiskError) {
      try sync(file)
    } catch {
      try? close(file)
      throw error
    }
    try close(file)
  }

  /// Syncs the directories above `path` as far as this process is allowed to. They may have been made by one
  /// that died before it synced them, so that they exist says nothing about a loss of power.
  package func syncAncestors(of path: String) throws(DiskError) {
    var current = path
    while let parent = FilePath.parent(of: current) {
      try syncForeign(parent)
      current = parent
    }
    if !path.hasPrefix("/") { try syncForeign(".") }
  }

  /// Syncs a directory, if it is one that this program may open and that can be synced at all.
  private func syncForeign(_ directory: String) throws(DiskError) {
    do throws(DiskError) {
      try syncDirectory(directory)
    } catch {
      guard error.isRefused || error.isMissing else { throw error }
    }
  }

  /// Creates a directory and its missing parents, and returns the directories that now have a new
  /// entry, which a power failure can take until they are synced.
  package func createDirectories(_ path: String) throws(DiskError) -> [String] {
    var changed: [String] = []
    var candidate = path
    while try status(at: candidate) == nil {
      let parent = FilePath.parent(of: candidate) ?? "."
      changed.append(parent)
      if parent == candidate || parent == "." { break }
      candidate = parent
    }
    try createDirectory(path)
    return changed
  }
}
