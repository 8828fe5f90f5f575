internal import JournalKit

extension SegmentStore {
  /// Moves the file at `path` into the quarantine, where it stays for a person to look at, and returns its new
  /// path. Does nothing when the file is gone.
  ///
  /// The new name comes before the old one goes, and file systems with a journal keep that order when the power
  /// is lost; when this returns, the new name is on stable storage.
  func quarantine(_ path: String) throws(StoreError) -> String? {
    // Files of different journals have the same names.
    let name = layout.relative(path).split(separator: "/").joined(separator: "-")
    do throws(DiskError) {
      let changed = try fileSystem.createDirectories(layout.quarantine)
      for directory in changed { try fileSystem.syncDirectory(directory) }
      for number in 0..<1000 {
        let target = FilePath.join(layout.quarantine, number == 0 ? name : "\(name).\(number)")
        do throws(DiskError) {
          try fileSystem.rename(path, to: target, replacing: false)
          try fileSystem.syncDirectory(layout.quarantine)
          return target
        } catch {
          if error.isAlreadyThere { continue }
          if error.isMissing { return nil }
          throw error
        }
      }
      throw DiskError(call: .rename, path: path, code: DiskError.fileExists)
    } catch {
      throw .disk(error)
    }
  }
}
