import JournalKit
import PQL
import PeriscopeCore
import SegmentIndex
import Synchronization
import TestSupport
import Testing

@Suite struct AttachmentTests {
  typealias Machine = PeriscopeStoreTests.Machine

  private let machine = Machine()
  private let small = LogAttachment(name: "small", type: .binary, bytes: [1, 2, 3])
  private let largeBytes = (0..<LogAttachment.inlineLimit + 1).map { UInt8(truncatingIfNeeded: $0) }
  private var large: LogAttachment { LogAttachment(name: "large", type: .png, bytes: largeBytes) }

  /// The files with attachments: in the store, and beside journals.
  private func files() throws -> (stored: [String], beside: [String]) {
    func names(_ directory: String) throws -> [String] {
      guard try machine.disk.status(at: directory) != nil else { return [] }
      return try machine.disk.list(directory)
    }
    let beside = try names("/store/journals").flatMap { try names("/store/journals/\($0)") }
    return (
      try names("/store/attachments"), beside.filter { $0.hasSuffix(".attachment") }
    )
  }

  /// How many there are in the store, and beside journals.
  private func fileCounts() throws -> [Int] {
    let files = try files()
    return [files.stored.count, files.beside.count]
  }

  private func attachments(
    _ store: PeriscopeStore, of message: String = "it failed"
  ) throws -> [StoredAttachment] {
    let record = try #require(
      try store.query("message = $m", parameters: ["m": .string(message)]).records.first)
    return try store.attachments(forEvent: record.id)
  }

  // MARK: What can be attached

  @Test func everyKindComesBackAsItWas() throws {
    struct Cart: Codable { var count: Int }
    let store = try machine.open()
    store.log("App").error(
      "it failed",
      attachments: [
        .json(Cart(count: 3), name: "cart.json"), .text("grün\n"), .png([0x89, 0, 255]),
        .jpeg([0xff, 0xd8]), LogAttachment(name: "x", type: "audio/ogg", bytes: []),
      ])
    for _ in 0..<2 {
      let found = try attachments(store)
      #expect(found.map(\.name) == ["cart.json", "text.txt", "picture.png", "picture.jpeg", "x"])
      #expect(found.map(\.type) == [.json, .plainText, .png, .jpeg, "audio/ogg"])
      #expect(found.map(\.byteCount) == [11, 6, 3, 2, 0])
      #expect(
        try found.map { try $0.bytes() }
          == [
            Array(#"{"count":3}"#.utf8), Array("grün\n".utf8), [0x89, 0, 255], [0xff, 0xd8], [],
          ])
      // And from a segment.
      try store.compact()
    }
    #expect(try fileCounts() == [0, 0])
  }

  @Test func errorsSayWhatTheyAre() throws {
    struct Declined: Error, Codable { var code: Int }
    struct Plain: Error, CustomStringConvertible { var description: String { "no way" } }
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [.error(Declined(code: 51)), .error(Plain())])
    let texts = try attachments(store).map { String(decoding: try $0.bytes(), as: UTF8.self) }
    #expect(texts[0].contains(#""fields":{"code":51}"#))
    #expect(texts[0].contains("Declined"))
    #expect(texts[1].contains(#""description":"no way""#))
    #expect(!texts[1].contains("fields"))
  }

  @Test func whatCannotBeEncodedSaysSo() throws {
    struct Stubborn: Encodable {
      func encode(to encoder: any Encoder) throws {
        throw EncodingError.invalidValue(7, .init(codingPath: [], debugDescription: "I will not"))
      }
    }
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [.json(Stubborn()), small])
    let found = try attachments(store)
    #expect {
      try found[0].bytes()
    } throws: { error in
      guard case AttachmentError.notKept(let reason) = error else { return false }
      return reason.contains("I will not")
    }
    #expect(try found[1].bytes() == [1, 2, 3])
  }

  @Test func eventsHaveThemToo() throws {
    let store = try machine.open()
    store.log(PeriscopeStoreTests.Imported.self)(
      .init(album: "a", ratio: 1), attachments: [small])
    #expect(try attachments(store, of: "imported into a").map(\.name) == ["small"])
    #expect(try store.query("payload.album = a").rowCount == 1)
  }

  @Test func everyLevelTakesThem() throws {
    let store = try machine.open()
    let log = store.log("App")
    log.debug("1", attachments: [small])
    log.info("2", attachments: [small])
    log.notice("3", attachments: [small])
    log.warning("4", attachments: [small])
    log.error("5", attachments: [small])
    log.fault("6", attachments: [small])
    let records = try store.query("attachments = 1 | sort sequence").records
    #expect(records.map(\.level) == LogLevel.standard)
    #expect(Set(records.map(\.function)) == ["everyLevelTakesThem()"])
  }

  @Test func whatIsBelowTheFloorIsNotEvenMade() throws {
    let store = try machine.open()
    store.minimumLevel = .error
    func never() -> [LogAttachment] {
      Issue.record("made in vain")
      return []
    }
    store.log("App").info("quiet", attachments: never())
    store.minimumLevel = nil
    store.setMinimumLevel(.error, under: ScopeID(root: "App"))
    store.log("App").info("quiet", attachments: never())
    store.log("App").retyped(to: PeriscopeStoreTests.Imported.self)(
      .init(album: "a", ratio: 1), attachments: never())
    #expect(try store.query("").rowCount == 0)
  }

  @Test func theyCanBeCounted() throws {
    let store = try machine.open()
    let log = store.log("App")
    log.info("none")
    log.info("one", attachments: [small])
    log.info("two", attachments: [small, large])
    for _ in 0..<2 {
      #expect(try store.query("attachments > 1").records.map(\.message) == ["two"])
      #expect(try store.query("has attachments").rowCount == 2)
      #expect(try store.query("not has attachments").records.map(\.message) == ["none"])
      try store.compact()
    }
    #expect(try store.attachments(forEvent: UniqueID(bits: 1)).isEmpty)
  }

  // MARK: Files

  @Test func whatIsLargeIsInAFile() throws {
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [small, large])
    #expect(try files().stored == [])
    #expect(try files().beside.count == 1)
    #expect(try attachments(store).map { try $0.bytes() } == [[1, 2, 3], largeBytes])
    try store.compact()
    // It has moved, and is the same.
    #expect(try files().stored.count == 1)
    #expect(try files().beside == [])
    #expect(try attachments(store).map { try $0.bytes() } == [[1, 2, 3], largeBytes])
    #expect(try PeriscopeStore.verifyAll(machine).problems == [])
  }

  @Test func manySmallOnesAreLargeTogether() throws {
    let store = try machine.open()
    let piece = LogAttachment(
      name: "piece", type: .binary, bytes: [UInt8](repeating: 7, count: LogAttachment.inlineLimit))
    store.log("App").error("it failed", attachments: Array(repeating: piece, count: 6))
    #expect(try files().beside.count == 2)
    #expect(try attachments(store).allSatisfy { try $0.bytes().count == LogAttachment.inlineLimit })
  }

  @Test func aDeadProgramsFilesJoinTheStore() throws {
    do {
      let store = try machine.open()
      store.log("App").error("it failed", attachments: [large])
      // As if it had been killed: the journal is neither closed nor folded.
      machine.disk.stop(after: 0)
    }
    machine.disk.restart()
    let next = try machine.open()
    #expect(try files().stored.count == 1)
    #expect(try files().beside == [])
    #expect(try attachments(next).map { try $0.bytes() } == [largeBytes])
  }

  @Test(arguments: [LogLevel.fault, LogLevel("critical", severity: 600)])
  func afterAFaultTheySurviveALossOfPower(level: LogLevel) throws {
    do {
      let store = try machine.open()
      store.log("App").log(level, "it failed", attachments: [large])
      machine.disk.crash()
    }
    let next = try machine.open()
    #expect(try attachments(next).map { try $0.bytes() } == [largeBytes])
  }

  @Test func foldedOnesSurviveALossOfPower() throws {
    do {
      let store = try machine.open()
      store.log("App").error("it failed", attachments: [large])
      try store.compact()
      machine.disk.crash()
    }
    let next = try machine.open()
    #expect(try attachments(next).map { try $0.bytes() } == [largeBytes])
  }

  /// Wherever a fold dies, the attachment is there after the next one, and once.
  @Test func noDeathInAFoldLosesOne() throws {
    func open(_ disk: SimulatedDisk) throws -> PeriscopeStore {
      // What is left to the background never happens: it would have the store locked at the wrong time.
      let environment = JournalEnvironment(simulated: disk, background: BackgroundWork().add)
      return try PeriscopeStore.make(
        storage: .directory("/store"), session: .current(app: "Test", environment: environment),
        environment: environment)
    }
    let store = try open(machine.disk)
    store.log("App").error("it failed", attachments: [large])
    var calls = 0
    var isDone = false
    while !isDone {
      calls += 1
      let disk = machine.disk.copy()
      disk.stop(after: calls)
      isDone = (try? open(disk).recovery.problems.isEmpty) == true && !disk.isStopped
      disk.restart()
      let next = try open(disk)
      let record = try #require(try next.query("\"it failed\"").records.first)
      let bytes = try next.attachments(forEvent: record.id).map { try $0.bytes() }
      #expect(bytes == [largeBytes], "after \(calls) calls")
      #expect(try disk.list("/store/attachments").count == 1, "after \(calls) calls")
    }
    #expect(calls > 20)
  }

  @Test func whatNoRecordNamesIsRemovedWithTheJournal() throws {
    do {
      let store = try machine.open()
      store.log("App").info("next")
      let journal = try #require(try machine.disk.list("/store/journals").first)
      // Written, and then the process died before the record.
      try AttachmentFiles.write(
        UniqueID(bits: 9), [1], besideJournal: "/store/journals/\(journal)", sync: false,
        machine.disk)
    }
    _ = try machine.open()
    #expect(try fileCounts() == [0, 0])
  }

  // MARK: The end

  @Test func theyGoWithTheirRecords() throws {
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [large])
    store.log("App").error("it stays", attachments: [large])
    try store.compact()
    #expect(try files().stored.count == 2)
    #expect(try store.remove(matching: "\"it failed\"") == 1)
    #expect(try files().stored.count == 1)
    #expect(try attachments(store, of: "it stays").map { try $0.bytes() } == [largeBytes])
  }

  @Test func retentionTakesThemAlong() throws {
    let store = try machine.open(retention: Retention(maximumRecordCount: 10))
    store.log("App").error("it failed", attachments: [large])
    try store.compact()
    #expect(try files().stored.count == 1)
    for number in 0..<40 {
      store.log("App").info("\(number)")
      if number % 10 == 9 { try store.compact() }
    }
    #expect(try store.query("\"it failed\"").rowCount == 0)
    #expect(try fileCounts() == [0, 0])
  }

  @Test func filesOfOthersStay() throws {
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [large])
    try store.compact()
    let notes: [UInt8] = [1]
    try machine.disk.writeNew("/store/attachments/notes.txt", notes.rawSpan, sync: false)
    _ = try store.remove(matching: "\"it failed\"")
    #expect(try files().stored == ["notes.txt"])
  }

  // MARK: Damage

  @Test func aDamagedFileIsReported() throws {
    let store = try machine.open()
    store.log("App").error("it failed", attachments: [small, large])
    try store.compact()
    let path = "/store/attachments/" + (try #require(try files().stored.first))
    var bytes = largeBytes
    bytes[500] ^= 1
    machine.disk.setContent(of: path, to: bytes)
    let found = try attachments(store)
    #expect(throws: AttachmentError.damaged(reason: "the checksum is wrong")) {
      try found[1].bytes()
    }
    #expect(try found[0].bytes() == [1, 2, 3])
    #expect(try PeriscopeStore.verifyAll(machine).problems.map(\.file) == [path])
    machine.disk.setContent(of: path, to: [1])
    #expect(throws: AttachmentError.self) { try found[1].bytes() }
    try machine.disk.unlink(path)
    #expect(throws: AttachmentError.missing) { try found[1].bytes() }
    #expect(try PeriscopeStore.verifyAll(machine).problems.map(\.file) == [path])
  }

  @Test func aFullDiskCostsTheAttachmentAndNotTheRecord() throws {
    let store = try machine.open()
    machine.disk.inject(.init(.open, code: DiskError.noSpace))
    store.log("App").error("it failed", attachments: [small, large])
    let found = try attachments(store)
    #expect(try found[0].bytes() == [1, 2, 3])
    #expect(found[1].byteCount == Int64(largeBytes.count))
    #expect {
      try found[1].bytes()
    } throws: { error in
      if case AttachmentError.notKept = error { true } else { false }
    }
  }

  // MARK: Redaction

  @Test func theRedactionSeesThemFirst() throws {
    let secret = Array("4111-1111".utf8)
    let environment = JournalEnvironment(simulated: machine.disk)
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      redaction: Redaction { record in
        var record = record
        var list = try AttachmentList(json: record.attachments)
        for index in list.items.indices { list.items[index].content = .bytes([]) }
        if record.message == "junk" {
          record.attachments = [0x7b]
        } else {
          record.attachments = list.json
        }
        return record
      }, environment: environment)
    let card = LogAttachment(name: "card", type: .plainText, bytes: secret)
    let page = LogAttachment(name: "page", type: .binary, bytes: largeBytes + secret)
    store.log("App").error("it failed", attachments: [card, page])
    store.log("App").error("junk", attachments: [card])
    #expect(try attachments(store).map { try $0.bytes() } == [[], []])
    #expect(try fileCounts() == [0, 0])
    // A list that is none costs the attachments, and nothing else.
    #expect(throws: AttachmentError.self) { try attachments(store, of: "junk").first?.bytes() }
    try store.compact()
    for path in machine.disk.paths {
      #expect(machine.disk.content(of: path)?.firstRange(of: secret) == nil, "\(path)")
    }
  }

  @Test func sinksGetWhatTheStoreHas() async throws {
    let environment = JournalEnvironment(simulated: machine.disk).withInlineWorkers()
    let store = try PeriscopeStore.make(
      storage: .directory("/store"), session: .current(app: "Test", environment: environment),
      environment: environment)
    let sink = MemorySink()
    store.add(sink: sink)
    store.log("App").error("it failed", attachments: [small, large])
    await store.flush()
    let record = try #require(sink.records.first)
    let found = try store.reader.attachments(of: record)
    #expect(try found.map { try $0.bytes() } == [[1, 2, 3], largeBytes])
  }
}

extension PeriscopeStore {
  fileprivate static func verifyAll(
    _ machine: PeriscopeStoreTests.Machine
  ) throws -> StoreVerifier.Report {
    try StoreVerifier.verify(SegmentStore(directory: "/store", fileSystem: machine.disk))
  }
}
