import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct RisingIntegersTests {
  private func written(_ values: [Int64]) -> [UInt8]? {
    var writer = ByteWriter()
    return writer.risingIntegers(values) ? writer.bytes : nil
  }

  private func read(_ bytes: [UInt8], _ range: Range<Int>, of count: Int) -> [Int64]? {
    var reader = ByteReader(bytes.rawSpan)
    guard let rising = RisingIntegers(&reader, count: count) else { return nil }
    var values = [Int64](repeating: 99, count: range.count)
    rising.unpack(range, into: &values)
    return values
  }

  private func values(_ count: Int, below limit: Int64, unit: Int64, seed: UInt64) -> [Int64] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in -1000 + Int64.random(in: 0..<limit, using: &random) * unit }
      .sorted()
  }

  private static let spreads: [Int64] = [1, 2, 60, 5000, 1 << 20, 1 << 40, 1 << 53]

  @Test(arguments: [16, 17, 63, 64, 65, 1000, 4096])
  func everySpreadComesBackWholeAndInPart(_ count: Int) throws {
    for (seed, limit) in Self.spreads.enumerated() {
      for unit: Int64 in [1, 256] {
        let values = values(count, below: limit, unit: unit, seed: UInt64(seed))
        let bytes = try #require(written(values))
        let parts = [0..<count, 0..<0, count - 1..<count, count / 3..<count / 2, 5..<7]
        for part in parts {
          #expect(read(bytes, part, of: count) == Array(values[part]), "\(limit), \(unit), \(part)")
        }
      }
    }
  }

  @Test(arguments: [16, 65, 1000, 4096])
  func theFirstThatIsNotBelowIsFoundFromAnyPlaceOn(_ count: Int) throws {
    for (seed, limit) in Self.spreads.enumerated() {
      let values = values(count, below: limit, unit: 3, seed: UInt64(seed))
      let bytes = try #require(written(values))
      var reader = ByteReader(bytes.rawSpan)
      guard let rising = RisingIntegers(&reader, count: count) else {
        Issue.record("not read back")
        return
      }
      var sought = [Int64.min, -1001, values[0], values[count / 2] - 1, values[count / 2]]
      sought += [values[count / 2] + 1, values[count - 1], values[count - 1] + 1, .max]
      for value in sought {
        for start in [0, 1, count / 3, count - 1, count] {
          var finder = RisingIntegers.Finder()
          if start > 0 { _ = rising.integer(at: start - 1, &finder) }
          let found = rising.firstIndex(notBelow: value, from: start, &finder)
          let expected = values[start...].firstIndex { $0 >= value } ?? count
          #expect(found == expected, "\(value) from \(start), \(limit)")
        }
      }
    }
  }

  @Test func eachTakesTwoBitsMoreThanTheMeanDistance() throws {
    let values = values(4096, below: 4096 << 22, unit: 256, seed: 3)
    let bytes = try #require(written(values))
    #expect(bytes.count <= 4096 * 24 / 8 + 24)
  }

  @Test func valuesThatFallOrLieTooFarApartAreNotTaken() {
    let rising = (0..<20).map { Int64($0) }
    #expect(written(rising) != nil && written([]) == nil)
    #expect(written(rising + [18]) == nil)
    #expect(written([.min] + rising + [.max]) == nil)
    #expect(written([.min] + rising) == nil && written(rising + [.max]) != nil)
  }

  @Test func bytesThatAreNoneAreRefused() throws {
    let values = values(40, below: 900, unit: 3, seed: 4)
    let bytes = try #require(written(values))
    for length in bytes.indices {
      #expect(read(Array(bytes[..<length]), 0..<0, of: 40) == nil, "cut to \(length)")
    }
    #expect(read(bytes, 0..<0, of: 41) == nil && read(bytes, 0..<0, of: 39) == nil)
    #expect(read(bytes, 0..<0, of: .max) == nil && read(bytes + [1], 0..<0, of: 40) == nil)
    #expect(read([0, 1, 64] + [UInt8](repeating: 0xff, count: 400), 0..<0, of: 40) == nil)
  }
}
