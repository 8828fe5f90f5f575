import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// A value that is skipped by its likeness to others is skipped like any.
@Suite struct JSONShapeTests {
  private static let examples = [
    #"{"net":{"bytes":1020360,"ms":381.68},"thread":24}"#, #"{"a":"b","c":[1,"two",null,true]}"#,
    #"{ "s" : "\"q\\" , "n": -1.5e+3 }"#, "{}", "[]", "7", "-0.25", #""text: {1}""#, "false",
    #"{"k":"":"#, #"[1,2,3,[4,{"five":5}]]"#, #"{"é":"é€","1":{"2":3}}"#,
  ]

  /// What comes of skipping the value of a member: where it ends and what follows, or the error.
  private static func skip(_ text: [UInt8], _ shape: inout JSONShape?) -> String {
    var scanner = JSONScanner(text.rawSpan, depthLimit: 4)
    do throws(JSONError) {
      try scanner.enterObject()
      guard try scanner.nextKey() != nil else { return "no key" }
      var range: Range<Int>
      if var known = shape {
        range = try scanner.skipValue(&known)
        shape = known
      } else {
        range = try scanner.skipValue()
      }
      let next = try scanner.nextKey() ?? "none"
      return "\(range) \(next) \(scanner.offset)"
    } catch {
      return "\(error.offset) \(error.reason)"
    }
  }

  private static func check(_ value: [UInt8], _ shape: inout JSONShape?, _ comment: Comment) {
    let text = Array(#"{"v": "#.utf8) + value + Array(#","w":1}"#.utf8)
    var none: JSONShape?
    #expect(skip(text, &shape) == skip(text, &none), comment)
  }

  @Test func changedValuesAreSkippedAlike() {
    var random = SeededRandom(seed: 5)
    let alphabet = Array("0159.-+eE\"\\,:{}[] xtrue\n".utf8)
    for example in Self.examples {
      for _ in 0..<300 {
        var shape: JSONShape? = JSONShape()
        Self.check(Array(example.utf8), &shape, "\(example)")
        for _ in 0..<4 {
          var value = Array(example.utf8)
          for _ in 0..<Int.random(in: 0...2, using: &random) {
            let at = Int.random(in: 0..<value.count, using: &random)
            let byte = alphabet.randomElement(using: &random) ?? 0
            if Bool.random(using: &random) { value[at] = byte } else { value.insert(byte, at: at) }
          }
          let comment = String(decoding: value, as: UTF8.self)
          Self.check(value, &shape, "\(comment) like \(example), \(random)")
        }
      }
    }
  }

  @Test func shapesAreLearnedAndForgotten() {
    var shape: JSONShape? = JSONShape()
    for round in 0..<40 {
      for example in Self.examples {
        for _ in 0...round % 7 { Self.check(Array(example.utf8), &shape, "\(example)") }
      }
    }
  }

  /// A shape that was learned outside says nothing about how deep a value may nest.
  @Test func likenessDoesNotNestDeeper() throws {
    var shape = JSONShape()
    let text = Array(#"[[[1]],[[[1]]]]"#.utf8)
    var scanner = JSONScanner(text.rawSpan, depthLimit: 3)
    try scanner.enterArray()
    _ = try scanner.nextElement()
    _ = try scanner.skipValue(&shape)
    _ = try scanner.nextElement()
    try scanner.enterArray()
    _ = try scanner.nextElement()
    #expect(throws: JSONError.self) {
      var scanner = JSONScanner(text.rawSpan, depthLimit: 3)
      try scanner.enterArray()
      _ = try scanner.nextElement()
      try scanner.skipValue()
      _ = try scanner.nextElement()
      try scanner.enterArray()
      _ = try scanner.nextElement()
      _ = try scanner.skipValue(&shape)
    }
  }

  @Test func manyPartsAreNotLearned() {
    let list = "[" + (0..<500).map(String.init).joined(separator: ",") + "]"
    var shape: JSONShape? = JSONShape()
    for _ in 0..<4 { Self.check(Array(list.utf8), &shape, "a long list") }
  }
}
