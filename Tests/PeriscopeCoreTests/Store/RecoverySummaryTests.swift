import JournalKit
import PeriscopeCore
import TestSupport
import Testing

/// What a store says about the sessions that came before.
@Suite struct RecoverySummaryTests {
  typealias Machine = PeriscopeStoreTests.Machine
  let machine = Machine()

  /// Runs sessions that all live at once, so that none recovers another, and all end by the death of
  /// their process.
  private func sessionsThatDie(_ names: [String], _ body: ([PeriscopeStore]) -> Void) throws {
    let stores = try names.map { try machine.open(app: $0) }
    body(stores)
    machine.disk.stop(after: 0)
    stores.forEach { $0.close() }
    machine.disk.restart()
  }

  @Test func nothingWasThere() throws {
    let store = try machine.open()
    #expect(store.recovery.journals.isEmpty && store.recovery.problems.isEmpty)
    #expect(store.recovery.recordCount == 0)
  }

  @Test func tellsASessionThatClosedItsStore() throws {
    let closed = try machine.open(app: "Closed")
    for _ in 0..<3 { closed.log("App").info("some") }
    closed.close()
    let recovery = try machine.open(app: "Next").recovery
    #expect(recovery.journals.map(\.session) == [closed.session])
    #expect(recovery.journals.map(\.recordCount) == [3])
    #expect(recovery.journals[0].wasClosed)
    #expect(!recovery.journals[0].foundTornEntry && recovery.journals[0].gaps.isEmpty)
  }

  @Test func journalsComeOldestFirst() throws {
    try sessionsThatDie(["First", "Second"]) { stores in
      stores[1].log("App").info("one")
      for _ in 0..<4 { stores[0].log("App").info("some") }
    }
    let recovery = try machine.open(app: "Third").recovery
    #expect(recovery.journals.map(\.session?.app) == ["First", "Second"])
    #expect(recovery.journals.map(\.recordCount) == [4, 1])
    #expect(recovery.recordCount == 5)
    #expect(recovery.journals.allSatisfy { !$0.wasClosed && !$0.foundTornEntry })
    #expect(recovery.problems.isEmpty)
  }

  /// A log call that had not returned, or damage: what is known of it is said, and the rest recovered.
  @Test func saysWhatIsMissing() throws {
    try sessionsThatDie(["App"]) { stores in
      for name in ["first", "second", "third"] { stores[0].log("App").info("the \(name) of three") }
    }
    let place = try machine.place(of: "the second of three")
    var bytes = try #require(machine.disk.content(of: place.path))
    bytes[place.offset] ^= 0xff
    machine.disk.setContent(of: place.path, to: bytes)
    let next = try machine.open(app: "Next")
    #expect(next.recovery.recordCount == 2)
    #expect(next.recovery.journals.map(\.gaps.count) == [1])
    #expect(try next.query("three").rowCount == 2)
    #expect(try !next.query("three").summary.isComplete)
  }

  @Test func tellsATornEntry() throws {
    try sessionsThatDie(["App"]) { stores in
      for name in ["first", "last"] { stores[0].log("App").info("the \(name) one") }
    }
    let place = try machine.place(of: "the last one")
    var bytes = try #require(machine.disk.content(of: place.path))
    bytes.removeSubrange(place.offset...)
    machine.disk.setContent(of: place.path, to: bytes)
    let next = try machine.open(app: "Next")
    #expect(next.recovery.recordCount == 1)
    #expect(next.recovery.journals.map(\.foundTornEntry) == [true])
    #expect(try next.query("").records.map(\.message) == ["the first one"])
  }

  /// Journals are folded together; one that cannot be read does not keep the others.
  @Test func oneUnreadableJournalKeepsNoOther() throws {
    try sessionsThatDie(["One", "Two", "Three"]) { stores in
      for store in stores { store.log("App").info("some") }
    }
    let journals = try machine.disk.list("/store/journals")
    try #require(journals.count == 3)
    machine.disk.inject(
      .init(.read, on: "/store/journals/\(journals[1])", repeats: true))
    let recovery = try machine.open(app: "Next").recovery
    #expect(recovery.recordCount == 2 && recovery.problems.count == 1)
    machine.disk.removeFaults()
    // Who folds the third one is open: the last store, or what the one before it does in the background.
    #expect(try machine.open(app: "Last").query("some").rowCount == 3)
  }

  @Test func compactingFoldsWhatOthersLeft() throws {
    let store = try machine.open(app: "Live")
    let other = try machine.open(app: "Other")
    for _ in 0..<3 { other.log("App").info("some") }
    store.log("App").info("one")
    #expect(try store.compact().journals.allSatisfy { $0.session != other.session })
    other.close()
    let folded = try store.compact().journals.filter { $0.session == other.session }
    #expect(folded.map(\.recordCount) == [3])
    #expect(try store.compact().journals.allSatisfy { $0.session != other.session })
    #expect(try store.query("").rowCount == 4)
  }
}
