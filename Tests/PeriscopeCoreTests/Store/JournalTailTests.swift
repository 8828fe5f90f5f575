import JournalKit
import PeriscopeCore
import SegmentIndex
import Synchronization
import TestSupport
import Testing

/// What queries see of journals while they grow, are folded, or are damaged.
@Suite struct JournalTailTests {
  let disk = SimulatedDisk()
  let clock = WallClock { 1_767_225_600_000_000_000 }
  /// The folds of segments that are full.
  let background = BackgroundWork()
  var environment: JournalEnvironment {
    JournalEnvironment(simulated: disk, clock: clock, background: background.add)
  }

  /// Segments hold two or three records.
  func open(_ session: SessionInfo? = nil) throws -> PeriscopeStore {
    try PeriscopeStore.make(
      storage: .directory("/store"),
      session: session ?? .current(app: "Test", environment: environment),
      configuration: .init(segmentByteCount: 1 << 10), environment: environment)
  }

  func reader() throws -> StoreReader {
    StoreReader(
      try SegmentStore(directory: "/store", fileSystem: disk), session: nil, clock: clock)
  }

  func messages(_ reader: StoreReader) throws -> [String] {
    try reader.query("| sort sequence").records.map(\.message)
  }

  /// More questions than small segments are kept for, each after one more record.
  @Test func everyQuestionSeesWhatCameSince() throws {
    let store = try open()
    let reader = try reader()
    for number in 1...25 {
      store.log("A").info("\(number)")
      #expect(try messages(reader) == (1...number).map(String.init))
    }
  }

  /// The store is folded between two questions, by itself and on request.
  @Test(arguments: 1...6) func aFoldInBetweenIsNotSeen(pace: Int) throws {
    let store = try open()
    let reader = try reader()
    for number in 1...40 {
      store.log("A").info("\(number)")
      if number.isMultiple(of: pace) { background.run() }
      if number.isMultiple(of: 7) { _ = try store.compact() }
      let seen = try messages(reader)
      #expect(seen == (1...number).map(String.init), "\(seen) failures \(store.appendFailureCount)")
    }
    store.close()
    _ = try open()
    #expect(try messages(reader) == (1...40).map(String.init))
  }

  /// Threads log, fold and ask at once; each question is answered with all that was logged before it.
  @Test func threadsMayFoldWhileOthersAsk() throws {
    let store = try open()
    let reader = try reader()
    let logged = Atomic(0)
    runThreads(3) { thread in
      switch thread {
      case 0:
        for number in 1...30 {
          store.log("A").info("\(number)")
          logged.store(number, ordering: .releasing)
        }
      case 1:
        while logged.load(ordering: .acquiring) < 30 { background.run() }
      default:
        var seen = 0
        while seen < 30 {
          let before = logged.load(ordering: .acquiring)
          guard let messages = try? messages(reader) else { continue }
          seen = messages.count
          #expect(seen >= before && messages == (0..<seen).map { "\($0 + 1)" })
        }
      }
    }
  }

  /// Only the last two manifests are kept: none of those that this reader was to expect next may be there.
  @Test(arguments: 0...2, 1...5)
  func anyNumberOfFoldsBetweenTwoQuestionsIsNoticed(before: Int, between: Int) throws {
    let store = try open()
    var number = 0
    func logAndFold() throws {
      number += 1
      store.log("A").info("\(number)")
      _ = try store.compact()
    }
    for _ in 0..<before { try logAndFold() }
    let reader = try reader()
    for _ in 0..<between { try logAndFold() }
    #expect(try messages(reader) == (1...number).map(String.init))
  }

  @Test func damageIsReportedOnceAndTheRestIsSeen() throws {
    let store = try open()
    for number in 1...3 { store.log("A").info("number \(number)") }
    let path = "/store/journals/\(store.session.id)/0000000000000001.jseg"
    var bytes = try disk.contents(of: path, limit: 1 << 20)
    let place = try #require(bytes.firstRange(of: Array("number 2".utf8))).lowerBound
    bytes[place] ^= 1
    let file = try disk.open(path, .readWrite)
    try disk.writeAll(file, bytes.rawSpan, at: 0)
    try disk.close(file)

    let reader = try reader()
    for _ in 1...3 {
      let result = try reader.query("| sort sequence")
      #expect(result.records.map(\.message) == ["number 1", "number 3"])
      #expect(result.summary.gaps.count == 1)
      #expect(!result.summary.isComplete)
    }
  }

  /// Whichever read or opening fails: the answer says that something is missing, and the next one has it.
  @Test(arguments: [DiskError.Call.read, .open], 1...6)
  func aFileThatCannotBeReadForAWhileIsReadLater(call: DiskError.Call, occurrence: Int) throws {
    let store = try open()
    for number in 1...20 { store.log("A").info("\(number)") }
    let reader = try reader()
    disk.inject(SimulatedDisk.Fault(call, at: occurrence))
    if let result = try? reader.query("| sort sequence"), result.summary.isComplete {
      #expect(result.rowCount == 20)
    }
    disk.removeFaults()
    #expect(try messages(reader) == (1...20).map(String.init))
    #expect(try reader.query("").summary.isComplete)
  }

