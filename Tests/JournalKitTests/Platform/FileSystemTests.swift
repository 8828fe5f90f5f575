import JournalKit
import TestSupport
import Testing

/// What both file systems must do alike.
@Suite struct FileSystemTests {
  private let empty: [UInt8] = []
  private let temporary: TemporaryDirectory
  private let worlds: [(fileSystem: any FileSystem, root: String)]

  init() throws {
    temporary = try TemporaryDirectory()
    let disk = SimulatedDisk()
    try disk.createDirectory("/root")
    worlds = [(POSIXFileSystem(), temporary.path), (disk, "/root")]
  }

  @Test func filesAreWrittenReadAndListed() throws {
    for (fileSystem, root) in worlds {
      try fileSystem.writeNew("\(root)/b", [1, 2, 3].rawSpan, sync: true)
      try fileSystem.writeNew("\(root)/a", empty.rawSpan, sync: false)
      #expect(try fileSystem.list(root) == ["a", "b"])
      #expect(try fileSystem.contents(of: "\(root)/b", limit: 3) == [1, 2, 3])
      #expect(try fileSystem.contents(of: "\(root)/a", limit: 3) == [])
      #expect(throws: DiskError.self) { try fileSystem.contents(of: "\(root)/b", limit: 2) }
      let file = try fileSystem.open("\(root)/b", .readWrite)
      #expect(try SharedBytes(mapping: file, fileSystem: fileSystem).count == 3)
      #expect(try fileSystem.bytes(of: file, 1..<3) == [2, 3])
      #expect(try fileSystem.bytes(of: file, 2..<9) == [3])
      try fileSystem.writeAll(file, [9].rawSpan, at: 5)
      try fileSystem.truncate(file, length: 7)
      try fileSystem.allocate(file, length: 8)
      try fileSystem.allocate(file, length: 4)
      try fileSystem.close(file)
      #expect(try fileSystem.contents(of: "\(root)/b", limit: 9) == [1, 2, 3, 0, 0, 9, 0, 0])
      try fileSystem.syncDirectory(root)
    }
  }

  @Test func mistakesAreErrorsOfTheirKind() throws {
    for (fileSystem, root) in worlds {
      let path = "\(root)/a"
      #expect(code { _ = try fileSystem.open(path, .read) } == DiskError.noSuchFile)
      #expect(code { _ = try fileSystem.open("\(root)/no/a", .createNew) } == DiskError.noSuchFile)
      #expect(code { _ = try fileSystem.list("\(root)/no") } == DiskError.noSuchFile)
      #expect(try fileSystem.status(at: path) == nil)
      try fileSystem.writeNew(path, [1].rawSpan, sync: false)
      #expect(code { _ = try fileSystem.open(path, .createNew) } == DiskError.fileExists)
      #expect(code { try fileSystem.createDirectory(path) } == DiskError.fileExists)
      #expect(code { try fileSystem.removeDirectory(root) } == DiskError.directoryNotEmpty)
      let file = try fileSystem.open(path, .read)
      #expect(code { try fileSystem.writeAll(file, [1].rawSpan, at: 0) } == DiskError.badFile)
      try fileSystem.close(file)
      // The number of a real file may be another's at once.
      let closed = fileSystem is SimulatedDisk ? file : FileNumber(rawValue: -1)
      #expect(code { _ = try fileSystem.status(of: closed) } == DiskError.badFile)
    }
  }

  /// A directory has no second name, as no file has on some file systems.
  @Test func whatCannotBeLinkedIsRenamed() throws {
    for (fileSystem, root) in worlds {
      try fileSystem.createDirectory("\(root)/a")
      try fileSystem.createDirectory("\(root)/b")
      let refused = code {
        try fileSystem.rename("\(root)/a", to: "\(root)/b", replacing: false)
      }
      #expect(refused == DiskError.fileExists)
      try fileSystem.rename("\(root)/a", to: "\(root)/c", replacing: false)
      #expect(try fileSystem.list(root) == ["b", "c"])
    }
  }

  @Test func renameReplacesOnlyWhenTold() throws {
    for (fileSystem, root) in worlds {
      try fileSystem.writeNew("\(root)/a", [1].rawSpan, sync: false)
      try fileSystem.writeNew("\(root)/b", [2].rawSpan, sync: false)
      let refused = code {
        try fileSystem.rename("\(root)/a", to: "\(root)/b", replacing: false)
      }
      #expect(refused == DiskError.fileExists)
      #expect(try fileSystem.contents(of: "\(root)/b", limit: 1) == [2])
      try fileSystem.rename("\(root)/a", to: "\(root)/c", replacing: false)
      try fileSystem.rename("\(root)/c", to: "\(root)/b", replacing: true)
      #expect(try fileSystem.list(root) == ["b"])
      #expect(try fileSystem.contents(of: "\(root)/b", limit: 1) == [1])
    }
  }

  @Test func oneOpenFileHoldsTheLock() throws {
    for (fileSystem, root) in worlds {
      let first = try fileSystem.open("\(root)/lock", .createIfMissing)
      let second = try fileSystem.open("\(root)/lock", .createIfMissing)
      #expect(try fileSystem.lock(first))
      #expect(try fileSystem.lock(first))
      #expect(try !fileSystem.lock(second))
      try fileSystem.close(first)
      // A program that is being started has the first one, too, for a moment.
      #expect(try (0..<1_000_000).contains { _ in try fileSystem.lock(second) })
      try fileSystem.close(second)
    }
  }

  @Test func identityFollowsTheFileAndLinksAreCounted() throws {
    for (fileSystem, root) in worlds {
      try fileSystem.writeNew("\(root)/a", [1].rawSpan, sync: false)
      let file = try fileSystem.open("\(root)/a", .read)
      #expect(try fileSystem.status(of: file) == fileSystem.status(at: "\(root)/a"))
      #expect(try fileSystem.status(of: file).linkCount == 1)
      try fileSystem.unlink("\(root)/a")
      #expect(try fileSystem.status(of: file).linkCount == 0)
      try fileSystem.close(file)
    }
  }

  @Test func directoriesAreMadeWithTheirParents() throws {
    for (fileSystem, root) in worlds {
      let path = "\(root)/x/y/z"
      #expect(try fileSystem.createDirectories(path) == ["\(root)/x/y", "\(root)/x", root])
      #expect(try fileSystem.createDirectories(path) == [])
      #expect(try fileSystem.status(at: path)?.isDirectory == true)
      try fileSystem.removeDirectory(path)
      #expect(try fileSystem.list("\(root)/x/y") == [])
    }
  }

  @Test func theSystemStartIsKnown() {
    for (fileSystem, _) in worlds { #expect(fileSystem.bootID != 0) }
    #expect(WallClock.system.now() > 1_600_000_000_000_000_000)
  }

  @Test func pathsAreTakenApart() {
    #expect(FilePath.parent(of: "/a/b/") == "/a")
    #expect(FilePath.parent(of: "/a") == "/")
    #expect(FilePath.parent(of: "/") == nil)
    #expect(FilePath.parent(of: "a") == nil)
    #expect(FilePath.join("/a/", "b") == "/a/b")
    #expect(FilePath.name(of: "/a/b") == "b")
  }

  private func code(_ body: () throws -> Void) -> Int32? {
    do {
      try body()
      return nil
    } catch {
      return (error as? DiskError)?.code
    }
  }
}
