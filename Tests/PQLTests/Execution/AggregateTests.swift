import PQL
import SegmentIndex
import TestSupport
import Testing

@Suite struct AggregateTests {
  private func total(_ values: [Value]) -> Value? {
    var sum = ExactSum()
    for value in values { sum.add(value) }
    return sum.total
  }

  @Test func sumsAreRoundedOnce() {
    #expect(total([.double(1e100), .double(1), .double(-1e100)]) == .double(1))
    #expect(total(Array(repeating: .double(0.1), count: 10)) == .double(1))
    #expect(total([.int(.max), .int(.max), .int(-.max)]) == .int(.max))
    #expect(total([.int(.max), .int(1)]) == nil)
    #expect(total([.int(.max), .double(0.5), .int(-.max)]) == .double(0.5))
    #expect(total([.duration(5), .duration(-7)]) == .duration(-2))
    #expect(total([.double(.nan), .double(.infinity), .string("x")]) == nil)
    #expect(total([.double(1.7e308), .double(1.7e308)]) == nil)
    #expect(total([]) == nil)
  }

  /// Sums that leave the range of doubles on the way and come back.
  @Test func largeNumbersCancel() {
    let tiny = Value.double(.leastNonzeroMagnitude)
    let (huge, more) = (Value.double(1.7e308), Value.double(-1.7e308))
    for values in [[huge, huge, more], [huge, more, huge], [more, huge, huge]] {
      #expect(total(values) == huge)
    }
    #expect(total([huge, .double(1), huge, more, more, .int(2)]) == .double(3))
    #expect(total([huge, more, tiny]) == tiny)
    #expect(total([huge, tiny]) == huge)
    // Half a unit of the last place rounds to even; the least bit more rounds up.
    let (base, half) = (Value.double(0x1p1000), Value.double(0x1p947))
    #expect(total([base, half]) == base)
    #expect(total([base, half, tiny]) == .double(0x1.0000000000001p1000))
    #expect(total([tiny, half, base, .int(-1)]) == base)
    var mean = ExactSum()
    for value in [huge, huge] { mean.add(value) }
    #expect(mean.mean == huge && mean.total == nil)
  }

