import JournalKit

/// A new directory of the real file system, removed with everything in it at the end.
package final class TemporaryDirectory: Sendable {
  package let path: String
  private let fileSystem = POSIXFileSystem()

  package init(under root: String = "/tmp") throws {
    var generator = SystemRandomNumberGenerator()
    path = "\(root)/periscope-test-\(String(generator.next(), radix: 16))"
    try fileSystem.createDirectory(path)
  }

  /// The same in memory, where there is a file system for that: for tests that have nothing to do with how long a
  /// disk takes.
  package static func inMemory() throws -> TemporaryDirectory {
    let memory = "/dev/shm"
    let exists = try POSIXFileSystem().status(at: memory)?.isDirectory == true
    return try TemporaryDirectory(under: exists ? memory : "/tmp")
  }

  deinit {
    remove(path)
  }

  private func remove(_ directory: String) {
    for name in (try? fileSystem.list(directory)) ?? [] {
      let path = "\(directory)/\(name)"
      if (try? fileSystem.status(at: path))?.isDirectory == true {
        remove(path)
      } else {
        try? fileSystem.unlink(path)
      }
    }
    try? fileSystem.removeDirectory(directory)
  }
}
