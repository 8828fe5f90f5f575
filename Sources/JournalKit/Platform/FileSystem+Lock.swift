extension FileSystem {
  /// Opens the file at `path`, created when missing, and locks it for this open file alone; nil when someone
  /// else holds the lock. Throws `noLocks` where locks are no use.
  ///
  /// Whoever clears up deletes the lock file while holding it, and a lock of a deleted file is worthless: then
  /// the one that took its place is opened. Each round means that another process finished, so a few are
  /// plenty.
  package func lock(at path: String) throws(DiskError) -> FileNumber? {
    for _ in 0..<16 {
      let file = try open(path, .createIfMissing)
      do throws(DiskError) {
        guard try lock(file) else {
          try? close(file)
          return nil
        }
        if try isLocked(path, by: file) { return file }
      } catch {
        try? close(file)
        throw error
      }
      try? close(file)
    }
    return nil
  }

  /// Whether the lock that `file` holds is the one of the file at `path`.
  ///
  /// Throws when another open file may take it, too: there are file systems on which locks do nothing, and there
  /// nobody could tell the living from the dead.
  private func isLocked(_ path: String, by file: FileNumber) throws(DiskError) -> Bool {
    let other: FileNumber
    do throws(DiskError) {
      other = try open(path, .readWrite)
    } catch {
      if error.isMissing { return false }
      throw error
    }
    defer { try? close(other) }
    guard try status(of: other).identity == status(of: file).identity else { return false }
    if try lock(other) { throw DiskError(call: .lock, path: path, code: DiskError.noLocks) }
    return true
  }
}
