import JournalKit
import SegmentIndex
import TestSupport
import Testing

@Suite struct PackedIntegersTests {
  /// What comes out of the values' bytes: at once, one by one, and in part.
  private func expectRoundTrip(_ values: [Int64], _ comment: Comment? = nil) throws {
    var writer = ByteWriter()
    writer.packedIntegers(values)
    var reader = ByteReader(writer.bytes.rawSpan)
    let packed = PackedIntegers(&reader, count: values.count)
    let remaining = reader.remaining
    #expect(remaining == 0, comment)
    guard let packed else {
      Issue.record("not read back")
      return
    }
    var all = [Int64](repeating: 99, count: values.count)
    packed.unpack(0..<values.count, into: &all)
    #expect(all == values, comment)
    var single: [Int64] = []
    for index in values.indices { single.append(packed[index]) }
    #expect(single == values, comment)
    // The last one stands for those that are there, its neighbour for those that need not be.
    for sought in [values.last, values.last.map { $0 &+ 1 }].compactMap(\.self) {
      // What is set already stays, in whichever word it begins.
      let wordCount = (values.count + 63) / 64
      var words = [UInt64](repeating: 0, count: wordCount + 1)
      words[0] = 5
      packed.setBits(of: sought, in: &words, atWord: 1)
      #expect(
        words[0] == 5
          && indexes(words.dropFirst()) == values.indices.filter { values[$0] == sought }, comment)
      for range in [.min...sought, sought ... .max, sought...max(sought, values[0]), .min ... .max]
      {
        var inside = [UInt64](repeating: 0, count: wordCount)
        packed.setBits(in: range, of: &inside)
        #expect(
          indexes(inside[...]) == values.indices.filter { range.contains(values[$0]) }, comment)
      }
    }
    let part = values.count / 3..<values.count - values.count / 4
    var some = [Int64](repeating: 99, count: part.count)
    packed.unpack(part, into: &some)
    #expect(some == Array(values[part]), comment)
  }

  /// The numbers of the bits that are set.
  private func indexes(_ words: ArraySlice<UInt64>) -> [Int] {
    words.enumerated().flatMap { index, word in
      (0..<64).filter { word >> UInt64($0) & 1 == 1 }.map { index * 64 + $0 }
    }
  }

  private func byteCount(_ values: [Int64]) -> Int {
    var writer = ByteWriter()
    writer.packedIntegers(values)
    return writer.count
  }

  @Test func everyWidthComesBack() throws {
    for width in 0...64 {
      var random = SeededRandom(seed: UInt64(width))
      let mask = width == 0 ? 0 : UInt64.max >> UInt64(64 - width)
      for count in [1, 2, 3, 7, 8, 9, 63, 64, 65, 500] {
        let base = Int64(truncatingIfNeeded: random.next())
        let values = (0..<count).map { _ in
          base &+ Int64(truncatingIfNeeded: random.next() & mask)
        }
        try expectRoundTrip(values, "width \(width), count \(count)")
      }
    }
  }

  @Test func integersThatRepeatAreFoundInEveryWidth() throws {
    for width in 1...12 {
      var random = SeededRandom(seed: UInt64(width))
      for (base, unit) in [(0, 1), (-7, 1), (1_000, 250)] as [(Int64, Int64)] {
        let values = (0..<700).map { _ in
          base + unit * Int64(random.next() & (1 << UInt64(width) - 1))
        }
        try expectRoundTrip(values, "width \(width), base \(base), unit \(unit)")
      }
    }
  }

  @Test(
    arguments: [
      [], [0], [.min], [.max], [.min, .max], [.max, .min, 0, -1, 1], [.min, .min, .max, .max],
      [0, .max, .min], [.min, -1, .max],
    ] as [[Int64]])
  func extremesComeBack(_ values: [Int64]) throws {
    try expectRoundTrip(values)
  }

  @Test func constantsAndProgressionsTakeNoBitsForEach() {
    #expect(byteCount([Int64](repeating: 7, count: 4096)) == 2)
    #expect(byteCount((0..<4096).map { 1000 + $0 * 250 }) == 7)
    #expect(byteCount((0..<4096).map { 1000 - $0 }) == 5)
    // A slope must not be taken where it costs more than it saves.
    #expect(byteCount([0, 1, 2]) == 2 + 1)
  }

  /// Times in whole milliseconds, along a line and without one, near both ends of the range too.
  @Test func multiplesOfAUnitTakeTheBitsOfTheirQuotients() throws {
    for unit: Int64 in [3, 256, 1_000_000, 1 << 40] {
      for base: Int64 in [0, .min + 5, .max - 2000 * unit, -7, 1_767_225_600_123_456_789] {
        var random = SeededRandom(seed: UInt64(unit))
        let values = (0..<600).map { _ in base + Int64.random(in: 0..<1000, using: &random) * unit }
        try expectRoundTrip(values, "unit \(unit), base \(base)")
        try expectRoundTrip(values.sorted(), "unit \(unit), base \(base)")
        try expectRoundTrip(values.sorted(by: >), "unit \(unit), base \(base)")
        #expect(byteCount(values) < 600 * 10 / 8 + 25)
        #expect(byteCount(values.sorted()) < 600 * 9 / 8 + 25)
      }
    }
  }

  @Test func risingTimesAreKeptAlongTheirLine() throws {
    var random = SeededRandom(seed: 5)
    var time: Int64 = 1_767_225_600_000_000_000
    let times = (0..<4096).map { _ in
      time += Int64.random(in: 0..<2_000_000_000, using: &random)
      return time
    }
    try expectRoundTrip(times)
    #expect(byteCount(times) < 4096 * 5)
  }

  @Test func bytesThatAreCutAreRefused() {
    var writer = ByteWriter()
    writer.packedIntegers([1, 500, -3, 77, 0])
    for length in 0..<writer.count {
      let cut = Array(writer.bytes[..<length])
      var reader = ByteReader(cut.rawSpan)
      let isRead = PackedIntegers(&reader, count: 5) != nil
      #expect(!isRead, "cut to \(length)")
    }
  }

  @Test func hostileHeadsAreRefused() {
    // A width over 64, a count whose bits overflow, and a count that the bytes cannot hold.
    for (head, count) in [(65, 1), (0x7f, 1), (64, Int.max), (1, 1 << 40), (3, -1)] {
      let bytes = [UInt8(head)] + [UInt8](repeating: 0xff, count: 40)
      var reader = ByteReader(bytes.rawSpan)
      let isRead = PackedIntegers(&reader, count: count) != nil
      #expect(!isRead, "head \(head), count \(count)")
    }
  }
}
