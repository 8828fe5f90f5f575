import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct JSONKeysTests {
  static let names = [
    "id", "a", "", "message", "messages", "duration_ns", "sixteen_bytes", "seventeen_bytes",
    "a key far longer than two words", "é", "tab\t",
  ]

  /// The members that an object has, in order: what key each is found to be, and its value.
  static func members(
    _ text: String, _ keys: inout JSONKeys
  ) throws(JSONError) -> [(key: String, value: Int64)] {
    let bytes = Array(text.utf8)
    var scanner = JSONScanner(bytes.rawSpan)
    var members: [(String, Int64)] = []
    var last = -1
    try scanner.enterObject()
    while let member = try scanner.nextKey(among: &keys, after: last) {
      switch member {
      case .known(let number):
        last = number
        members.append((names[number], try scanner.readInt()))
      case .unknown(let range):
        members.append(("?" + scanner.string(in: range), try scanner.readInt()))
      }
    }
    try scanner.finish()
    return members
  }

  static func object(_ keys: [String], space: String = "") -> String {
    let members = keys.enumerated().map { index, key -> String in
      var writer = JSONWriter()
      writer.value(key)
      let text = String(decoding: writer.bytes, as: UTF8.self)
      return "\(space)\(text)\(space):\(space)\(index)\(space)"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Whatever order the objects before had their keys in.
  @Test func keysAreFoundInEveryOrder() throws {
    var random = SeededRandom(seed: 5)
    var keys = JSONKeys(Self.names)
    var order = Self.names
    for _ in 0..<300 {
      // One order for a while, as lines of one logger have it.
      if Int.random(in: 0..<3, using: &random) == 0 { order.shuffle(using: &random) }
      let count = Int.random(in: 0...order.count, using: &random)
      let space = ["", "", " ", "\n\t"].randomElement(using: &random) ?? ""
      let wanted = Array(order.prefix(count))
      let found = try Self.members(Self.object(wanted, space: space), &keys)
      #expect(found.map(\.key) == wanted, "\(random)")
      #expect(found.map(\.value) == wanted.indices.map { Int64($0) }, "\(random)")
    }
  }

  @Test func keysThatAreNearlyKnownAreNot() throws {
    var keys = JSONKeys(Self.names)
    for _ in 0..<2 {
      for key in ["i", "ids", "mess", "Message", "durationXns", "sixteen_byteS", "\u{0}"] {
        #expect(
          try Self.members(Self.object(["id", key, "a"]), &keys).map(\.key) == [
            "id", "?" + key, "a",
          ])
      }
      // Written with an escape it is the same key.
      #expect(try Self.members(#"{"\u0069d":1,"a":2}"#, &keys).map(\.key) == ["id", "a"])
    }
  }

  /// A known key does not hide that the rest is malformed.
  @Test func whatIsNoObjectIsRefusedAlsoWhenKeysAreExpected() throws {
    var keys = JSONKeys(Self.names)
    for _ in 0..<2 { _ = try Self.members(#"{"id":1,"a":2,"message":3}"#, &keys) }
    for text in [
      #"{"id":1"a":2,"message":3}"#, #"{"id":1,,"a":2}"#, #"{"id":1,"a":}"#, #"{,"id":1}"#,
      #"{"id":1,"a":2"#, #"{"id":1,"a":2,}"#, #"{"id" 1}"#, #"{"id":1}"a":2}"#,
    ] {
      let padded = text + String(repeating: " ", count: 40)
      #expect(throws: JSONError.self, "\(text)") { try Self.members(text, &keys) }
      #expect(throws: JSONError.self, "\(text)") { try Self.members(padded, &keys) }
    }
  }
}
