import PQL
import SegmentIndex
import Testing

@Suite struct ValueTests {
  /// In the order of sorting; neighbours in one group are equal.
  private static let ordered: [[Value]] = [
    [.bool(false)], [.bool(true)],
    [.double(-.infinity)], [.int(.min), .double(-0x1p63)], [.double(-1.5)],
    [.int(-1), .double(-1)],
    [.int(0), .double(0), .double(-0.0), .size(0)], [.double(0.5)], [.int(1), .double(1)],
    [.int(9_007_199_254_740_992), .double(9_007_199_254_740_992)], [.int(9_007_199_254_740_993)],
    [.int(.max)], [.double(0x1p63)], [.double(.infinity)], [.double(.nan), .double(-.nan)],
    [.string("")], [.string("B")], [.string("a")], [.string("e\u{301}")], [.string("é")],
    [.duration(1)], [.duration(2)], [.time(0)], [.level(.debug)], [.level(.fault)],
    [.uuid(UniqueID(bits: 1))], [.json("null")], [.list([])], [.list([.string("a")])],
    [.list([.string("a"), .string("b")])], [.list([.string("b")])],
  ]

  @Test func theOrderIsTotal() {
    for (i, left) in Self.ordered.enumerated() {
      for (j, right) in Self.ordered.enumerated() {
        for a in left {
          for b in right {
            let expected: Value.Order = i < j ? .before : i == j ? .same : .after
            #expect(Value.order(a, b) == expected, "\(a) \(b)")
            #expect((a == b) == (i == j))
            #expect(Set([a, b]).count == (i == j ? 1 : 2), "\(a) \(b)")
            if i == j { #expect(a.hashValue == b.hashValue, "\(a) \(b)") }
          }
        }
        #expect(Value.order(left[0], nil) == .before)
      }
    }
    #expect(Value.order(nil, nil) == .same)
  }

  /// Whoever logs must not be able to choose values that all have one hash: texts that Swift takes for the same, numbers
  /// that round to the same double, levels that stand at the same place.
  @Test func differentValuesHaveDifferentHashes() {
    var texts = [""]
    for _ in 0..<8 { texts = texts.flatMap { [$0 + "é", $0 + "e\u{301}"] } }
    let numbers = (0..<256 as Range<Int64>).map { Value.int((1 << 62) + $0) }
    let levels = (0..<256).map { Value.level(LogLevel("level \($0)", severity: 5)) }
    for values in [texts.map(Value.string), texts.map(Value.json), numbers, levels] {
      #expect(Set(values.map(\.hashValue)).count == 256, "\(values[0])")
    }
  }

  @Test func valuesAreWritten() {
    let values: [(Value, String)] = [
      (.duration(-5_400_000_000_000), "-1h30m"), (.duration(0), "0s"), (.size(1_536), "1536B"),
      (.size(10_240), "10KiB"), (.size(2_000_000), "2MB"), (.time(0), "1970-01-01T00:00:00Z"),
      (.time(-1), "1969-12-31T23:59:59.999999999Z"), (.level(.error), "error"),
      (.list([.int(1), .string("a")]), "1, a"),
      (.duration(.min), "-106751d23h47m16s854ms775us808ns"),
    ]
    for (value, text) in values { #expect(value.description == text) }
  }
}
