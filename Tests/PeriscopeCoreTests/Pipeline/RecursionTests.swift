import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// Code of the program that runs in the middle of logging may log as well.
@Suite struct RecursionTests {
  /// A value that logs when it is described, and one that logs itself.
  struct Chatty: CustomStringConvertible {
    let log: Log<Message>
    var isEndless = false

    var description: String {
      if isEndless {
        log.info("described \(self)")
      } else {
        log.info("describing")
      }
      return "chatty"
    }
  }

  struct Nosy: LogEvent {
    static let eventName = "nosy"
    static let log = Mutex<Log<Message>?>(nil)
    var number: Int
    var message: String {
      Self.log.withLock { $0 }?.debug("in message")
      return "nosy"
    }

    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws { number = 0 }

    func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: Key.self)
      try values.encode(number, forKey: .number)
      // This encodes another event in the middle of this one.
      Self.log.withLock { $0 }?.retyped(to: PeriscopeStoreTests.Imported.self)(
        PeriscopeStoreTests.Imported(album: "inner", ratio: 1))
      try values.encode("after", forKey: .text)
    }

    enum Key: CodingKey { case number, text }
  }

  @Test(arguments: [false, true]) func aDescriptionThatLogs(hasSink: Bool) throws {
    let store = try PeriscopeStoreTests.Machine(worker: InlineWorker.init).open()
    let sink = MemorySink()
    if hasSink { store.add(sink: sink) }
    let log = store.log("App")
    log.info("\(Chatty(log: log)) was here")
    let messages = try store.query("| sort sequence").records.map(\.message)
    #expect(messages == ["describing", "chatty was here"])
    #expect(sink.records.map(\.message) == (hasSink ? messages : []))
  }

  @Test func aDescriptionThatLogsItselfEnds() throws {
    let store = try PeriscopeStoreTests.Machine().open()
    let log = store.log("App")
    for _ in 1...2 { log.info("\(Chatty(log: log, isEndless: true))") }
    #expect(store.refusedCount == 2)
    #expect(try store.query("described chatty").rowCount == 14)
  }

  @Test func anEventThatLogsWhileItIsEncoded() throws {
    let store = try PeriscopeStoreTests.Machine().open()
    let log = store.log("App")
    Nosy.log.withLock { $0 = log }
    log(Nosy.self)(Nosy(number: 7))
    Nosy.log.withLock { $0 = nil }
    let records = try store.query("| sort sequence").records
    #expect(records.map(\.message) == ["in message", "imported into inner", "nosy"])
    #expect(records[1].payload == Array(#"{"album":"inner","ratio":1}"#.utf8))
    #expect(records[2].payload == Array(#"{"number":7,"text":"after"}"#.utf8))
  }
}
