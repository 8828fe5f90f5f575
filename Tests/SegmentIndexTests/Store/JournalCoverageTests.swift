import SegmentIndex
import TestSupport
import Testing

@Suite struct JournalCoverageTests {
  private func source(_ range: ClosedRange<UInt64>, _ journal: UInt128 = 1) -> SegmentSource {
    SegmentSource(
      journal: journal, firstSequence: range.lowerBound, lastSequence: range.upperBound)
  }

  @Test func stretchesOverlapWhereTheyShareAnEntry() {
    var coverage = JournalCoverage([1: 5])
    coverage.add([source(10...12), source(20...20), source(11...15)])
    #expect(
      [0...0, 5...7, 9...10, 13...13, 15...30, 16...20].allSatisfy {
        coverage.overlaps(source($0))
      })
    #expect([6...9, 16...19, 21...(.max)].allSatisfy { !coverage.overlaps(source($0)) })
    #expect(!coverage.overlaps(source(0...(.max), 2)))
    #expect(coverage.overlaps(SegmentSource(journal: 2, firstSequence: 3, lastSequence: 2)))
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func itIsWhatASetOfEntriesSays(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var coverage = JournalCoverage()
    var entries: Set<UInt64> = []
    for _ in 0..<60 {
      let stretches = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        let first = UInt64.random(in: 0...400, using: &random)
        return first...first + UInt64.random(in: 0...5, using: &random)
      }
      let first = UInt64.random(in: 0...400, using: &random)
      let asked = first...first + UInt64.random(in: 0...9, using: &random)
      #expect(
        coverage.overlaps(source(asked)) == asked.contains(where: entries.contains),
        "seed \(seed)")
      coverage.add(stretches.map { source($0) })
      for stretch in stretches { entries.formUnion(stretch) }
    }
  }

  /// Looking at each of the others, this would take minutes.
  @Test func manyStretchesInAnyOrderTakeNoTime() {
    let count: UInt64 = 40_000
    var coverage = JournalCoverage()
    coverage.add((0..<count).map { source(8 * $0...8 * $0) })
    for number in (0..<count).reversed() { coverage.add([source(8 * number + 4...8 * number + 5)]) }
    #expect(
      (0..<count).allSatisfy { number in
        coverage.overlaps(source(8 * number...8 * number + 1))
          && !coverage.overlaps(source(8 * number + 1...8 * number + 3))
      })
  }
}
