import SegmentIndex
import TestSupport
import Testing

@Suite struct TripleSetTests {
  @Test func whatIsThereIsNeverRuledOut() {
    var random = SeededRandom(seed: 1)
    let text = (0..<3_000).map { _ in UInt8.random(in: 0x20...0x7e, using: &random) }
    let set = TripleSet(text)
    for _ in 0..<500 {
      let start = Int.random(in: 0..<text.count - 12, using: &random)
      let piece = Array(text[start..<start + Int.random(in: 0...12, using: &random)])
      #expect(set.mayHold(piece))
      #expect(set.mayHold(Array(String(decoding: piece, as: UTF8.self).lowercased().utf8)))
      #expect(set.mayHold(Array(String(decoding: piece, as: UTF8.self).uppercased().utf8)))
    }
  }

  @Test func mostOfWhatIsNotThereIsRuledOut() {
    let set = TripleSet(Array("upload completed in ms of sessions".utf8))
    let others = ["telescope", "photograph", "aaaa", "zzzzzz", "retry later"]
    #expect(others.filter { set.mayHold(Array($0.utf8)) }.count <= 1)
    #expect(TripleSet([]).mayHold([1, 2]))
    #expect(!TripleSet([]).mayHold([1, 2, 3]))
  }
}
