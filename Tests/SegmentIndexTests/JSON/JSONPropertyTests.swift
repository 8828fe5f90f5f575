import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// A random document, with the awkward values more often than chance would have them.
func randomValue(depth: Int, using random: inout SeededRandom) -> JSONValue {
  switch Int.random(in: 0..<(depth == 0 ? 6 : 8), using: &random) {
  case 0: return .null
  case 1: return .bool(Bool.random(using: &random))
  case 2: return .int([0, -1, .min, .max].randomElement(using: &random) ?? 0)
  case 3: return .int(Int64.random(in: .min ... .max, using: &random))
  case 4:
    let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &random))
    return .double(value.isFinite ? value : -0.0)
  case 5: return .string(randomText(using: &random))
  case 6:
    return .array(
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        randomValue(depth: depth - 1, using: &random)
      })
  default:
    return .object(
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        JSONMember(randomText(using: &random), randomValue(depth: depth - 1, using: &random))
      })
  }
}

func randomText(using random: inout SeededRandom) -> String {
  let alphabet: [Unicode.Scalar] = [
    "a", "Z", "0", " ", "\"", "\\", "/", "\0", "\u{1}", "\u{8}", "\t", "\n", "\u{c}", "\r",
    "\u{10}", "\u{1f}",
    "\u{7f}", "é", "\u{d7ff}", "\u{e000}", "\u{ffff}", "😀", "\u{10ffff}",
  ]
  var text = String.UnicodeScalarView()
  for _ in 0..<Int.random(in: 0...20, using: &random) {
    text.append(alphabet.randomElement(using: &random) ?? "a")
  }
  return String(text)
}

@Suite struct JSONPropertyTests {
  @Test func whatIsWrittenReadsBackTheSame() throws {
    for seed in UInt64(0)..<2000 {
      var random = SeededRandom(seed: seed)
      let value = randomValue(depth: 5, using: &random)
      var writer = JSONWriter()
      writer.value(value)
      #expect(try parse(writer.bytes) == value, "seed \(seed)")
      #expect(try skip(writer.bytes) == 0..<writer.bytes.count, "seed \(seed)")
      let again = try parse(writer.bytes)
      var second = JSONWriter()
      second.value(again)
      #expect(
        second.bytes == writer.bytes, "seed \(seed): the sign of a zero, or a spelling, was lost")
    }
  }

  @Test func aDocumentCutAnywhereIsAnError() {
    let document = Array(#"{"a":[1,-2.5e3,true,null,"x\u00e9\n"],"b":{"c":"","d":[[],{}]}}"#.utf8)
    for length in 0..<document.count {
      let cut = Array(document[..<length])
      let error = #expect(throws: JSONError.self, "cut to \(length)") { try parse(cut) }
      #expect(error.map { $0.offset <= length } == true, "cut to \(length)")
    }
  }

  /// Mutated documents are nearly JSON: each must be read and skipped alike, and whatever is accepted must
  /// survive being written again.
  @Test func mutatedDocumentsAreReadAndSkippedAlike() {
    let bytes: [UInt8] = Array("{}[]\",:\\u0e+-.1tfn \n\0".utf8) + [0x7f, 0x80, 0xc3, 0xff]
    var accepted = 0
    for seed in UInt64(0)..<20_000 {
      var random = SeededRandom(seed: seed)
      var writer = JSONWriter()
      writer.value(randomValue(depth: 3, using: &random))
      var document = writer.bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0...document.count, using: &random)
        let byte = bytes.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0 where at < document.count: document[at] = byte
        case 1 where at < document.count: document.remove(at: at)
        default: document.insert(byte, at: at)
        }
      }
      let value = Result { () throws(JSONError) in try parse(document) }
      let range = Result { () throws(JSONError) in try skip(document) }
      switch (value, range) {
      case (.success(let value), .success):
        accepted += 1
        var second = JSONWriter()
        second.value(value)
        #expect((try? parse(second.bytes)) != nil, "seed \(seed)")
      case (.failure(let left), .failure(let right)): #expect(left == right, "seed \(seed)")
      default: Issue.record("seed \(seed): read and skip disagree on \(document)")
      }
    }
    #expect(
      (1000..<19_000).contains(accepted), "the mutations no longer give a mixture: \(accepted)")
  }
}
