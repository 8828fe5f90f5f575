import Foundation
import PeriscopeCore
import Synchronization
import TestSupport
import Testing

/// The listings of the guides, to the letter.
@Suite struct GuideTests {
  /// The lines of each listing in a guide, without their indentation.
  private func listings(_ guide: String) throws -> [[String]] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(
      contentsOf: root.appending(path: "docs/guides/\(guide)"), encoding: .utf8)
    return text.components(separatedBy: "```swift\n").dropFirst().map { part in
      lines(part.components(separatedBy: "\n```")[0])
    }
  }

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// The lines of this file between `// begin NAME` and `// end`.
  private func tried(_ name: String) throws -> [String] {
    let all = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let start = try #require(all.firstIndex(of: "// begin \(name)"))
    return all[(start + 1)...].prefix { $0 != "// end" }.map { $0 }
  }

  private func store(_ directory: TemporaryDirectory) throws -> PeriscopeStore {
    try PeriscopeStore.make(storage: .directory(directory.path), session: .current(app: "tests"))
  }

  // MARK: swift-log

  @Test func theAdapterIsTheOneInTheGuide() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "PeriscopeLogHandler.swift")
    let listing = try #require(try listings("swift-log.md").first)
    #expect(listing.first == "import Logging")
    #expect(listing.dropFirst() == lines(try String(contentsOf: file, encoding: .utf8))[...])
    // As many lines as a reader can take in.
    #expect(listing.count <= 60)
  }

  @Test func theAdapterLogsWhatItIsGiven() throws {
    let directory = try TemporaryDirectory.inMemory()
    let store = try store(directory)
    var handler = PeriscopeLogHandler(
      store, label: "org.example.shop",
      metadataProvider: Logger.MetadataProvider { ["trace": "t-1", "n": "provided"] })
    handler[metadataKey: "n"] = "own"
    handler[metadataKey: "kept"] = .array(["a", .dictionary(["b": "c"])])
    handler.log(
      event: Logging.LogEvent(
        level: .critical, message: "on \("fire")", error: CancellationError(),
        metadata: ["user": .stringConvertible(42), "ok": .stringConvertible(false)],
        source: "Shop", file: "Shop/Till.swift", function: "pay()", line: 88))
    let record = try #require(
      try store.query("scope = org.example.shop tag.user = 42 level = fault").records.first)
    #expect(record.message == "on fire")
    #expect(record.file == "Shop/Till.swift")
    #expect(record.line == 88)
    #expect(
      record.tags == [
        LogTag("source", .string("Shop")), LogTag("error", .string("CancellationError()")),
        LogTag("error_type", .string("CancellationError")),
        LogTag("kept", .string(#"["a", "[\"b\": \"c\"]"]"#)),
        LogTag("n", .string("provided")), LogTag("ok", .bool(false)),
        LogTag("trace", .string("t-1")), LogTag("user", .int(42)),
      ])
  }

  @Test func theAdaptersLevelsAreInOrder() throws {
    let directory = try TemporaryDirectory.inMemory()
    let store = try store(directory)
    let handler = PeriscopeLogHandler(store, label: "l")
    for level in Logger.Level.allCases {
      handler.log(
        event: Logging.LogEvent(
          level: level, message: "x", source: "", file: "", function: "", line: 0))
    }
    let levels = try store.query("| sort sequence").records.map(\.level)
    #expect(levels == levels.sorted())
    #expect(levels.dropFirst() == LogLevel.standard[...])
  }

  @Test func theAdapterIsAValue() throws {
    let directory = try TemporaryDirectory.inMemory()
    var first = PeriscopeLogHandler(try store(directory), label: "l")
    first.logLevel = .debug
    first[metadataKey: "only-on"] = "first"
    var second = first
    second.logLevel = .error
    second[metadataKey: "only-on"] = "second"
    #expect(first.logLevel == .debug)
    #expect(first[metadataKey: "only-on"]?.description == "first")
  }

  // MARK: Tests

  @Test func aStoreForOneTest() throws {
    let directory = try TemporaryDirectory.inMemory()
    let path = directory.path
    // begin store
    let store = try PeriscopeStore.make(storage: .directory(path), session: .current(app: "tests"))
    let log = store.log("Shop")
    log("Payments").tagged("user", 42).error("card declined")
    #expect(try store.query("under Shop/Payments level >= error tag.user = 42").rowCount == 1)
    #expect(try store.query("level = fault").rowCount == 0)
    // end
    #expect(try listings("tests.md")[0] == tried("store"))
  }

  @Test func recordByRecord() async throws {
    let directory = try TemporaryDirectory.inMemory()
    let store = try store(directory)
    let log = store.log("Shop")
    // begin records
    let sink = MemorySink()
    store.add(sink: sink)
    log.info("started")
    log.info("stopped")
    await store.flush()
    #expect(sink.records.map(\.message) == ["started", "stopped"])
    // end
    #expect(try listings("tests.md")[1] == tried("records"))
  }

  @Test func whatWasLoggedInside() throws {
    let directory = try TemporaryDirectory.inMemory()
    let store = try store(directory)
    let log = store.log("Shop")
    // begin inside
    func checkOut() { Log.current?.notice("checked out") }
    log("Cart").withContext { checkOut() }
    let record = try #require(try store.query("\"checked out\"").records.first)
    #expect(record.scopes == ["Shop/Cart"])
    // end
    #expect(try listings("tests.md")[2] == tried("inside"))
  }

  @Test func surroundingsOnDemand() throws {
    let directory = try TemporaryDirectory.inMemory()
    let store = try store(directory)
    let log = store.log("Shop")
    // begin surroundings
    final class FakeNetwork: AmbientEventSource {
      private let report = Mutex<(@Sendable (any AmbientEvent) -> Void)?>(nil)
      func start(_ report: @escaping @Sendable (any AmbientEvent) -> Void) {
        self.report.withLock { $0 = report }
      }
      func stop() { report.withLock { $0 = nil } }
      func go(_ reach: NetworkPath.Reach) {
        report.withLock { $0 }?(NetworkPath(reach: reach, interfaces: []))
      }
    }
    let network = FakeNetwork()
    try store.start(network)
    network.go(.offline)
    log.error("no answer")
    #expect(try store.query("no answer tag.ambient.network = offline").rowCount == 1)
    // end
    #expect(try listings("tests.md")[3] == tried("surroundings"))
  }

  // MARK: Servers

  @Test func aServersStart() async throws {
    let directory = try TemporaryDirectory.inMemory()
    let path = directory.path
    struct Request: Sendable {
      var id = 7
      var user = 42
    }
    func respond(to request: Request) async { Log.current?.info("answered") }
    // begin server
    let store = try PeriscopeStore.make(
      storage: .directory(path), session: .current(app: "Shop 3.2.1"),
      retention: Retention(maximumAge: .seconds(14 * 86_400), maximumByteCount: 2 << 30))
    store.minimumLevel = .info
    try store.start(AmbientPoller.system(directory: path))
    try store.start(ProcessSignals())
    // end
    #expect(try listings("servers.md")[0] == tried("server"))
    let log = store.log("Shop")
    let request = Request()
    // begin request
    await log(for: request.id).tagged("user", request.user).withContext {
      await respond(to: request)
    }
    // end
    #expect(try listings("servers.md")[1] == tried("request"))
    #expect(try store.query("under Shop/7 tag.user = 42 answered").rowCount == 1)
    // begin end
    store.log("Shop").notice("shutting down")
    await store.flush()  // only if there are sinks: a terminal, a pager
    store.close()  // so the next start is told that the journal was closed, and not broken off
    // end
    #expect(try listings("servers.md")[2] == tried("end"))
  }
}
