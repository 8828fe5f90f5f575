import PQL
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

  @Test func sumsDoNotDependOnOrder() {
    for seed in 0..<300 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var values: [Value] = (0..<40).map { _ in
        let exponent = Int.random(in: -60...60, using: &random)
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

  private func percentile(_ percent: Double, _ values: [Value]) -> Value? {
    var sketch = PercentileSketch(percent)
    for value in values { sketch.add(value) }
    return sketch.result
  }

  @Test func percentilesAreValues() {
    let values = (1...100).map { Value.int($0) }
    #expect(percentile(0, values) == .int(1))
    #expect(percentile(50, values) == .int(50))
    #expect(percentile(99, values) == .int(99))
    #expect(percentile(99.5, values) == .int(100))
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
      var sketch = PercentileSketch(percent)
      for number in numbers { sketch.add(.int(number)) }
      #expect(sketch.isApproximate)
      let exact = Double(sorted[Int((percent / 100 * Double(sorted.count)).rounded(.up)) - 1])
      let near = try #require(sketch.result?.number)
      #expect(abs(near - exact) <= abs(exact) * 0.005 + 1e-9, "p\(percent)")
    }
  }
}
