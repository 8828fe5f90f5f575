import SegmentIndex
import Testing

@Suite struct MergePlanTests {
  let plan = MergePlan(bucketWidth: 1_000, rowLimit: 1_000)

  func entry(_ id: Int, rows: UInt32, end: Int64, length: UInt64 = 100) -> Manifest.Entry {
    Manifest.Entry(
      id: UniqueID(bits: UInt128(id)), length: length, checksum: 0, rowCount: rows,
      timeRange: min(0, end)...end)
  }

  func groups(_ entries: [Manifest.Entry]) -> [[Int]] {
    plan.groups(of: entries).map { $0.map { Int($0.id.bits) } }
  }

  @Test func inTheNewestBucketEightOfASizeAreMerged() {
    let seven = (1...7).map { entry($0, rows: 1, end: 5) }
    #expect(groups(seven) == [])
    #expect(groups(seven + [entry(8, rows: 8, end: 5)]) == [])
    #expect(groups(seven + [entry(8, rows: 2, end: 5)]) == [Array(1...8)])
  }

  @Test func inOlderBucketsTwoOfASizeAreMerged() {
    let entries = [
      entry(1, rows: 1, end: 5), entry(2, rows: 1, end: 999), entry(3, rows: 1, end: 1_000),
      entry(4, rows: 60, end: 6), entry(5, rows: 1, end: -1), entry(6, rows: 1, end: -1_000),
      entry(7, rows: 1, end: -1_001),
    ]
    #expect(groups(entries) == [[5, 6], [1, 2]])
  }

  @Test func segmentsThatAreNearlyFullStay() {
    #expect(groups((1...20).map { entry($0, rows: 501, end: 5) }) == [])
    let halves = [(1, 400), (2, 400), (3, 400), (4, 500), (5, 500)]
      .map { entry($0.0, rows: UInt32($0.1), end: 5) }
    #expect(groups(halves) == [[1, 2], [3, 4]])
  }

  @Test func aMergeTakesInABoundedNumberOfBytes() {
    let large = (1...8).map { entry($0, rows: 1, end: 5, length: 6 << 20) }
    #expect(
      groups(large) == [[1, 2], [3, 4], [5, 6], [7, 8]]
        || groups(large) == [[1, 2], [3, 4], [5, 6]])
    let absurd = (1...8).map { entry($0, rows: .max, end: .max, length: .max) }
    #expect(groups(absurd) == [])
  }

  /// However small the pieces come, a record is merged once for each power of eight.
  @Test func mergingEnds() {
    var entries: [Manifest.Entry] = []
    var written = 0
    for number in 1...600 {
      entries.append(entry(number, rows: 1, end: 5))
      while let group = plan.groups(of: entries).first {
        let rows = group.reduce(0) { $0 + $1.rowCount }
        written += Int(rows)
        let ids = Set(group.map(\.id))
        entries.removeAll { ids.contains($0.id) }
        entries.append(entry(1_000 + number * 10 + written % 10, rows: rows, end: 5))
      }
    }
    #expect(entries.reduce(0) { $0 + $1.rowCount } == 600)
    #expect(entries.count <= 4 * 7)
    #expect(written <= 4 * 600)
  }
}
