import PeriscopeCore
import Synchronization
import TestSupport
import Testing

@Suite struct RedactionTests {
  typealias Machine = PeriscopeStoreTests.Machine
  struct Failure: Error {}

  struct Payment: LogEvent {
    static let eventName = "payment"
    var card: String
    var message: String { "paid with \(card)" }
    var externalID: String? { card }
  }

  static let secret = "4111-1111-1111-1111"

  /// Masks the secret wherever a record may have it.
  static let masking = Redaction { record in
    func masked(_ text: String) -> String {
      text.replacing(secret, with: "****")
    }
    var record = record
    record.message = masked(record.message)
    record.scopes = record.scopes.map(masked)
    record.tags = record.tags.map { tag in
      if case .string(let text) = tag.value {
        LogTag(masked(tag.key), .string(masked(text)))
      } else {
        tag
      }
    }
    record.payload = Array(masked(String(decoding: record.payload, as: UTF8.self)).utf8)
    record.externalID = record.externalID.map(masked)
    return record
  }

  /// Logs the secret in every way that there is.
  private func logSecrets(_ store: PeriscopeStore) {
    let log = store.log("Shop")
    log.info("card \(Self.secret)")
    log(for: Self.secret).tagged("card", Self.secret).error("declined")
    log(Payment.self)(Payment(card: Self.secret))
    log(Payment.self)(for: Self.secret) { Payment(card: Self.secret) }
  }

  private func expectNoSecret(on disk: SimulatedDisk) {
    #expect(disk.paths.contains { $0.hasSuffix(".jseg") || $0.hasSuffix(".pseg") })
    for path in disk.paths {
      let bytes = disk.content(of: path) ?? []
      #expect(bytes.firstRange(of: Array(Self.secret.utf8)) == nil, "\(path)")
    }
  }

  @Test func whatIsMaskedIsNowhere() async throws {
    let machine = Machine(worker: InlineWorker.init)
    let store = try machine.open(redaction: Self.masking)
    let sink = MemorySink()
    store.add(sink: sink)
    let stream = store.liveRecords()
    logSecrets(store)
    expectNoSecret(on: machine.disk)
    let records = try store.query("| sort sequence").records
    #expect(
      records.map(\.message) == ["card ****", "declined", "paid with ****", "paid with ****"])
    #expect(records[2].payload == Array(#"{"card":"****"}"#.utf8))
    #expect(records[1].scopes == ["Shop/****"])
    #expect(sink.records == records)
    #expect(!sink.scopes.contains { $0.path.contains(Self.secret) })
    try store.compact()
    expectNoSecret(on: machine.disk)
    store.close()
    expectNoSecret(on: machine.disk)
    var live: [Record] = []
    for await record in stream { live.append(record) }
    #expect(live == records)
    #expect(store.refusedCount == 0)
  }

  @Test(arguments: [true, false]) func whatIsSuppressedIsNowhere(hookThrows: Bool) throws {
    let machine = Machine(worker: InlineWorker.init)
    let store = try machine.open(
      redaction: Redaction { record in
        guard record.message == "harmless" else {
          if hookThrows { throw Failure() }
          return nil
        }
        return record
      })
    let sink = MemorySink()
    store.add(sink: sink)
    logSecrets(store)
    store.log("Shop").info("harmless")
    try store.compact()
    expectNoSecret(on: machine.disk)
    #expect(try store.query("").records.map(\.message) == ["harmless"])
    #expect(sink.records.map(\.message) == ["harmless"])
    #expect(store.refusedCount == 4)
  }

  @Test func aHookThatLogsDoesNotRecurse() throws {
    let log = Mutex<Log<Message>?>(nil)
    let store = try Machine().open(
      redaction: Redaction { record in
        log.withLock { $0 }?.error("about to mask \(record.message)")
        return record
      })
    log.withLock { $0 = store.log("Hook") }
    store.log("App").info("one")
    #expect(try store.query("").records.map(\.message) == ["one"])
    #expect(store.refusedCount == 1)
    log.withLock { $0 = nil }
  }

  @Test func whatARecordIsCannotBeChanged() throws {
    let store = try Machine().open(
      redaction: Redaction { record in
        var record = record
        record.id = UniqueID(bits: 7)
        record.session = UniqueID(bits: 8)
        record.sequence = 99
        record.time = 0
        record.message = "changed"
        record.payload = Array(#"{"broken":"#.utf8)
        return record
      })
    store.log("App")(Payment.self)(Payment(card: "1"))
    let record = try #require(try store.query("").records.first)
    #expect(record.session == store.session.id && record.sequence == 1 && record.time > 0)
    #expect(record.id == UniqueID(session: store.session.id, sequence: 1))
    #expect(record.message == "changed" && record.payload.isEmpty)
  }
}
