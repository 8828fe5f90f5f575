import JournalKit
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// Questions while journals grow, are folded, and are damaged.
@Suite struct StoreReaderTests {
  typealias Machine = PeriscopeStoreTests.Machine
  let machine = Machine()

  @Test func manySmallReadsGiveWhatOneGives() throws {
    let store = try machine.open()
    let log = store.log("App")
    var segmentCounts: Set<Int> = []
    for number in 1...30 {
      log.info("number \(number)")
      let snapshot = try store.reader.snapshot()
      segmentCounts.insert(snapshot.segments.count)
      #expect(snapshot.segments.reduce(0) { $0 + $1.rowCount } == number)
    }
    // Small segments do not pile up, and a read does not begin from the start each time either.
    #expect(segmentCounts.count > 1)
    #expect(segmentCounts.allSatisfy { $0 <= 8 })
    let another = try StoreReader(
      SegmentStore(directory: "/store", fileSystem: machine.disk), session: nil,
      clock: machine.environment.clock)
    #expect(try another.query("").records == store.query("").records)
  }

  @Test func aReadWithNothingNewAddsNothing() throws {
    let store = try machine.open()
    store.log("App").info("one")
    let first = try store.reader.snapshot()
    let second = try store.reader.snapshot()
    #expect(first.segments.count == 1 && second.segments.count == 1)
  }

  @Test func whatIsFoldedBetweenTwoReadsIsSeenOnce() throws {
    let store = try machine.open()
    let log = store.log("App")
    for round in 1...3 {
      log.info("before \(round)")
      #expect(try store.query("before").rowCount == round)
      try store.compact()
      log.info("after \(round)")
      let messages = try store.query("").records.map(\.message)
      #expect(messages.count == 2 * round)
      #expect(Set(messages).count == 2 * round)
    }
  }

  /// At each step to the disk that a fold waits for, a reader sees every record once.
  @Test func aReaderIsRightWhileJournalsAreFolded() throws {
    let store = try machine.open()
    let log = store.log("App")
    for number in 1...20 { log.info("number \(number)") }
    let disk = machine.disk
    let answers = Mutex<[[String]]>([])
    @Sendable func ask() {
      let messages = (try? store.query("| sort sequence").records.map(\.message)) ?? []
      answers.withLock { $0.append(messages) }
      // Until the fold is over.
      if answers.withLock({ $0.count }) < 100 { disk.beforeNextSync { ask() } }
    }
    disk.beforeNextSync { ask() }
    try store.compact()
    let asked = answers.withLock { $0 }
    #expect(asked.count > 1)
    for messages in asked { #expect(messages == (1...20).map { "number \($0)" }) }
  }

  @Test func aDamagedJournalIsAGap() throws {
    let store = try machine.open()
    let log = store.log("App")
    for name in ["first", "second", "third"] { log.info("the \(name) of three") }
    let damaged = try machine.place(of: "the second of three")
    var bytes = try #require(machine.disk.content(of: damaged.path))
    bytes[damaged.offset] ^= 0xff
    machine.disk.setContent(of: damaged.path, to: bytes)
    for _ in 0..<2 {
      // Asking again does not count the gap again.
      let result = try store.query("")
      #expect(result.records.map(\.message) == ["the third of three", "the first of three"])
      #expect(result.summary.gaps.count == 1)
      #expect(!result.summary.isComplete)
    }
    log.info("the fourth of three")
    let later = try store.query("")
    #expect(later.rowCount == 3 && later.summary.gaps.count == 1)
  }

  @Test func sessionsAreListedOnceOldestFirst() throws {
    let first = try machine.open(app: "First")
    first.log("A").info("one")
    let second = try machine.open(app: "Second")
    second.log("B").info("two")
    try first.compact()
    first.log("A").info("three")
    #expect(try second.reader.sessions().map(\.app) == ["First", "Second"])
  }
}
