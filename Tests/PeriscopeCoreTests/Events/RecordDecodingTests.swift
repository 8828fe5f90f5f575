import Foundation
import PeriscopeCore
import TestSupport
import Testing

@Suite struct RecordDecodingTests {
  struct Measured: LogEvent, Equatable {
    static let eventName = "measured"
    var name: String
    var values: [Double]
    var at: Date?
    var bytes: Data
    var parts: [String: Int]
    var message: String { "measured \(name)" }
  }

  struct Other: LogEvent {
    static let eventName = "measured.other"
    var message: String { "other" }
  }

  struct MeasuredLater: LogEvent {
    static let eventName = "measured"
    static let eventVersion = 2
    var unit: String
    var message: String { "measured in \(unit)" }
  }

  /// What the store returns for the events that `log` logs.
  private func records(_ log: (PeriscopeStore) -> Void) throws -> [Record] {
    let directory = try TemporaryDirectory()
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "tests"))
    defer { store.close() }
    log(store)
    return try store.query("* | sort sequence").records
  }

  @Test func eventsComeBackAsTheyWere() throws {
    let events = [
      Measured(
        name: "a \"b\" é\n", values: [1, -0.1, 1e300, .infinity, -.infinity], at: nil,
        bytes: Data([0, 255]), parts: [:]),
      Measured(
        name: "", values: [], at: Date(timeIntervalSinceReferenceDate: 12.5), bytes: Data(),
        parts: ["x": .max, "": .min]),
    ]
    let records = try records { store in
      for event in events { store.log("Lab").retyped(to: Measured.self)(event) }
    }
    #expect(try records.map { try $0.decode(Measured.self) } == events)
  }

  @Test func whatIsNoNumberIsStillNone() throws {
    let records = try records { store in
      store.log("Lab").retyped(to: Measured.self)(
        Measured(name: "", values: [.nan], at: nil, bytes: Data(), parts: [:]))
    }
    #expect(try records[0].decode(Measured.self)?.values[0].isNaN == true)
  }

  @Test func messagesHaveNoPayloadAndComeBackToo() throws {
    let records = try records { $0.log("Lab").error("failed \(3) times") }
    let message = try #require(try records[0].decode(Message.self))
    #expect(message.level == .error && message.message == "failed 3 times")
  }

  @Test func whatIsOfAnotherEventIsNone() throws {
    let records = try records { store in
      store.log("Lab").retyped(to: Other.self)(Other())
      store.log("Lab").info("text")
    }
    #expect(try records[0].decode(Other.self) != nil)
    #expect(try records.compactMap { try $0.decode(Measured.self) } == [])
    #expect(try records[1].decode(Other.self) == nil && records[0].decode(Message.self) == nil)
  }

  @Test func aPayloadThatDoesNotFitIsAnError() throws {
    var records = try records { store in
      store.log("Lab").retyped(to: MeasuredLater.self)(MeasuredLater(unit: "mm"))
    }
    #expect(records[0].version == 2)
    #expect(throws: DecodingError.self) { try records[0].decode(Measured.self) }
    records[0].payload = []
    #expect(throws: DecodingError.self) { try records[0].decode(MeasuredLater.self) }
  }
}
