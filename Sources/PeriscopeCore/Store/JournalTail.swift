import JournalKit
import SegmentIndex
import Synchronization

/// What the journals of a store hold that no segment does yet, as in-memory segments.
///
/// Reading is incremental: what was read stays as it is, and a later call reads only what came since.
final class JournalTail: Sendable {
  private let directory: StoreDirectory
  private let fileSystem: any FileSystem
  private let parts = Mutex<[String: Part]>([:])

  init(directory: StoreDirectory, fileSystem: any FileSystem) {
    self.directory = directory
    self.fileSystem = fileSystem
  }

  /// One journal's part of the tail.
  private struct Part {
    /// Entries up to here are in segments on disk, and not in `batches`.
    var folded: UInt64
    /// Entries up to here have been read.
    var read: UInt64
    var batches: [Segment] = []
    var gaps: [Gap] = []
  }

  /// Small batches are read again as one when there are more than this many.
  private static let batchLimit = 8

  /// The segments and gaps of all journals, beyond what `snapshot` has of each.
  func read(beyond snapshot: Snapshot) throws(StoreError) -> (segments: [Segment], gaps: [Gap]) {
    let names: [String]
    do {
      names =
        try fileSystem.status(at: directory.journals) == nil
        ? [] : fileSystem.list(directory.journals)
    } catch {
      throw StoreError(error)
    }
    return try parts.withLock { parts throws(StoreError) in
      parts = parts.filter { names.contains($0.key) }
      var segments: [Segment] = []
      var gaps: [Gap] = []
      for name in names {
        let part = try extended(parts[name], journal: name, snapshot: snapshot)
        parts[name] = part
        segments += part.batches
        gaps += part.gaps
      }
      return (segments, gaps)
    }
  }
}
