import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// The store on the operating system's own files.
@Suite struct RealStoreTests {
  private let temporary: TemporaryDirectory
  private var directory: String { "\(temporary.path)/store" }

  init() throws {
    temporary = try TemporaryDirectory()
  }

  private func fold(_ name: String, live: Bool = false) throws -> FoldReport {
    try Compactor(try SegmentStore(directory: directory), rowLimit: 40).fold(
      journalDirectory: "\(directory)/journals/\(name)", onlyClosedSegments: live,
      decode: StoreFixture.decode)
  }

  private func numbers() throws -> [Int] {
    try SegmentStore(directory: directory).snapshot().segments.flatMap { segment in
      var reader = try RecordReader(segment)
      return try reader.records(in: 0..<segment.rowCount).map { Int($0.sequence) }
    }
  }

  @Test func journalsAreFoldedLiveAndDead() throws {
    let journal = try Journal(directory: "\(directory)/journals/a")
    for number in 1...100 { try journal.append(StoreFixture.entry(number)) }
    #expect(throws: StoreError.journalIsLive("\(directory)/journals/a")) { try fold("a") }
    try journal.rotate()
    for number in 101...130 { try journal.append(StoreFixture.entry(number)) }
    #expect(try fold("a", live: true).recordCount == 100)
    #expect(try numbers() == Array(1...100))
    journal.close()
    let report = try fold("a")
    #expect(report.recordCount == 30 && report.isJournalRemoved && report.problems == [])
    #expect(try numbers() == Array(1...130))
    let fileSystem = POSIXFileSystem()
    #expect(try fileSystem.list("\(directory)/journals") == [])
    #expect(
      try fileSystem.list(directory) == [
        "compact.lock", "journals", "manifest-0000000000000001", "manifest-0000000000000002",
        "reserve", "segments",
      ])
    let verified = try StoreVerifier.verify(try SegmentStore(directory: directory))
    #expect(verified.problems == [] && verified.recordCount == 130)
  }

  /// A directory in the quarantine holds no records, and holds up no removal.
  @Test func directoriesInTheQuarantineAreNoSegments() throws {
    let journal = try Journal(directory: "\(directory)/journals/a")
    for number in 1...10 { try journal.append(StoreFixture.entry(number)) }
    journal.close()
    _ = try fold("a")
    let path = "\(directory)/quarantine/0000000000000001-segments-\(UniqueID(bits: 8)).pseg"
    try POSIXFileSystem().createDirectory(path)
    let store = try SegmentStore(directory: directory)
    #expect(try Compactor(store).remove { $0.sequence == 3 } == 1)
    #expect(try numbers() == [1, 2] + Array(4...10))
    #expect(try POSIXFileSystem().status(at: path)?.isDirectory == true)
  }

  /// Threads log, fold and read at once; a reader sees every record once, whatever moves meanwhile.
  @Test func readersSeeEachRecordOnce() throws {
    let path = "\(directory)/journals/a"
    let journal = try Journal(
      directory: path,
      configuration: Journal.Configuration(segmentByteCount: 4 << 10))
    let store = try SegmentStore(directory: directory)
    runThreads(4) { thread in
      do {
        switch thread {
        case 0:
          for number in 1...600 { try journal.append(StoreFixture.entry(number)) }
        case 1, 2:
          for _ in 0..<10 {
            try journal.rotate()
            do {
              _ = try Compactor(store).fold(
                journalDirectory: path, onlyClosedSegments: true, decode: StoreFixture.decode)
            } catch StoreError.busy {
              // It met the writer while that began a file, and leaves it for the next time.
            }
          }
        default:
          for _ in 0..<20 {
            let sequences = try store.snapshot().segments.flatMap(\.sources)
            let covered = sequences.reduce(0) { $0 + Int($1.lastSequence - $1.firstSequence) + 1 }
            let last = Int(sequences.map(\.lastSequence).max() ?? 0)
            #expect(covered == last)
          }
        }
      } catch {
        Issue.record(error)
      }
    }
    journal.close()
    _ = try fold("a")
    #expect(try numbers().sorted() == Array(1...600))
  }

  #if os(Linux)
    /// A store of many segments would take memory for all of them, and a fault or two for each.
    @Test func aSegmentThatIsOpenedIsNotInMemoryYet() throws {
      var builder = SegmentBuilder()
      for number in 1...5000 { builder.append(StoreFixture.record(number)) }
      let path = "\(temporary.path)/one.pseg"
      let bytes = try builder.finish()
      try POSIXFileSystem().writeNew(path, bytes.rawSpan, sync: false)
      let segment = try Segment(path: path)
      #expect(try residentKilobytes(of: path) == ["0"])
      _ = try segment.record(at: 0)
      #expect(try residentKilobytes(of: path) != ["0"])
    }

    /// How many kilobytes of each of a file's maps are in memory, as the system writes it.
    private func residentKilobytes(of path: String) throws -> [String] {
      let maps = try POSIXFileSystem().contents(of: "/proc/self/smaps", limit: 16 << 20)
      var kilobytes: [String] = []
      var isInFile = false
      for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
        if line.contains("-"), !line.hasPrefix("VmFlags") { isInFile = line.hasSuffix(path) }
        if isInFile, line.hasPrefix("Rss:") {
          kilobytes.append(String(line.split(separator: " ")[1]))
        }
      }
      return kilobytes
    }
  #endif
}
