internal import SegmentIndex

/// A set of Unicode scalars, as ranges.
package struct ScalarSet: Sendable, Hashable {
  /// Ascending, apart from each other by at least one scalar, and without surrogates.
  package private(set) var ranges: [ClosedRange<UInt32>]

  /// The set of all scalars in the ranges, which may overlap and need no order.
  package init(_ ranges: [ClosedRange<UInt32>]) {
    self.ranges = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
        let end = max(last.upperBound, range.upperBound)
        self.ranges[self.ranges.count - 1] = last.lowerBound...end
      } else {
        self.ranges.append(range)
      }
    }
    if self.ranges.contains(where: { $0.overlaps(Self.surrogates) }) {
      self.ranges = self.ranges.flatMap { Self.removing(Self.surrogates, from: $0) }
    }
  }

  /// The set of one scalar.
  init(_ scalar: Unicode.Scalar) {
    ranges = [scalar.value...scalar.value]
  }

  private static let surrogates: ClosedRange<UInt32> = 0xd800...0xdfff

  private static func removing(
    _ hole: ClosedRange<UInt32>, from range: ClosedRange<UInt32>
  ) -> [ClosedRange<UInt32>] {
    var rest: [ClosedRange<UInt32>] = []
    if range.lowerBound < hole.lowerBound {
      rest.append(range.lowerBound...min(range.upperBound, hole.lowerBound - 1))
    }
    if range.upperBound > hole.upperBound {
      rest.append(max(range.lowerBound, hole.upperBound + 1)...range.upperBound)
    }
    return rest
  }

  static let digits = ScalarSet([0x30...0x39])
  static let wordScalars = ScalarSet([0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
  static let spaces = ScalarSet([0x09...0x0d, 0x20...0x20])
  static let all = ScalarSet([0...0x10_ffff])
  static let allButNewline = ScalarSet([0...0x09, 0x0b...0x10_ffff])

  /// All scalars that are not in the set.
  package var inverted: ScalarSet {
    var gaps: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { gaps.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10_ffff { gaps.append(next...0x10_ffff) }
    return ScalarSet(gaps)
  }

  /// The scalars of both sets.
  package func union(_ other: ScalarSet) -> ScalarSet {
    ScalarSet(ranges + other.ranges)
  }

  /// The set and all case variants of its scalars.
  package var ignoringCase: ScalarSet {
    let folding = CaseFolding.shared
    var more: [ClosedRange<UInt32>] = []
    for range in ranges {
      let variable = folding.variable
      let first = variable.indices.partitionPoint { variable[$0] < range.lowerBound }
      for scalar in variable[first...].prefix(while: { $0 <= range.upperBound }) {
        more += folding.variants(of: scalar).map { $0...$0 }
      }
    }
    return ScalarSet(ranges + more)
  }

  /// The scalar, when the set has just one.
  var only: Unicode.Scalar? {
    guard ranges.count == 1, ranges[0].count == 1 else { return nil }
    return Unicode.Scalar(ranges[0].lowerBound)
  }
}
