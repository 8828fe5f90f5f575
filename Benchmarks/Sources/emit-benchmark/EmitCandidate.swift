import AppendHarness
import Foundation
import PeriscopeCore

/// A whole log call, from the program's values to the record that survives the process.
enum EmitCandidate: Candidate {
  /// What is logged.
  enum Variant: String, CaseIterable {
    /// `log.info` of a text with three values.
    case message
    /// An event of four fields.
    case typed
    /// A text, by a log with three tags.
    case tagged
    /// A text, while the system is watched: each record has its states as tags.
    case ambient
    /// A text, while a sink takes all records.
    case sink
    /// A span around nothing: two records.
    case measure
  }

  static var names: [String] { Variant.allCases.map(\.rawValue) }

  static func open(_ name: String, directory: String) throws -> any Appender {
    try EmitAppender(Variant(rawValue: name) ?? .message, directory: directory)
  }

  static func recover(
    _ name: String, directory: String, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws -> Int {
    fatalError("the tests kill programs that log; see CrashTests")
  }
}

/// An event of four fields.
struct OrderPaid: LogEvent {
  static let eventName = "order.paid"
  var order: Int
  var customer: String
  var amount: Double
  var isExpress: Bool
  var message: String { "order paid" }
}

/// Takes records and keeps none.
struct Blackhole: LogSink {
  func receive(_ records: [Record]) {}
}

struct EmitAppender: Appender {
  private let variant: EmitCandidate.Variant
  private let directory: String
  private let store: PeriscopeStore
  private let log: Log<Message>
  private let orders: Log<OrderPaid>

  init(_ variant: EmitCandidate.Variant, directory: String) throws {
    self.variant = variant
    self.directory = directory
    store = try PeriscopeStore.make(
      storage: .directory(directory + "/store"), session: .current(app: "emit-benchmark"))
    var log = store.log("Shop")("Payments")
    if variant == .tagged {
      log = log.tagged("user", 42).tagged("region", "eu-west-1").tagged("ratio", 0.25)
    }
    self.log = log
    orders = store.log("Shop")(OrderPaid.self)
    if variant == .ambient { try store.start(AmbientPoller.system(directory: directory)) }
    if variant == .sink { store.add(sink: Blackhole()) }
  }

  /// Logs; of the payload only its number matters, which makes every record another one.
  func append(_ payload: [UInt8]) {
    let number = Int(payload[4]) | Int(payload[5]) << 8 | Int(payload[6]) << 16
    switch variant {
    case .message, .tagged, .ambient, .sink:
      log.info("order \(number) of customer \(number & 1023) was paid in \(number & 255) ms")
    case .typed:
      orders(
        OrderPaid(
          order: number, customer: "customer-4711", amount: Double(number) * 0.25,
          isExpress: number & 1 == 0))
    case .measure: log.measure("payment") {}
    }
  }

  func close() {
    if store.appendFailureCount > 0 { fatalError("a record was not written") }
    store.close()
    try? FileManager.default.removeItem(atPath: directory + "/store")
  }
}
