import PQL
import SegmentIndex
import TestSupport
import Testing

/// Segments that lack what every record has, though their checksums are right.
@Suite struct HostileColumnTests {
  /// A segment of some records from `first` on, whose directory does not list the column of this number.
  private func segment(_ first: Int, without column: UInt8) throws -> Segment {
    var builder = SegmentBuilder(id: UniqueID(bits: UInt128(first)))
    for index in first..<first + 20 {
      builder.append(SmallStore.record(index) { $0.line = Int64(index) })
    }
    var hostile = try HostileSegment(try builder.finish())
    let isRemoved = hostile.removeColumn(column)
    #expect(isRemoved)
    return try Segment(bytes: hostile.bytes, name: "\(first)")
  }

  /// 3 is the sequence, 4 the session; two segments overlap, so that both decide.
  @Test(arguments: [3, 4] as [UInt8])
  func columnsThatEveryRecordHasMayBeMissing(_ column: UInt8) throws {
    let segments = try [segment(0, without: column), segment(10, without: column)]
    for text in [
      "*", "| sort time", "| select message", "| sort time | select line", "| sort line",
      "| limit 3", "| dedup line", "| stats first(line), last(line) by level",
      "| stats last(line) by bin(time, 1h)", "| count by session",
      "sequence > 3", "| trace", "| context 2", "| spans", "| stats avg(sequence)",
    ] {
      let query = try DifferentialTests.bound(
        text, segments, QueryContext(now: SmallStore.start))
      _ = Executor.run(query, on: segments)
    }
    let query = try DifferentialTests.bound(
      "| select line", segments, QueryContext(now: SmallStore.start))
    #expect(Executor.run(query, on: segments).summary.gaps.count == 2)
  }
}
