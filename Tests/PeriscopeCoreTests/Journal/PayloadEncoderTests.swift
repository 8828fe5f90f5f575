import Foundation
import JournalKit
import PeriscopeCore
import SegmentIndex
import TestSupport
import Testing

/// The payload's encoder agrees with Foundation's to the byte, but for the order of keys.
@Suite struct PayloadEncoderTests {
  private static func bytes(_ value: some Encodable) throws -> [UInt8] {
    let encoder = PayloadEncoder()
    try encoder.encode(value)
    return encoder.array
  }

  private static func encoded(_ value: some Encodable) throws -> String {
    String(decoding: try bytes(value), as: UTF8.self)
  }

  private static func expectAgreement<Value: Encodable>(
    _ value: Value, _ comment: Comment? = nil, location: SourceLocation = #_sourceLocation
  ) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
    let expected = try encoder.encode(value)
    let ours = try Self.bytes(value)
    #expect(sorted(ours) == sorted(Array(expected)), comment, sourceLocation: location)
  }

  /// JSON text with the members of every object in the order of their keys.
  private static func sorted(_ bytes: [UInt8]) -> String {
    do {
      var scanner = JSONScanner(bytes.rawSpan, depthLimit: 128)
      let text = try sorted(&scanner, bytes)
      try scanner.finish()
      return text
    } catch {
      return "no JSON: \(error) \(String(decoding: bytes, as: UTF8.self))"
    }
  }

  private static func sorted(_ json: inout JSONScanner, _ bytes: [UInt8]) throws -> String {
    switch try json.peek() {
    case .object:
      try json.enterObject()
      var members: [String] = []
      while let key = try json.nextKey() {
        members.append("\(key.debugDescription):\(try sorted(&json, bytes))")
      }
      return "{\(members.sorted().joined(separator: ","))}"
    case .array:
      try json.enterArray()
      var elements: [String] = []
      while try json.nextElement() { elements.append(try sorted(&json, bytes)) }
      return "[\(elements.joined(separator: ","))]"
    default:
      // To the byte.
      return String(decoding: bytes[try json.skipValue()], as: UTF8.self)
    }
  }

  /// Foundation writes a bare NaN, which would make the whole entry unreadable.
  @Test func aDecimalThatIsNoNumber() throws {
    let encoder = PayloadEncoder()
    try encoder.encode(["price": Decimal.nan])
    #expect(String(decoding: encoder.array, as: UTF8.self) == #"{"price":"NaN"}"#)
  }

  @Test func scalars() throws {
    for value in [
      0, 1.0, -0.0, 0.1, -2.5, 1e15, 1e16, 1e21, 1e-7, .leastNonzeroMagnitude, .pi, 1e300, 123456.0,
      0.25, 1234.567, -99.99, 0x1p23 - 1, 0x1p23, 0x1p24, 0x1p52 - 1, 0x1p52, 0x1p53, 0x1p54,
    ] {
      try Self.expectAgreement([value])
      try Self.expectAgreement([Float(value)])
    }
    for value in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
      try Self.expectAgreement(["x": value])
    }
    try Self.expectAgreement([Int.min, 0, .max])
    try Self.expectAgreement([UInt64.max, 0])
    try Self.expectAgreement([Int8.min])
    try Self.expectAgreement([true, false])
    try Self.expectAgreement([1, nil, 3] as [Int?])
    try Self.expectAgreement("top level")
    try Self.expectAgreement(7)
  }

  @Test func everyScalarOfTheStandardLibrary() throws {
    struct All: Codable {
      var a = true, b = "x", c = 1.5, d = Float(0.1), e = -1, f = Int8(-8), g = Int16(-16)
      var h = Int32(-32), i = Int64(-64), j = UInt(1), k = UInt8(8), l = UInt16(16)
      var m = UInt32(32), n = UInt64(64), o: Int? = nil, p: String? = "some"
    }
    try Self.expectAgreement(All())
    #expect(
      try Self.encoded(All())
        == #"{"a":true,"b":"x","c":1.5,"d":0.1,"e":-1,"f":-8,"g":-16,"h":-32,"i":-64,"j":1,"k":8,"#
        + #""l":16,"m":32,"n":64,"p":"some"}"#)
  }

  @Test func texts() throws {
    let texts = [
      "", "plain", "quote \" backslash \\ slash /", "\u{0}\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}",
      "\u{80}\u{2028}\u{2029}\u{1F4F7}\u{202E}", "e\u{301}",
    ]
    try Self.expectAgreement(texts)
    for text in texts { try Self.expectAgreement([text: text]) }
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      let text = String(
        decoding: random.bytes(Int.random(in: 0..<40, using: &random)), as: UTF8.self)
      try Self.expectAgreement([text])
    }
  }

  @Test func typesOfFoundation() throws {
    struct Kinds: Codable {
      var date = Date(timeIntervalSinceReferenceDate: 790_000_000.125)
      var data = Data([0, 1, 254, 255])
      var url = URL(string: "https://example.org/a/b?c=d#e")
      var id = UUID(uuidString: "7D444840-9DC0-41D1-B245-5FFDCE74FAD2")
      var decimal = Decimal(string: "12345678901234567890.125")
      var dates = [Date(timeIntervalSinceReferenceDate: 1)]
      var maybe: Date?
      var optionalData: Data? = Data()
    }
    try Self.expectAgreement(Kinds())
    let kinds = try JSONDecoder().decode(Kinds.self, from: Data(Self.bytes(Kinds())))
    #expect(kinds.date == Kinds().date && kinds.data == Kinds().data && kinds.url == Kinds().url)
  }

  enum Shape: Codable, Equatable {
    case empty
    case circle(radius: Double)
    case pair(Int, String)
  }

  @Test func enumerationsAndCollections() throws {
    enum Raw: String, Codable { case one, two }
    try Self.expectAgreement([Shape.empty, .circle(radius: 2), .pair(1, "x")])
    try Self.expectAgreement([Raw.one, .two])
    try Self.expectAgreement(["a": [1, 2], "b": []])
    try Self.expectAgreement(["a": ["b": ["c": 1]], "d": [:]])
    try Self.expectAgreement([1: "one"])
    try Self.expectAgreement([[[1]], [[], []]])
    try Self.expectAgreement([Raw.one: 1])
    try Self.expectAgreement(Set([1]))
    try Self.expectAgreement(1...3)
    try Self.expectAgreement([String: Int]())
    try Self.expectAgreement([Int]())
  }

  @Test func containersInsideOneAnother() throws {
    try Self.expectAgreement(Flattened())
    try Self.expectAgreement(Interleaved())
    try Self.expectAgreement(Subclass())
    try Self.expectAgreement(SuperEncoded())
    try Self.expectAgreement([Interleaved(), Interleaved()])
    try Self.expectAgreement([Nothing(), Nothing()])
  }

  @Test func whatComesLateOrTwiceIsNotLost() throws {
    try Self.expectAgreement(LateSuper())
    for count in [0, 1, 62, 63, 64, 200] { try Self.expectAgreement(SideBySide(count: count)) }
    try Self.expectAgreement([SideBySide(count: 1), SideBySide(count: 1)])
    try Self.expectAgreement(TwoOfAKey())
    try Self.expectAgreement(["x": TwoOfAKey()])
    try Self.expectAgreement(AskedAgain())
    for count in [1, 2, 31, 32, 33, 34, 100, 1_000] {
      try Self.expectAgreement(ManyKeys(count: count, repeats: false))
      try Self.expectAgreement(ManyKeys(count: count, repeats: true))
    }
  }

  /// Keys in the order in which they were encoded show that it took no tree.
  @Test func manyDifferentKeysNeedNoTree() throws {
    let keys = (0..<100).reversed().map { "k\($0)" }
    struct Backwards: Encodable {
      var keys: [String]
      func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: ManyKeys.Key.self)
        for key in keys { try values.encode(["k0": 0], forKey: ManyKeys.Key(stringValue: key)) }
      }
    }
    #expect(
      try Self.encoded(Backwards(keys: keys))
        == "{" + keys.map { "\"\($0)\":{\"k0\":0}" }.joined(separator: ",") + "}")
  }

  @Test func whatDoesNotGoIsAnErrorAndNothingElse() throws {
    let encoder = PayloadEncoder()
    let broken: [any Encodable & Sendable] = [
      Nothing(), Throwing(), Deep(levels: 65), Deep(levels: 100_000), Twice(),
      ScalarAndObject(),
    ]
    for value in broken {
      #expect(throws: (any Error).self) { try encoder.encode(value) }
      #expect(encoder.array.isEmpty)
      // Afterwards the encoder is as good as new.
      try encoder.encode(["a": 1])
      #expect(encoder.array == Array(#"{"a":1}"#.utf8))
    }
    try Self.expectAgreement(Deep(levels: 63))
  }

  /// Random values of a type that has everything, nested at random.
  @Test func randomValues() throws {
    var random = SeededRandom(seed: 42)
    for _ in 0..<500 {
      try Self.expectAgreement(RandomValue(using: &random, depth: 0))
    }
  }
  /// Random use of containers, in any order, and one inside the other.
  @Test(arguments: [false, true]) func randomContainers(isOrderly: Bool) throws {
    for seed in 0..<2_000 as Range<UInt64> {
      let value = RandomEncoding(seed: seed, isOrderly: isOrderly)
      try Self.expectAgreement(value, "seed \(seed)")
      try Self.expectAgreement([value, value], "seed \(seed)")
    }
  }
}
