import Synchronization

/// Space for a segment: a file of its full length, allocated and mapped, all zeros, that has not begun yet.
struct JournalSpace: ~Copyable, Sendable {
  let file: FileNumber
  let bytes: MappedBytes
  let identity: FileStatus.Identity
}

/// The space for the next segment, made ready while the current one still has room.
///
/// So a full disk shows one segment early, where it is an error and no loss, and none of the work of it
/// falls to a thread that appends. The file has a name that is no segment's until it begins: as long as it is
/// blank it must not count as the newest segment.
final class JournalSpare: Sendable {
  private struct State: ~Copyable {
    var space: JournalSpace?
    var isClosed = false
    /// Why there is no space, when it was to be made.
    var error: DiskError?
  }

  private let path: String
  private let length: Int
  private let fileSystem: any FileSystem
  /// Locked while space is made: who needs it meanwhile waits for it.
  private let state = Mutex(State())

  /// `length` is that of the file, in bytes.
  init(directory: String, length: Int, fileSystem: any FileSystem) {
    path = FilePath.join(directory, JournalFormat.spareName)
    self.length = length
    self.fileSystem = fileSystem
  }

  /// Why the last attempt to make space failed; nil when it did not.
  var error: DiskError? { state.withLock { $0.error } }

  /// Makes space unless there is some, and returns its pages. When that fails, `begin` tries again.
  func prepare() -> MappedBytes.Pages? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      if state.space == nil {
        do throws(DiskError) {
          state.space = try make()
          state.error = nil
        } catch {
          state.error = error
        }
      }
      return state.space?.bytes.pages
    }
  }

  /// Makes the space a file that begins with `bytes` and is called `path`, where there must be none; creates it
  /// first when it is not ready.
  ///
  /// When this throws, there is no such file and no space: but segments can still be written.
  func begin(_ path: String, with bytes: RawSpan) throws(DiskError) -> JournalSpace {
    try state.withLock { state throws(DiskError) in
      if state.space == nil {
        do throws(DiskError) {
          state.space = try make()
        } catch {
          state.error = error
          throw error
        }
      }
      state.error = nil
      guard let space = state.space.take() else { preconditionFailure("space was just made") }
      space.bytes.store(bytes, at: 0)
      do throws(DiskError) {
        try fileSystem.rename(self.path, to: path, replacing: false)
        // Somebody may have replaced the directory, and another journal may keep its own space there.
        if try fileSystem.status(at: path)?.identity == space.identity { return space }
        throw DiskError(call: .rename, path: path, code: DiskError.noSuchFile)
      } catch {
        if error.isAlreadyThere { try? fileSystem.unlink(self.path) }
        try? fileSystem.close(space.file)
        throw error
      }
    }
  }

  /// Gives up what is prepared, and never prepares again.
  func close() {
    state.withLock { state in
      state.isClosed = true
      guard let space = state.space.take() else { return }
      try? fileSystem.unlink(path)
      try? fileSystem.close(space.file)
    }
  }

  private func make() throws(DiskError) -> JournalSpace {
    // One that a dead process left; nothing was ever in it.
    if try fileSystem.status(at: path) != nil { try fileSystem.unlink(path) }
    let file = try fileSystem.open(path, .createNew)
    do throws(DiskError) {
      try fileSystem.allocate(file, length: Int64(length))
      return JournalSpace(
        file: file,
        bytes: try MappedBytes(mapping: file, length: length, fileSystem: fileSystem),
        identity: try fileSystem.status(of: file).identity)
    } catch {
      try? fileSystem.unlink(path)
      try? fileSystem.close(file)
      throw error
    }
  }
}
