import JournalKit
import TestSupport
import Testing

/// The disk that other tests trust.
@Suite struct SimulatedDiskTests {
  private let disk = SimulatedDisk()

  init() throws {
    try disk.createDirectory("/d")
    try disk.syncDirectory("/")
  }

  @Test func onlyWhatIsSyncedSurvivesALossOfPower() throws {
    let file = try disk.open("/d/a", .createNew)
    try disk.writeAll(file, [1, 2].rawSpan, at: 0)
    try disk.sync(file)
    try disk.writeAll(file, [3].rawSpan, at: 2)
    let nameless = disk.copy()
    nameless.crash()
    #expect(nameless.paths == [])
    try disk.syncDirectory("/d")
    disk.crash()
    #expect(disk.content(of: "/d/a") == [1, 2])
    #expect(throws: DiskError.self) { try disk.status(of: file) }
  }

  @Test func aDurableNameOfUnsyncedContentIsAnEmptyFile() throws {
    try disk.writeNew("/d/a", [1].rawSpan, sync: false)
    try disk.syncDirectory("/d")
    disk.crash()
    #expect(disk.content(of: "/d/a") == [])
  }

  @Test func aDeletionCanComeUndone() throws {
    try disk.writeNew("/d/a", [1].rawSpan, sync: true)
    try disk.syncDirectory("/d")
    try disk.unlink("/d/a")
    disk.crash()
    #expect(disk.content(of: "/d/a") == [1])
  }

  @Test func chanceKeepsAnyPages() throws {
    let pages = [UInt8](repeating: 1, count: 3 * 4096)
    let file = try disk.open("/d/a", .createNew)
    try disk.sync(file)
    try disk.syncDirectory("/d")
    try disk.writeAll(file, pages.rawSpan, at: 0)
    var outcomes: Set<[UInt8]> = []
    for seed in 0..<100 {
      let copy = disk.copy()
      copy.crash(keeping: .random(seed: UInt64(seed)))
      outcomes.insert(try #require(copy.content(of: "/d/a")))
    }
    #expect(outcomes.count == 9)
  }

  @Test func aDeadProcessChangesNothing() throws {
    let file = try disk.open("/d/a", .createNew)
    disk.stop(after: 1)
    try disk.writeAll(file, [1].rawSpan, at: 0)
    #expect(throws: DiskError.self) { try disk.writeAll(file, [2].rawSpan, at: 0) }
    #expect(throws: DiskError.self) { try disk.unlink("/d/a") }
    #expect(disk.isStopped)
    disk.restart()
    #expect(disk.content(of: "/d/a") == [1])
  }

  @Test func callsFailOnRequest() throws {
    let file = try disk.open("/d/a", .createNew)
    disk.inject(.init(.write, at: 2, code: DiskError.noSpace))
    try disk.writeAll(file, [1].rawSpan, at: 0)
    #expect(throws: DiskError(call: .write, path: "/d/a", code: DiskError.noSpace)) {
      try disk.writeAll(file, [2].rawSpan, at: 0)
    }
    try disk.writeAll(file, [3].rawSpan, at: 0)
    disk.inject(.init(.sync, at: 1, repeats: true))
    for _ in 0..<2 { #expect(throws: DiskError.self) { try disk.sync(file) } }
  }

  @Test func spaceRunsOutInTheMiddleOfAWrite() throws {
    let file = try disk.open("/d/a", .createNew)
    disk.capacity = 3
    var written = 0
    #expect(throws: DiskError.self) {
      try disk.writeAll(file, [1, 2, 3, 4].rawSpan, at: 0, written: &written)
    }
    #expect(written == 3)
    try disk.writeAll(file, [9].rawSpan, at: 0)
    #expect(disk.content(of: "/d/a") == [9, 2, 3])
  }

  @Test func shortTransfersAddUp() throws {
    disk.transferLimit = 2
    try disk.writeNew("/d/a", [1, 2, 3, 4, 5].rawSpan, sync: false)
    #expect(disk.log.filter { $0.hasPrefix("write") }.count == 3)
    #expect(try disk.contents(of: "/d/a", limit: 9) == [1, 2, 3, 4, 5])
  }

  /// As of a file under /proc, its length says nothing about how much there is.
  @Test(arguments: [1, 16_384, 16_385, 100_000]) func aFileThatGrowsIsReadToItsEnd(
    length: Int
  ) throws {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
    for limit in [length - 1, length, length + 1, 1 << 20] {
      let disk = SimulatedDisk()
      disk.setContent(of: "/a", to: [])
      disk.beforeRead(1) { disk.setContent(of: "/a", to: bytes) }
      if limit < length {
        #expect(throws: DiskError.self) { try disk.contents(of: "/a", limit: limit) }
      } else {
        #expect(try disk.contents(of: "/a", limit: limit) == bytes)
      }
    }
  }
}
