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

  /// One query asks twice; what makes asking fast is worth its price only for those that follow.
  @Test func literalsAreRuledOutFromTheThirdQuestionOn() throws {
    var builder = SegmentBuilder(id: UniqueID(bits: 1))
    for index in 0..<40 {
      builder.append(
        Record(
          id: UniqueID(bits: UInt128(index)), time: Int64(index), sequence: UInt64(index),
          session: UniqueID(bits: 1), level: .info, event: "e", message: "upload \(index) done"))
    }
    let segment = try Segment(bytes: try builder.finish(), name: "literals")
    guard case .texts(let column)? = try segment.column(.message) else {
      Issue.record("no messages")
      return
    }
    let telescope = Array("telescope".utf8)
    let answers = try (0..<4).map { _ in try column.mayHaveLiteral(with: telescope) }
    #expect(answers == [true, true, false, false])
    #expect(try column.mayHaveLiteral(with: Array("upload".utf8)))
  }

  @Test func mostOfWhatIsNotThereIsRuledOut() {
    let set = TripleSet(Array("upload completed in ms of sessions".utf8))
    let others = ["telescope", "photograph", "aaaa", "zzzzzz", "retry later"]
    #expect(others.filter { set.mayHold(Array($0.utf8)) }.count <= 1)
    #expect(TripleSet([]).mayHold([1, 2]))
    #expect(!TripleSet([]).mayHold([1, 2, 3]))
  }
}
