package import JournalKit
internal import Synchronization

/// A directory of segments, the manifest that lists them, and the journals that have yet to become segments.
///
///     journals/<name>/           journals, one per run of a program
///     segments/<id>.pseg         immutable segments
///     attachments/<id>.attachment   what is attached to records and too large to be in them
///     manifest-<generation>      the newest one and its predecessor
///     compact.lock               held by the one process that changes the store
///     quarantine/                damaged files, kept as evidence
///
/// Any number of processes may read a store while one changes it.
package final class SegmentStore: Sendable {
  let layout: StoreLayout
  package let fileSystem: any FileSystem
  private let state: Mutex<State>
  /// Held during a fold: those of one program wait for each other, where those of others are refused.
  let foldTurn = Mutex(())
  private let unmergeable = Mutex<Set<UniqueID>>([])

  /// Opens the store in `directory`; nothing is created or changed. A missing directory is an empty store.
  ///
  /// Throws `disk`, and `unsupportedVersion` when a newer program wrote the manifest. A damaged manifest or
  /// segment is no reason not to open: see `problems`.
  package init(
    directory: String, fileSystem: any FileSystem = POSIXFileSystem()
  ) throws(StoreError) {
    layout = StoreLayout(directory: directory)
    self.fileSystem = fileSystem
    state = Mutex(State(contents: try StoreContents(layout, fileSystem)))
  }

  private struct State {
    var contents: StoreContents { didSet { snapshot = nil } }
    /// What the contents hold, once somebody has asked.
    var snapshot: Snapshot?
  }

  /// Whether there is anything in the directory that only a store has.
  package func exists() throws(StoreError) -> Bool {
    guard manifest.generation == 0 else { return true }
    do throws(DiskError) {
      if try fileSystem.status(at: layout.segments) != nil { return true }
      return try fileSystem.status(at: layout.journals) != nil
    } catch {
      throw .disk(error)
    }
  }

  /// The store's directory.
  package var directory: String { layout.directory }
  /// The directory in which programs keep their journals.
  package var journalsDirectory: String { layout.journals }

  /// What is wrong with the store, as far as opening it showed.
  package var problems: [StoreProblem] { state.withLock { $0.contents.problems } }

  /// The manifest that this object goes by.
  package var manifest: Manifest { state.withLock { $0.contents.manifest } }

  /// The store as this object last saw it.
  var current: StoreContents { state.withLock { $0.contents } }

  /// What the store holds now, commits by other processes included.
  ///
  /// Throws when that cannot be told: an older state would be a wrong answer that nobody notices.
  package func snapshot() throws(StoreError) -> Snapshot {
    try state.withLock { state throws(StoreError) in
      if try isOutdated(state.contents) { try reload(&state) }
      return Self.snapshot(of: &state)
    }
  }

  /// What the store held when this object last looked. Nothing is read.
  package var lastSnapshot: Snapshot { state.withLock { Self.snapshot(of: &$0) } }

  private static func snapshot(of state: inout State) -> Snapshot {
    let snapshot = state.snapshot ?? state.contents.snapshot
    state.snapshot = snapshot
    return snapshot
  }

  /// The store as it is on the disk now.
  func reload() throws(StoreError) -> StoreContents {
    try state.withLock { state throws(StoreError) in
      try reload(&state)
      return state.contents
    }
  }

  private func reload(_ state: inout State) throws(StoreError) {
    state.contents = try StoreContents(layout, fileSystem, reusing: state.contents.segmentsByID)
  }

  /// Whether `contents` is not the store any more, or may not have been.
  private func isOutdated(_ contents: StoreContents) throws(StoreError) -> Bool {
    if contents.isPreliminary { return true }
    return try StoreContents.newestGeneration(layout, fileSystem) != contents.highestGeneration
  }

  /// Whether a merge found that the segment cannot be read whole.
  func isUnmergeable(_ id: UniqueID) -> Bool {
    unmergeable.withLock { $0.contains(id) }
  }

  func setUnmergeable(_ ids: [UniqueID]) {
    unmergeable.withLock { $0.formUnion(ids) }
  }
}
