import TestSupport

/// Choices that are made by chance, or by a fuzzer's bytes.
package struct Choices: RandomNumberGenerator, Sendable {
  private var source: any RandomNumberGenerator & Sendable

  /// Choices made by this source.
  package init(_ source: any RandomNumberGenerator & Sendable) {
    self.source = source
  }

  /// Choices that are the same for the same seed.
  package init(seed: UInt64) {
    self.init(SeededRandom(seed: seed))
  }

  package mutating func next() -> UInt64 { source.next() }

  /// One of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// True in so many of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  /// A number in the range.
  package mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &self)
  }
}
