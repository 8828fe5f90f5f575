extension FileSystem {
  /// Opens the file at `path`, created when missing, and locks it for this open file alone; nil when someone
  /// else holds the lock.
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
        if try status(of: file).identity == status(at: path)?.identity { return file }
      } catch {
        try? close(file)
        throw error
      }
      try? close(file)
    }
    return nil
  }
}
