import JournalKit
import TestSupport
import Testing

/// Mapped journals on real file systems.
@Suite struct MappedFileTests {
  private static let roots = ["/tmp", "/dev/shm"].filter { root in
    (try? POSIXFileSystem().status(at: root))?.isDirectory == true
  }

  /// The files of a journal, byte by byte, after `body` and before anything else happens to it: no other thread does.
  private func files(
    _ directory: String, _ backend: Journal.Configuration.Backend, _ body: (Journal) throws -> Void
  ) throws -> [[UInt8]] {
    let journal = try Journal(
      directory: directory,
      configuration: Journal.Configuration(
        maximumByteCount: 4 << 20, segmentByteCount: 64 << 10, backend: backend),
      environment: JournalEnvironment(
        clock: WallClock { 1 }, random: { 0x1111_2222_3333_4444 }, worker: { _ in IdleWorker() }))
    try body(journal)
    let fileSystem = POSIXFileSystem()
    return try fileSystem.list(directory).filter { $0.hasSuffix(".jseg") }.map {
      try fileSystem.contents(of: "\(directory)/\($0)", limit: 1 << 20)
    }
  }

  @Test(arguments: roots) func bothBackendsLeaveTheSameBytes(root: String) throws {
    let temporary = try TemporaryDirectory(under: root)
    let images = try [Journal.Configuration.Backend.written, .mapped].map { backend in
      try files("\(temporary.path)/\(backend)", backend) { journal in
        for number in 1...3000 {
          try journal.append(
            [UInt8](repeating: UInt8(number & 0xff), count: number % 200),
            sync: number % 500 == 0 ? .full : .processDeath)
        }
        journal.close()
      }
    }
    #expect(images[0].count > 3)
    #expect(images[0] == images[1])
  }

  /// What is stored is in the file at once, for everyone who reads it.
  @Test(arguments: roots) func entriesAreInTheFileAtOnce(root: String) throws {
    let temporary = try TemporaryDirectory(under: root)
    let path = "\(temporary.path)/journal"
    _ = try files(path, .mapped) { journal in
      for number in 1...2000 {
        try journal.append([UInt8(number & 0xff)])
        guard number % 100 == 0 else { continue }
        let recovery = try JournalRecovery.recover(directory: path)
        #expect(recovery.entries.count == number)
        #expect(recovery.report.damages == [] && !recovery.foundTornEntry)
      }
    }
  }

  /// Stores into a mapping count as data before anything has reached the disk; nothing before them is passed over.
  @Test(arguments: roots) func storesAreFoundBehindUnwrittenSpace(root: String) throws {
    let temporary = try TemporaryDirectory(under: root)
    let fileSystem = POSIXFileSystem()
    let file = try fileSystem.open("\(temporary.path)/file", .createNew)
    defer { try? fileSystem.close(file) }
    let length = 1 << 20
    try fileSystem.allocate(file, length: Int64(length))
    let region = try unsafe fileSystem.mapForWriting(file, length: length)
    defer { unsafe fileSystem.unmap(UnsafeRawBufferPointer(region)) }
    for offset in [900_000, 500_000, 8, 0] {
      unsafe region.storeBytes(of: 7, toByteOffset: offset, as: UInt8.self)
      var next = 0 as Int64?
      var found: [UInt8] = [0]
      while found == [0], let start = next {
        next = try fileSystem.nextData(file, from: start)
        guard let data = next, data <= Int64(offset) else { break }
        var byte = [0 as UInt8]
        _ = try fileSystem.readAll(file, into: &byte, at: data)
        found = byte
        next = data + 1
      }
      #expect(found == [7] && next == Int64(offset) + 1)
    }
  }

  @Test func onlyKnownFileSystemsKeepTheirSpace() throws {
    let fileSystem = POSIXFileSystem()
    #expect(try !fileSystem.keepsAllocations(in: "/proc"))
    #expect(try !fileSystem.keepsAllocations(in: "/nowhere"))
  }
}