  /// Somebody else's journal, which may be nobody's to read, must not keep programs from logging and asking.
  @Test(arguments: [DiskError.Call.list, .open, .status])
  func aJournalThatCannotBeReadIsAGap(call: DiskError.Call) throws {
    let other = try open()
    other.log("A").info("hidden")
    let path = "/store/journals/\(other.session.id)"
    disk.inject(SimulatedDisk.Fault(call, on: path, repeats: true))
    let store = try open(SessionInfo(id: UniqueID(bits: 1), start: 0))
    store.log("A").info("seen")
    let result = try store.reader.query("")
    #expect(result.records.map(\.message) == ["seen"])
    #expect(result.summary.gaps.count == 1 && !result.summary.isComplete)
    #expect(result.summary.gaps.allSatisfy { $0.estimatedCount == nil })
    let verified = try StoreVerifier.verify(try SegmentStore(directory: "/store", fileSystem: disk))
    #expect(verified.problems.count == 1)
    disk.removeFaults()
    #expect(try messages(store.reader).sorted() == ["hidden", "seen"])
    #expect(try store.reader.query("").summary.isComplete)
  }

  /// It is gone between two looks, but what it held is in a segment.
  @Test(arguments: 1...12) func aJournalMayBeFoldedWhileItIsLookedFor(call: Int) throws {
    let first = try open()
    first.log("A").info("folded")
    first.close()
    let reader = try reader()
    disk.beforeCall(call) { _ = try? open().close() }
    #expect(try messages(reader) == ["folded"])
    disk.removeHooks()
    #expect(try messages(reader) == ["folded"])
  }

  /// It goes to the quarantine, so that generations are missing between those that are there.
  @Test func aDamagedManifestBetweenTwoQuestionsIsNoticed() throws {
    let store = try open()
    func logAndFold(_ number: Int) throws {
      store.log("A").info("\(number)")
      _ = try store.compact()
    }
    try logAndFold(1)
    let reader = try reader()
    #expect(try messages(reader) == ["1"])
    try logAndFold(2)
    let newest = try #require(
      try disk.list("/store").filter { $0.hasPrefix("manifest-") }.max())
    var bytes = try #require(disk.content(of: "/store/\(newest)"))
    bytes[bytes.count / 2] ^= 1
    disk.setContent(of: "/store/\(newest)", to: bytes)
    try logAndFold(3)
    #expect(try messages(reader) == ["1", "2", "3"])
  }

  @Test func whatTheBudgetDroppedIsAGap() throws {
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      configuration: .init(maximumByteCount: 4 << 10, segmentByteCount: 1 << 10),
      environment: JournalEnvironment(simulated: disk, clock: clock))
    // Another process holds the store's lock, so nothing is folded.
    let lock = try disk.open("/store/compact.lock", .createIfMissing)
    #expect(try disk.lock(lock))
    for number in 1...100 { store.log("A").info("\(number)") }
    #expect(store.droppedSegmentCount > 10 && store.appendFailureCount == 0)
    let result = try reader().query("| sort sequence")
    let seen = result.records.compactMap { Int($0.message) }
    let first = try #require(seen.first)
    #expect(first > 1 && seen == Array(first...100))
    #expect(result.summary.gaps.compactMap(\.estimatedCount) == [first - 1])
  }

  /// The same session twice: its records are numbered on, and no two are the same.
  @Test func aContinuedSessionRepeatsNoIdentity() throws {
    let session = SessionInfo.current(app: "Test", environment: environment)
    for round in 1...3 {
      let store = try open(session)
      for number in 1...4 { store.log("A").info("\(round) \(number)") }
      store.close()
    }
    let records = try reader().query("").records
    #expect(records.count == 12)
    #expect(Set(records.map(\.id)).count == 12)
    #expect(Set(records.map(\.sequence)).count == 12)
  }

  /// The session's first owner logs once more and closes, at any moment while it is being continued: whoever goes on
  /// knows of that record.
  @Test func aSessionMayEndWhileItIsBeingContinued() throws {
    var moment = 1
    while try endsWhileItIsContinued(at: moment) { moment += 1 }
    #expect(moment > 10)
  }

  /// False when continuing the session takes fewer calls than that.
  private func endsWhileItIsContinued(at moment: Int) throws -> Bool {
    let world = Self()
    let hasEnded = Mutex(false)
    let session = SessionInfo.current(app: "Test", environment: world.environment)
    let first = try world.open(session)
    first.log("A").info("1")
    world.disk.beforeCall(moment) {
      hasEnded.withLock { $0 = true }
      first.log("A").info("2")
      first.close()
    }
    // As long as it is under way it cannot be continued.
    let second = try? world.open(session)
    world.disk.removeHooks()
    second?.log("A").info("3")
    let records = try world.reader().query("| sort sequence").records
    #expect(records.map(\.sequence) == (1...UInt64(records.count)).map { $0 }, "\(moment)")
    #expect(Set(records.map(\.id)).count == records.count, "\(moment)")
    #expect(second == nil || records.map(\.message) == ["1", "2", "3"], "\(moment)")
    return hasEnded.withLock { $0 }
  }

  @Test func aSessionUnderWayCannotBeContinued() throws {
    let first = try open()
    #expect(throws: StoreError.self) { try open(first.session) }
  }
}
