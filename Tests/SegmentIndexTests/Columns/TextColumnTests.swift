import JournalKit
import SegmentIndex
import TestSupport
import Testing

/// The column of payloads, which are any bytes, of a segment whose records have these.
private func column(of texts: [[UInt8]]) throws -> TextColumn {
  var builder = SegmentBuilder(id: UniqueID(bits: 1))
  for (index, text) in texts.enumerated() {
    var record = RandomRecords.plain
    record.sequence = UInt64(index)
    record.payload = text
    builder.append(record)
  }
  let segment = try Segment(bytes: try builder.finish(), name: "texts")
  guard case .texts(let column) = try segment.column(.payload)
  else { throw SegmentError(segment: "texts", offset: 0, reason: "no payloads") }
  return column
}

private func column(of lines: [String]) throws -> TextColumn {
  try column(of: lines.map { Array($0.utf8) })
}

private func texts(in granule: TextGranule) -> [[UInt8]] {
  (0..<granule.count).map { Array(granule.bytes[granule.range(of: $0)]) }
}

@Suite struct TextColumnTests {
  @Test(arguments: [1, 3, 255, 256, 257, 900])
  func everyTextComesBack(_ count: Int) throws {
    for seed in UInt64(0)..<6 {
      var source = RandomTexts(seed: seed)
      let all = source.texts(count) + [[7]]
      let column = try column(of: all)
      #expect(texts(in: try column.decode(granule: 0)) == all, "seed \(seed)")
    }
  }

  @Test func textsComeBackAcrossGranules() throws {
    var source = RandomTexts(seed: 77)
    let all = source.texts(4500)
    let column = try column(of: all)
    let first = texts(in: try column.decode(granule: 0))
    #expect(first + texts(in: try column.decode(granule: 1)) == all)
  }

  @Test func codesAndPostingListsSayWhichRowsHaveAPattern() throws {
    var source = RandomTexts(seed: 78)
    let column = try column(of: source.texts(5000))
    var counts = [Int](repeating: 0, count: column.patternCount)
    var granules = [Set<Int>](repeating: [], count: column.patternCount)
    var codes: [UInt32] = []
    for granule in 0..<2 {
      try column.decode(codes: &codes, granule: granule)
      for code in codes {
        counts[Int(code)] += 1
        granules[Int(code)].insert(granule)
      }
    }
    for granule in 0..<2 {
      try column.decode(codes: &codes, granule: granule)
      for wanted in [[0], [1, 3], [column.patternCount - 1, 2, 0]] {
        let rows = try column.rows(ofPatterns: wanted, granule: granule)
        let found = codes.indices.filter { rows[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
        #expect(found == codes.indices.filter { wanted.contains(Int(codes[$0])) })
      }
      var some: [UInt32] = []
      let rows = [0, 255, 256, 300, codes.count - 1]
      try column.decode(codes: &some, of: rows, granule: granule)
      #expect(rows.map { some[$0] } == rows.map { codes[$0] })
    }
    #expect(column.patternCount > 10)
    for code in 0..<column.patternCount {
      #expect(try column.rowCount(ofPattern: code) == counts[code])
      #expect(try column.granules(ofPattern: code) == granules[code].sorted())
    }
  }

  @Test func onlyWantedPatternsAreDecoded() throws {
    var source = RandomTexts(seed: 79)
    let all = source.texts(1000)
    let column = try column(of: all)
    var codes: [UInt32] = []
    try column.decode(codes: &codes, granule: 0)
    for seed in UInt64(0)..<8 {
      var random = SeededRandom(seed: seed)
      let wanted = (0..<column.patternCount).map { _ in Bool.random(using: &random) }
      var granule = TextGranule()
      try column.decode(granule: 0, into: &granule, wanted: wanted)
      let expected = all.indices.map { wanted[Int(codes[$0])] ? all[$0] : [] }
      #expect(texts(in: granule) == expected, "\(random)")
    }
  }

  @Test func numbersInSlotsAreThoseOfTheTexts() throws {
    var random = SeededRandom(seed: 80)
    let numbers = (0..<700).map { _ in random.next() % 100_000 }
    let lines = numbers.enumerated().map { index, number in
      index % 3 == 0 ? "other \(index)" : "took \(number / 7) and \(number) ms"
    }
    let column = try column(of: lines)
    let patterns = try column.patterns
    let code = try #require(
      patterns.patterns.indices.first { patterns.patterns[$0].slots.count == 2 })
    var slots = [Int?](repeating: nil, count: patterns.count)
    slots[code] = 1
    var codes: [UInt32] = []
    var found: [Int64] = []
    try column.decode(slots: slots, granule: 0, codes: &codes, numbers: &found)
    #expect(found == numbers.enumerated().map { $0 % 3 == 0 ? 0 : Int64($1) })
  }

  @Test(
    arguments: [
      ("id %", ["7", "12", "345"], "number"), ("id %", ["007", "123", "045"], "digits"),
      ("id %", ["123", "007", "045"], "digits"), ("id %", ["12345678", "deadbeef"], "hex"),
      ("id %", ["deadbeef", "00000000"], "hex"), ("id %", ["DEAD00", "123456"], "upperHex"),
      ("in % s", ["1.25", "0.50", "12.00"], "fraction"),
      ("in % s", ["1.25", "0.5", "12.0"], "fraction"),
      ("in % s", ["1.25", "0.5", "12"], "fraction"), ("in % s", ["1.25", "0.50", "12"], "scaled"),
      ("in % s", ["12", "1.5"], "fraction"), ("is %", ["a1b2c3x4", "zz9z9z9"], "text"),
    ])
  func aSlotHasTheKindOfItsTexts(_ pattern: String, _ values: [String], _ kind: String) throws {
    let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
    let lines = (0..<12).map { parts[0] + values[$0 % values.count] + parts[1] }
    let column = try column(of: lines.map { String($0) })
    #expect(texts(in: try column.decode(granule: 0)) == lines.map { Array($0.utf8) })
    let patterns = try column.patterns
    #expect(patterns.count == 2)
    let slot = patterns.slots[patterns.patterns[patterns.count - 1].slots.lowerBound]
    #expect("\(slot.kind)".hasPrefix(kind), "\(slot.kind)")
  }

  @Test func textsOfOnePatternTakeOnlyTheBitsOfTheirNumbers() throws {
    var random = SeededRandom(seed: 81)
    let lines = (0..<4096).map { _ in
      "request \(String(random.next() | 1 << 63, radix: 16)) took \(random.next() % 1024) ms"
    }
    let column = try column(of: lines)
    let byteCount = column.blocks.reduce(0) { $0 + $1.count }
    #expect(byteCount < 4096 * 74 / 8 + 500)
  }

  /// Each text is like no other, but for the last two.
  @Test func patternsOnOneRowAreNotKept() throws {
    let lines = (0..<300).map { index in
      "\(String(repeating: "x", count: min(index, 298))) then \(index) and \(index).5"
    }
    let column = try column(of: lines)
    #expect(column.patternCount == 2)
    #expect(texts(in: try column.decode(granule: 0)) == lines.map { Array($0.utf8) })
  }

  @Test func emptyTextsHaveNoBlocks() throws {
    let column = try column(of: [[UInt8]](repeating: [], count: 600) + [Array("last 1".utf8)])
    #expect(try column.decode(granule: 0).starts.dropLast().allSatisfy { $0 == 0 })
    #expect(column.blocks.count == 3)
  }
}

@Suite struct HostileTextTests {
  private func bytes(_ build: (inout ByteWriter) -> Void) -> [UInt8] {
    var writer = ByteWriter()
    build(&writer)
    return writer.bytes
  }