  @Test func sumsDoNotDependOnOrder() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var values: [Value] = (0..<40).map { _ in
        let exponent = Int.random(in: seed % 2 == 0 ? -60...60 : 900...1_023, using: &random)
        let significand = Double.random(in: -1...1, using: &random)
        return Bool.random(using: &random)
          ? .double(significand * Double(sign: .plus, exponent: exponent, significand: 1))
          : .int(Int64.random(in: .min ... .max, using: &random))
      }
      let first = total(values)
      values.shuffle(using: &random)
      #expect(total(values) == first, "seed \(seed)")
    }
  }

  @Test func differentValuesAreCounted() {
    func count(_ values: some Sequence<Value>) -> (count: Int64, isApproximate: Bool) {
      var sketch = DistinctSketch()
      for value in values { sketch.add(value) }
      return (sketch.count, sketch.isApproximate)
    }
    let limit = DistinctSketch.exactLimit
    let few: [Value] = [.int(1), .double(1), .string("1"), .string("é"), .string("e\u{301}")]
    #expect(count(few) == (4, false))
    #expect(count((0..<limit).map { .int(Int64($0)) }) == (Int64(limit), false))
    // Past the limit it is near, the same in any order, and of equal values still one.
    let makers: [(Int64) -> Value] = [
      { .int($0) }, { .double(Double($0) + 0.5) }, { .string("user \($0)") }, { .time($0) },
      { .uuid(UniqueID(bits: UInt128($0))) }, { .int((1 << 60) + $0) },
    ]
    for make in makers {
      for size in [Int64(limit + 1), 40_000] {
        let values = (0..<size).map(make)
        let found = count(values)
        #expect(found.isApproximate)
        #expect(abs(Double(found.count) / Double(size) - 1) < 0.04, "\(values[0]) \(size)")
        #expect(count(values.reversed()).count == found.count)
        #expect(count(values + values.prefix(5_000)).count == found.count)
      }
    }
    let whole = count((0..<30_000 as Range<Int64>).map(Value.int)).count
    #expect(count((0..<30_000).map { .double(Double($0)) }).count == whole)
  }

  /// Random numbers; a third of those in the second half are in the first as well, often as another type.
  private func repeatingNumbers(_ size: Int, _ spread: Int64) -> [Value] {
    var random = SeededRandom(seed: UInt64(size))
    var values: [Value] = []
    for index in 0..<size {
      if index >= size / 2, index % 3 == 0, case .int(let number) = values[index - size / 2] {
        let double = Double(number)
        values.append(Int64(exactly: double) == number ? .double(double) : .int(number))
        continue
      }
      let number = Int64.random(in: -100...spread, using: &random)
      values.append(index % 5 == 0 ? .double(Double(number) / 8) : .int(number))
    }
    return values
  }

  private func sketches(
    of values: some Sequence<Value>
  ) -> (percentiles: PercentileSketch, distinct: DistinctSketch) {
    var sketches = (percentiles: PercentileSketch(), distinct: DistinctSketch())
    for value in values {
      sketches.percentiles.add(value)
      sketches.distinct.add(value)
    }
    return sketches
  }

  /// What several threads have seen is together what one would have, past the limits, too: of the last size, each half
  /// alone is past them.
  @Test(arguments: [10, 10_001, 65_537, 131_074])
  func whatWasSeenApartIsPutTogether(_ size: Int) {
    for spread in [1 << 30, Int64.max] {
      let values = repeatingNumbers(size, spread)
      let whole = sketches(of: values)
      // Equal numbers are equal as doubles, and different ones of so few nearly always differ as such.
      let count = Set(values.compactMap(\.number)).count
      #expect(count < size - size / 9)
      #expect(
        whole.distinct.isApproximate
          ? abs(Double(whole.distinct.count) / Double(count) - 1) < 0.04
          : whole.distinct.count == Int64(count))
      for cut in size > 65_537 ? [size / 2] : [1, size / 2] {
        var first = sketches(of: values[..<cut])
        let second = sketches(of: values[cut...])
        if size > 131_072 { #expect(first.percentiles.isApproximate) }
        #expect(second.percentiles.isApproximate == (size - cut > PercentileSketch.exactLimit))
        first.percentiles.add(second.percentiles)
        first.distinct.add(second.distinct)
        #expect(first.percentiles.isApproximate == whole.percentiles.isApproximate)
        #expect(
          first.percentiles.results([1, 50, 99]) == whole.percentiles.results([1, 50, 99]),
          "\(cut)")
        #expect(first.distinct.count == whole.distinct.count, "\(cut)")
      }
    }
  }

  private func percentile(_ percent: Double, _ values: [Value]) -> Value? {
    var sketch = PercentileSketch()
    for value in values { sketch.add(value) }
    return sketch.results([percent])[0]
  }

  @Test func percentilesAreValues() {
    let values = (1...100).map { Value.int($0) }
    #expect(percentile(0, values) == .int(1))
    #expect(percentile(50, values) == .int(50))
    #expect(percentile(99, values) == .int(99))
    #expect(percentile(99.5, values) == .int(100))
    for percent in [7, 14, 55, 57] as [Int64] {
      #expect(percentile(Double(percent), values) == .int(percent))
    }
    #expect(percentile(99.9, (1...1_000).map { Value.int($0) }) == .int(999))
    #expect(percentile(50, [.double(2.5), .int(1), .int(9)]) == .double(2.5))
    #expect(percentile(50, [.duration(7), .string("x"), .double(.nan)]) == .duration(7))
    #expect(percentile(50, []) == nil)
  }

  @Test func manyValuesAreApproximated() throws {
    var random = SeededRandom(seed: 3)
    let numbers = (0..<PercentileSketch.exactLimit + 10_000).map { _ in
      Int64.random(in: -1_000...1_000_000, using: &random)
    }
    let sorted = numbers.sorted()
    for percent in [1.0, 50, 99.9] {
      var sketch = PercentileSketch()
      for number in numbers { sketch.add(Value.int(number)) }
      #expect(sketch.isApproximate)
      let exact = Double(sorted[Int((percent / 100 * Double(sorted.count)).rounded(.up)) - 1])
      let near = try #require(sketch.results([percent])[0]?.number)
      #expect(abs(near - exact) <= abs(exact) * 0.005 + 1e-9, "p\(percent)")
    }
  }

  /// The ends of what doubles and durations hold, repeated until they are past the limit: near what the reference says of
  /// a few of them.
  @Test func extremesAreApproximated() throws {
    let doubles: [Double] = [
      -.infinity, -.greatestFiniteMagnitude, -1, 0, 1, .greatestFiniteMagnitude, .infinity,
    ]
    let durations: [Int64] = [.min, .min + 1, -5, 0, 7, .max - 1, .max]
    let records = (0..<7).map { index in
      SmallStore.record(index) { record in
        record.tags = [LogTag("x", .double(doubles[index]))]
        record.duration = durations[index]
      }
    }
    let store = try SmallStore(records)
    for percent in [1, 20, 50, 80, 90, 99] as [Double] {
      let query = try store.bound("| stats p\(Int(percent))(tag.x), p\(Int(percent))(duration)")
      let rows = try #require(ReferenceEvaluator(records: records).run(query).table?.rows)
      var (numbers, spans) = (PercentileSketch(), PercentileSketch())
      for _ in 0..<PercentileSketch.exactLimit / 7 + 1 {
        for value in doubles { numbers.add(.double(value)) }
        for value in durations { spans.add(.duration(value)) }
      }
      #expect(numbers.isApproximate && spans.isApproximate)
      let number = try #require(numbers.results([percent])[0]?.number)
      let exact = try #require(rows[0, 0]?.number)
      #expect(
        number == exact || abs(number - exact) <= abs(exact) * 0.005, "p\(percent): \(number)")
      guard case .duration(let span)? = spans.results([percent])[0],
        case .duration(let exact)? = rows[0, 1]
      else {
        Issue.record("p\(percent): there is no duration")
        continue
      }
      #expect(abs(Double(span) - Double(exact)) <= abs(Double(exact)) * 0.005, "p\(percent)")
    }
  }
}
