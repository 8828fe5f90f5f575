import SegmentIndex
import TestSupport
import Testing

@Suite struct SegmentRoundTripTests {
  @Test(arguments: [0, 1, 2, 3, 255, 256, 257, 1000])
  func recordsComeBackToTheByte(_ count: Int) throws {
    for seed in UInt64(0)..<4 {
      var source = RandomRecords(seed: seed)
      let records = source.records(count)
      let segment = try segment(of: records)
      #expect(segment.rowCount == count)
      #expect(areIdentical(try segment.records(), sorted(records)), "seed \(seed)")
    }
  }

  @Test(arguments: [4095, 4096, 4097])
  func recordsComeBackAcrossGranules(_ count: Int) throws {
    var source = RandomRecords(seed: UInt64(count))
    let records = source.records(count)
    let segment = try segment(of: records)
    #expect(segment.granuleCount == (count + 4095) / 4096)
    #expect(areIdentical(try segment.records(), sorted(records)))
  }

  /// One record is read another way than several of a granule.
  @Test func recordsComeBackOneByOne() throws {
    var source = RandomRecords(seed: 7)
    let records = sorted(source.records(4500))
    let segment = try segment(of: records)
    for row in stride(from: 0, to: records.count, by: 37) {
      #expect(areIdentical([try segment.record(at: row)], [records[row]]), "row \(row)")
    }
  }
}
