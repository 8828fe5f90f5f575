import Synchronization

/// The right to write or to clear away a journal, held by at most one process at a time.
///
/// It is the lock of the file `owner.lock` in the journal's directory. The operating system frees it when
/// the holder dies, however it dies, so an abandoned journal can always be claimed and a live one never.
public final class JournalClaim: Sendable {
  /// The claimed journal's directory.
  public let directory: String
  let fileSystem: any FileSystem
  /// Nil once released.
  private let file: Mutex<FileNumber?>
  private let generation = ForkGeneration.current

  private init(directory: String, fileSystem: any FileSystem, file: FileNumber) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.file = Mutex(file)
  }

  deinit { release() }

  /// Claims the journal in `directory`, which must exist; nil when someone else holds the claim.
  package static func claim(
    directory: String, fileSystem: any FileSystem
  ) throws(DiskError) -> JournalClaim? {
    ForkGeneration.watch()
    let path = FilePath.join(directory, JournalFormat.lockName)
    guard let file = try fileSystem.lock(at: path) else { return nil }
    return JournalClaim(directory: directory, fileSystem: fileSystem, file: file)
  }

  /// Whether the lock file is still the one in the directory, and open: false once someone deleted either, or closed the
  /// file behind this object's back, which frees the lock.
  package func isInPlace() throws(DiskError) -> Bool {
    guard let file = file.withLock({ $0 }) else { return false }
    let path = FilePath.join(directory, JournalFormat.lockName)
    let held: FileStatus.Identity
    do throws(DiskError) {
      held = try fileSystem.status(of: file).identity
    } catch {
      if error.code == DiskError.badFile { return false }
      throw error
    }
    return try held == fileSystem.status(at: path)?.identity
  }

  /// Gives the claim up; once is enough.
  public func release() {
    guard let file = file.withLock({ $0.take() }) else { return }
    // Closing alone would not do: a program that this one starts just now has the file open, too, until it runs. But
    // what a forked child has open is its parent's, and so is the lock.
    if generation == ForkGeneration.current { try? fileSystem.unlock(file) }
    try? fileSystem.close(file)
  }
}
