import PeriscopeCore
import TestSupport
import Testing

@Suite struct LogMessageTests {
  @Test func literalsAndValuesAreKeptApart() {
    let (name, count) = ("Åse", 3)
    let message: LogMessage = "user \(name) imported \(count) photos"
    #expect(message.text == "user Åse imported 3 photos")
    #expect(message.template == "user {} imported {} photos")
    #expect(message.values == ["Åse", "3"])
    let plain: LogMessage = "plain"
    #expect(plain.text == "plain" && plain.template == "plain" && plain.values.isEmpty)
    let only: LogMessage = "\(count)\("")\(true)"
    #expect(only.text == "3true" && only.template == "{}{}{}" && only.values == ["3", "", "true"])
  }

  @Test func manyValuesAreKeptApartToo() {
    let message: LogMessage = "\(1)a\(2)b\(3)c\(4)d\(5)e\(6)"
    #expect(message.text == "1a2b3c4d5e6" && message.template == "{}a{}b{}c{}d{}e{}")
    #expect(message.values == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func valuesReadAsTheyDoInAString() {
    struct Point { var x = 1 }
    let none: Int? = nil
    let values: [(LogMessage, String)] = [
      ("\(1.5) \(Point()) \([1, 2])", "\(1.5) \(Point()) \([1, 2])"),
      ("\(Int.self) \("text".dropFirst())", "\(Int.self) \("text".dropFirst())"),
      ("\(UInt8.max) \(Int64.min)", "\(UInt8.max) \(Int64.min)"),
      ("\(none as Any)", "nil"),
    ]
    for (message, text) in values { #expect(message.text == text) }
  }

  /// Messages that are made while another one is do not get into each other's way.
  @Test func messagesInsideMessages() {
    struct Talkative: CustomStringConvertible {
      var depth: Int
      var description: String {
        guard depth > 0 else { return "." }
        let inner: LogMessage = "<\(Talkative(depth: depth - 1))\(depth)>"
        return inner.text
      }
    }
    let message: LogMessage = "a \(Talkative(depth: 5)) b \(1)"
    #expect(message.text == "a <<<<<.1>2>3>4>5> b 1")
    #expect(message.template == "a {} b {}")
  }

  /// One that is given up in the middle leaves nothing to the next.
  @Test func aMessageThatIsNotFinished() throws {
    func fail() throws -> Int { throw CancellationError() }
    #expect(throws: CancellationError.self) {
      let message: LogMessage = "left \(try fail()) behind"
      Issue.record("\(message)")
    }
    let message: LogMessage = "fresh \(1)"
    #expect(message.text == "fresh 1")
  }

  @Test func partsAreValues() {
    var parts = LogMessage.StringInterpolation(literalCapacity: 0, interpolationCount: 0)
    parts.appendLiteral("both ")
    var other = parts
    parts.appendInterpolation(1)
    other.appendInterpolation("two")
    let first = LogMessage(stringInterpolation: parts)
    let second = LogMessage(stringInterpolation: other)
    parts.appendLiteral(" more")
    #expect(first.text == "both 1" && second.text == "both two" && second.values == ["two"])
    #expect(LogMessage(stringInterpolation: parts).text == "both 1 more")
    let next: LogMessage = "next \(3)"
    #expect(next.text == "next 3" && first.text == "both 1")
  }

  @Test func longMessagesKnowTheirValuesToo() {
    let long = String(repeating: "x", count: 70_000)
    let message: LogMessage = "\(1) \(long) \(2) \(3)"
    #expect(message.text == "1 \(long) 2 3" && message.template == "{} {} {} {}")
    #expect(message.values.map(String.init) == ["1", long, "2", "3"])
  }

  @Test func privateValuesAreGoneBeforeAnybodySeesThem() {
    struct Secret: CustomStringConvertible {
      var description: String {
        Issue.record("a private value was described")
        return "secret"
      }
    }
    let message: LogMessage = "card \(Secret(), privacy: .private) of \("Ann", privacy: .public)"
    #expect(message.text == "card <private> of Ann")
    #expect(message.values == ["<private>", "Ann"])
  }

  @Test func hashesAreTheSameForTheSameValue() {
    func hash(_ value: some Any) -> String {
      let message: LogMessage = "\(value, privacy: .hash)"
      return message.text
    }
    #expect(hash("ann") == hash("ann") && hash("ann") != hash("bob"))
    #expect(hash(42) == hash("42"))
    #expect(!hash("ann").contains("ann"))
    #expect(hash("").wholeMatch(of: /<private [0-9a-f]{16}>/) != nil)
  }

  @Test func privacyHoldsInTheJournalAndInSinks() throws {
    let machine = PeriscopeStoreTests.Machine(worker: InlineWorker.init)
    let store = try machine.open()
    let sink = MemorySink()
    store.add(sink: sink)
    let name = "Ann-Marguerite"
    store.log("App").info("\(name, privacy: .private) and \(name, privacy: .hash) came")
    #expect(sink.records[0].message.hasPrefix("<private> and <private "))
    #expect(try store.query("came").records == sink.records)
    for path in machine.disk.paths {
      let bytes = machine.disk.content(of: path) ?? []
      #expect(bytes.firstRange(of: Array(name.utf8)) == nil, "\(path)")
    }
  }
}
