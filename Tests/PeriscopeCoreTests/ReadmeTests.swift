import Foundation
import JournalKit
import PeriscopeCore
import TestSupport
import Testing

@Suite struct ReadmeTests {
  /// The example of the README, to the letter.
  @Test func theExampleWorks() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    // begin
    let store = try PeriscopeStore.make(storage: .directory(path), session: .current(app: "Shop"))
    let log = store.log("Shop")
    log("Payments").tagged("user", 42).error("card declined")
    let result = try store.query("under Shop level >= error tag.user = 42 last 1h")
    for record in result.records { print(record.message) }
    // end
    #expect(result.records.map(\.message) == ["card declined"])
    #expect(try example(in: #filePath, from: "// begin", to: "// end") == readmeExample())
  }

  @Test func theExampleOfLoggingWorks() throws {
    let directory = try TemporaryDirectory()
    // However slow the machine is, the spans take no time.
    let store = try PeriscopeStore.make(
      storage: .directory(directory.path), session: .current(app: "Shop"),
      environment: JournalEnvironment(), spanClock: SpanClock { 0 })
    let log = store.log("Shop")
    let name = "Ann"
    func charge() throws {}
    // begin the second
    struct OrderPaid: LogEvent {
      static let eventName = "order.paid"
      var order: Int
      var cents: Int
      var message: String { "order \(order) paid: \(cents) cents" }
    }
    let till = log("Till").tagged("till", 7)
    till.info("customer \(name, privacy: .private) came")
    try till.measure("payment", budget: .seconds(2)) {
      try charge()
      till.retyped(to: OrderPaid.self)(OrderPaid(order: 4711, cents: 1_990))
    }
    let slow = try store.query("under Shop | spans | where duration > 1s or open = true")
    store.setMinimumLevel(.warning, under: till.scopes[0])
    store.add(sink: StandardErrorSink())
    // end
    #expect(slow.rowCount == 0)
    #expect(
      try store.query("| sort sequence").records.map(\.message) == [
        "customer <private> came", "payment", "order 4711 paid: 1990 cents", "payment: success",
      ])
    #expect(
      try example(in: #filePath, from: "// begin the second", to: "// end")
        == readmeExample(number: 1))
    store.close()
  }

  private func readmeExample(number: Int = 0) throws -> [String] {
    let readme = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "README.md")
    return try example(in: readme.path, from: "```swift", to: "```", number: number)
  }

  /// The lines between line `from`, its first or a later one, and the next line `to`, without their indentation.
  private func example(
    in file: String, from: String, to: String, number: Int = 0
  ) throws -> [String] {
    let lines = try String(contentsOfFile: file, encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let start = try #require(lines.indices.filter { lines[$0] == from }.dropFirst(number).first)
    return lines[(start + 1)...].prefix { $0 != to }.filter { !$0.isEmpty }
  }
}
