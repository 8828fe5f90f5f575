internal import JournalKit

extension SegmentStore {
  /// The most bytes of evidence that are kept, besides whole segments; the newest file is kept however long.
  package static let quarantineLimit: Int64 = 256 << 20

  /// Moves the file at `path` into the quarantine, where it stays for a person to look at, and returns its new
  /// path. Does nothing when the file is gone.
  ///
  /// The new name, which begins with the generation of the store, comes before the old one goes, and file systems
  /// with a journal keep that order when the power is lost; when this returns, the new name is on stable storage.
  func quarantine(_ path: String) throws(StoreError) -> String? {
    // Files of different journals have the same names.
    let name = layout.relative(path).split(separator: "/").joined(separator: "-")
    let prefix = StoreLayout.hexadecimal(manifest.generation)
    do throws(DiskError) {
      let changed = try fileSystem.createDirectories(layout.quarantine)
      for directory in changed { try fileSystem.syncDirectory(directory) }
      for number in 0..<1000 {
        let target = FilePath.join(
          layout.quarantine, "\(prefix)-\(name)" + (number == 0 ? "" : ".\(number)"))
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

  /// Removes the oldest evidence beyond `limit` bytes. Files that were not put there by a store stay, and so do segments
  /// that can be opened: they hold records that may be nowhere else.
  package func trimQuarantine(limit: Int64 = quarantineLimit) {
    var files = ((try? StoreContents.names(in: layout.quarantine, fileSystem)) ?? [])
      .filter(StoreLayout.isQuarantined)
      .map { FilePath.join(layout.quarantine, $0) }
      .map { (path: $0, length: (try? fileSystem.status(at: $0))?.length ?? 0) }
    guard files.reduce(0, { $0 + $1.length }) > limit else { return }
    files.removeAll { isSegment($0.path) }
    var total = files.reduce(0) { $0 + $1.length }
    while total > limit, files.count > 1 {
      let oldest = files.removeFirst()
      try? fileSystem.unlink(oldest.path)
      total -= oldest.length
    }
  }

  /// The segments in the quarantine that can be opened. They may be in the store as well.
  func quarantinedSegments() throws(StoreError) -> [Segment] {
    var segments: [Segment] = []
    for name in try StoreContents.names(in: layout.quarantine, fileSystem)
    where StoreLayout.isQuarantined(name) {
      let path = FilePath.join(layout.quarantine, name)
      do {
        // A directory can be opened, and what says that it is no file depends on the system.
        guard try fileSystem.status(at: path)?.isDirectory == false else { continue }
        segments.append(try Segment(mapping: path, fileSystem: fileSystem))
      } catch let error as DiskError {
        guard error.isMissing else { throw .disk(error) }
      } catch {
        // It is anything else.
      }
    }
    return segments
  }

  private func isSegment(_ path: String) -> Bool {
    (try? Segment(mapping: path, fileSystem: fileSystem)) != nil
  }
}
