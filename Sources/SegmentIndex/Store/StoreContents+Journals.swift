internal import JournalKit

extension StoreContents {
  /// The journals in a store's directory.
  struct Journals {
    /// The first sequence that each still has.
    private(set) var beginnings: [UInt128: UInt64] = [:]
    /// Why there may be others; nil when there are none. What is damaged for good has nothing any more.
    private(set) var obstacle: StoreError?

    init(_ layout: StoreLayout, _ fileSystem: any FileSystem) throws(StoreError) {
      for name in try StoreContents.names(in: layout.journals, fileSystem) {
        do throws(DiskError) {
          try look(FilePath.join(layout.journals, name), fileSystem)
        } catch {
          if !error.isMissing { obstacle = .disk(error) }
        }
      }
    }

    private mutating func look(
      _ directory: String, _ fileSystem: any FileSystem
    ) throws(DiskError) {
      guard try fileSystem.status(at: directory)?.isDirectory == true else { return }
      let beginning = try JournalRecovery.beginning(of: directory, fileSystem: fileSystem)
      if let beginning, let first = beginning.firstSequence {
        beginnings[beginning.journalID] = first
        return
      }
      let scanned = JournalRecovery.scan(directory: directory, fileSystem: fileSystem) { _ in }
      if let damage = scanned.damages.first(where: \.mayPass) {
        obstacle = .unreadable(damage)
      } else if beginning != nil || scanned.journalID != nil {
        // It can be read now.
        obstacle = .busy
      }
    }
  }
}

extension JournalDamage {
  /// Whether what is there may be readable another time, or by a newer program.
  var mayPass: Bool {
    switch kind {
    // No file will come of a directory, whatever it is called.
    case .unreadable(let error): error.code != DiskError.isADirectory
    case .unsupportedVersion: true
    default: false
    }
  }
}
