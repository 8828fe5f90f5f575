import JournalKit
import TestSupport
import Testing

/// Journals on real file systems that are full. An error, at worst, and never a signal.
@Suite(
  .serialized,
  .enabled(if: SmallFileSystem.obstacle == nil, "\(SmallFileSystem.obstacle ?? "")"))
struct JournalFullDiskTests {
  typealias Backend = Journal.Configuration.Backend
  private static let backends: [Backend] = [.written, .automatic]
  private static let payload = 4000

  private func entry(_ number: Int) -> [UInt8] {
    let digits = Array("\(number) ".utf8)
    return digits + [UInt8](repeating: UInt8(number & 0xff), count: Self.payload - digits.count)
  }

  /// A journal there whose upkeep has always been done.
  private func open(
    on disk: SmallFileSystem, _ fixture: JournalFixture, budget: Int = 1 << 30
  ) throws -> Journal {
    var environment = fixture.environment
    environment.fileSystem = POSIXFileSystem()
    return try Journal(
      directory: disk.path + "/journal",
      configuration: Journal.Configuration(
        maximumByteCount: budget, segmentByteCount: 512 << 10, backend: fixture.backend),
      environment: environment)
  }

  /// Appends from `first` on until something fails, and returns the first number that failed.
  private func fill(_ journal: Journal, from first: Int, sync: Sync = .processDeath) -> Int {
    var number = first
    do {
      while true {
        try journal.append(entry(number), sync: sync)
        number += 1
      }
    } catch {
      guard case .disk(let disk) = error, disk.code == DiskError.noSpace else {
        Issue.record("\(error)")
        return number
      }
      return number
    }
  }

  private func check(_ disk: SmallFileSystem, _ numbers: [Int]) throws {
    let recovery = try JournalRecovery.recover(directory: disk.path + "/journal")
    #expect(recovery.entries.map(\.payload) == numbers.map(entry))
    #expect(recovery.report.damages == [])
  }

  @Test(arguments: SmallFileSystem.Kind.allCases, backends)
  func itFillsUpAndGoesOnOnceThereIsSpace(
    kind: SmallFileSystem.Kind, backend: Backend
  ) throws {
    let disk = try SmallFileSystem(kind)
    let fixture = JournalFixture(backend: backend)
    let journal = try open(on: disk, fixture)
    let failed = fill(journal, from: 1)
    #expect(failed > 1000)
    if backend == .automatic { #expect(journal.nextSegmentError?.code == DiskError.noSpace) }
    for _ in 0..<20 { #expect(fill(journal, from: failed) == failed) }
    // The oldest segments are folded away, and there is space.
    for segment in journal.closedSegments().prefix(3) { try POSIXFileSystem().unlink(segment.path) }
    let next = try journal.append(entry(failed))
    #expect(next == UInt64(failed))
    journal.close()
    let recovery = try JournalRecovery.recover(directory: disk.path + "/journal")
    #expect(recovery.entries.last?.payload == entry(failed))
    let first = Int(recovery.report.droppedEntryCount) + 1
    #expect(recovery.entries.map(\.payload) == (first...failed).map(entry))
    #expect(recovery.report.damages == [])
  }

  /// Others take all the space. What the journal has set aside is its own.
  @Test(arguments: SmallFileSystem.Kind.allCases)
  func whatWasSetAsideIsThere(kind: SmallFileSystem.Kind) throws {
    let disk = try SmallFileSystem(kind)
    let journal = try open(on: disk, JournalFixture(backend: .automatic))
    // Beyond half of the segment: there is space for the next one, too.
    for number in 1...80 { try journal.append(entry(number)) }
    try disk.fill()
    let failed = fill(journal, from: 81)
    #expect(failed > 200)
    #expect(journal.nextSegmentError?.code == DiskError.noSpace)
    try check(disk, Array(1..<failed))
    try disk.empty()
    for number in failed..<failed + 400 { try journal.append(entry(number)) }
    #expect(journal.nextSegmentError == nil)
    journal.close()
    try check(disk, Array(1..<failed + 400))
  }

  /// With each entry on stable storage the system has to allocate, at the latest, when it writes.
  @Test(arguments: SmallFileSystem.Kind.allCases, backends)
  func stableStorageFillsUp(kind: SmallFileSystem.Kind, backend: Backend) throws {
    let disk = try SmallFileSystem(kind)
    let journal = try open(on: disk, JournalFixture(backend: backend))
    for number in 1...80 { try journal.append(entry(number)) }
    try disk.fill()
    let failed = fill(journal, from: 81, sync: .full)
    try check(disk, Array(1..<failed))
    journal.close()
  }

  /// A journal with a budget that the disk has room for never notices the disk's end.
  @Test(arguments: SmallFileSystem.Kind.allCases, backends)
  func theBudgetKeepsItGoing(kind: SmallFileSystem.Kind, backend: Backend) throws {
    let disk = try SmallFileSystem(kind)
    let journal = try open(on: disk, JournalFixture(backend: backend), budget: 3 << 20)
    for number in 1...5000 { try journal.append(entry(number)) }
    #expect(journal.droppedSegmentCount > 10)
    journal.close()
    let recovery = try JournalRecovery.recover(directory: disk.path + "/journal")
    #expect(recovery.entries.last?.payload == entry(5000))
    #expect(recovery.report.damages == [])
  }
}
