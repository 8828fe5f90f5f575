import SegmentIndex
import TestSupport
import Testing

@Suite struct NumberColumnTests {
  private func records(_ values: [LogTagValue?]) -> [Record] {
    values.enumerated().map { index, value in
      var record = RandomRecords.plain
      record.sequence = UInt64(index)
      record.id = UniqueID(session: record.session, sequence: record.sequence)
      record.tags = value.map { [LogTag("measure", $0), LogTag("z", .int(1))] } ?? []
      return record
    }
  }

  private func measures(_ count: Int, _ digits: Int) -> [LogTagValue?] {
    var random = SeededRandom(seed: 9)
    let power = [1.0, 10, 100, 1000][digits]
    return (0..<count).map { index in
      if index % 3 == 2 { return nil }
      return .double(Double(Int64.random(in: -400_000...400_000, using: &random)) / power)
    }
  }

  private func column(_ segment: Segment) throws -> NumberColumn? {
    guard case .numbers(let column) = try segment.column(.tag("measure")) else { return nil }
    return column
  }

  @Test(arguments: [0, 1, 3])
  func decimalFractionsAreKeptAsWholeNumbers(_ digits: Int) throws {
    let records = records(measures(6000, digits))
    let segment = try segment(of: records)
    #expect(try column(segment)?.scale == digits)
    #expect(areIdentical(try segment.records(), records))
    #expect(segment.verify() == [])
    var random = SeededRandom(seed: 10)
    let shuffled = try SegmentIndexTests.segment(of: records.shuffled(using: &random))
    #expect(areIdentical(try shuffled.records(), records))
  }

  /// One value that no whole number stands for makes terms of all: so much may not be lost.
  @Test(
    arguments: [
      .double(-0.0), .double(.nan), .double(.infinity), .double(0x1p60), .double(0.1 + 0.2),
      .double(.leastNonzeroMagnitude), .int(5), .string("5"), .double(9_007_199_254_740_993.5),
    ] as [LogTagValue])
  func otherValuesAreTerms(_ odd: LogTagValue) throws {
    let records = records(measures(2000, 2) + [odd])
    let segment = try segment(of: records)
    #expect(try column(segment) == nil)
    #expect(areIdentical(try segment.records(), records))
  }

  @Test func valuesThatRepeatAreTerms() throws {
    let records = records((0..<5000).map { .double(Double($0 % 300) / 10) })
    #expect(try column(segment(of: records)) == nil)
  }
}