  private func isRead(_ bytes: [UInt8], count: Int) -> Bool {
    TextPatterns(bytes.rawSpan, count: count) != nil
  }

  @Test func blocksThatAreNoPatternsAreRefused() {
    // One pattern: no slots, three literal bytes, kept as they are.
    let healthy: [UInt8] = [0, 3, 0, 3, 0x61, 0x62, 0x63]
    #expect(isRead(healthy, count: 1))
    for length in healthy.indices { #expect(!isRead(Array(healthy[..<length]), count: 1)) }
    #expect(!isRead(healthy, count: 2) && !isRead(healthy, count: -1))
    #expect(!isRead(healthy, count: .max) && !isRead(healthy + [0], count: 1))
    // Too many slots; an unknown kind; counts and scales out of range; too many bits.
    for head: [UInt8] in [
      [65], [1, 0, 0, 1, 0], [1, 0, 8, 1, 0], [1, 0, 2, 0, 1, 0], [1, 0, 2, 17, 1, 0],
      [1, 0, 3, 17, 1, 0], [1, 0, 5, 0x12, 1, 0], [1, 0, 1, 65, 0],
    ] { #expect(!isRead(head + [0, 0, 0], count: 1), "\(head)") }
    #expect(isRead([1, 0, 1, 64, 0, 0, 0, 0], count: 1))
    // Literals fewer, or more, than the patterns need.
    #expect(!isRead([0, 3, 0, 2, 0x61, 0x62], count: 1))
    #expect(!isRead([0, 3, 0, 4, 0x61, 0x62, 0x63, 0x64], count: 1))
  }

  /// What few bytes can stand for is bounded, for a pattern and for all of them.
  @Test func patternsOutOfProportionAreRefused() {
    #expect(
      !isRead(
        bytes {
          $0.bytes = [0]; $0.varint(4097); $0.bytes += [0, 0]
        }, count: 1))
    let slot: [UInt8] = [0x80, 0x18, 1, 1, 0]  // 3,072 literal bytes before a number
    #expect(!isRead([2] + slot + slot + [0, 0, 0], count: 1))
    // LZ4 that claims more than 255 times its bytes.
    #expect(
      !isRead(
        bytes {
          $0.bytes = [0, 1, 1]; $0.varint(1 << 40); $0.byte(0)
        }, count: 1))
  }
}
