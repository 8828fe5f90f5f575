internal import JournalKit

// Counting rows by value without listing values: each raises the count of its distance as it is packed, and only the
// counts are made those of values.

/// What comes of going through the values of a granule as they are packed.
enum Tally<Result> {
  case done(Result)
  /// The values have so many distances, or are packed in such a way, that they are better decoded.
  case unfit
  /// A wanted row has a value that is not below the limit.
  case malformed
}

extension Granule {
  /// Counts the rows whose bits are set in `wanted` by value, in each of `runs` of rows: `limit + 1` numbers for each run,
  /// of the rows without a value first.
  func count(_ wanted: [UInt64], in runs: [Range<Int>], limit: Int) -> Tally<[Int]> {
    // Beyond so many, clearing counts and going through them is what takes the time.
    guard let packed = flatIntegers, packed.width <= 12,
      (PackedIntegers.laneCount << packed.width + limit) * runs.count <= 4 * rows.rowCount
    else { return .unfit }
    var output = [Int](repeating: 0, count: (limit + 1) * runs.count)
    var counts = [UInt32](repeating: 0, count: PackedIntegers.laneCount << packed.width)
    for (number, run) in runs.enumerated() where !run.isEmpty {
      let first = number * (limit + 1)
      output[first] = countDistances(packed, wanted, in: run, &counts)
      for distance in 0..<1 << packed.width {
        var count: UInt32 = 0
        for lane in distance * PackedIntegers.laneCount..<(distance + 1) * PackedIntegers.laneCount
        {
          count &+= counts[lane]
          counts[lane] = 0
        }
        guard count > 0 else { continue }
        let value = value(atDistance: distance, in: packed)
        guard value >= 0, value < Int64(limit) else { return .malformed }
        output[first + 1 + Int(value)] += Int(count)
      }
    }
    return .done(output)
  }

  /// The integers behind the values, if they have no slope.
  var flatIntegers: PackedIntegers? {
    @_lifetime(copy self)
    get {
      switch values {
      case .packed(let packed): packed.slope == 0 ? packed : nil
      case .places(let places, _): places.slope == 0 ? places : nil
      case .rising: nil
      }
    }
  }

  /// The value of an integer that has this distance; negative when it names no place in the table.
  func value(atDistance distance: Int, in packed: PackedIntegers) -> Int64 {
    let integer = packed.base &+ Int64(distance) &* packed.unit
    guard case .places(_, let table) = values else { return integer }
    return integer >= 0 && integer < Int64(table.count) ? table[Int(integer)] : -1
  }

  /// Counts the distances of the rows of a run that are wanted, and returns how many rows have none.
  private func countDistances(
    _ packed: PackedIntegers, _ wanted: [UInt64], in run: Range<Int>, _ counts: inout [UInt32]
  ) -> Int {
    var counts = counts.mutableSpan
    let words = run.lowerBound / 64...(run.upperBound - 1) / 64
    let wanted = wanted.span
    // The bits of the run in a word.
    func mask(_ index: Int) -> UInt64 {
      let first = index &* 64
      var mask = UInt64.max
      if first < run.lowerBound { mask &= .max &<< UInt64(run.lowerBound &- first) }
      if run.upperBound &- first < 64 { mask &= 1 &<< UInt64(run.upperBound &- first) &- 1 }
      return mask
    }
    if words.allSatisfy({ mask($0) & ~wanted[$0] == 0 }) {
      let values = rows.rank(of: run.lowerBound)..<rows.rank(of: run.upperBound)
      packed.countDistances(of: values, &counts)
      return run.count - values.count
    }
    var missing = 0
    var before = rows.rank(of: words.lowerBound * 64)
    for index in words {
      let rest = wanted[index] & mask(index)
      if rows.isFull {
        packed.countDistances(ofBits: rest, from: index &* 64, &counts) {
          $0.trailingZeroBitCount
        }
      } else {
        let present = rows.word(index)
        missing &+= (rest & ~present).nonzeroBitCount
        packed.countDistances(ofBits: rest & present, from: before, &counts) {
          (present & ($0 &- 1)).nonzeroBitCount
        }
        before &+= present.nonzeroBitCount
      }
    }
    return missing
  }
}

extension PackedIntegers {
  /// So many counts are kept of each distance, one after another, so that neighbours that are alike need not wait for each
  /// other.
  fileprivate static var laneCount: Int { 4 }

  /// Counts the distances of the integers of `range`.
  fileprivate func countDistances(of range: Range<Int>, _ counts: inout MutableSpan<UInt32>) {
    var next = range.lowerBound
    switch width {
    case 0:
      counts[0] += UInt32(range.count)
      return
    case 1...7: next = countDistances(8, of: range, &counts)
    default: next = countDistances(4, of: range, &counts)
    }
    for index in next..<range.upperBound {
      counts[Int(truncatingIfNeeded: distance(index)) &* Self.laneCount] &+= 1
    }
  }

  /// Counts distances, `step` from each eight bytes that are all there, and returns the number of the first that it left.
  @inline(__always)
  private func countDistances(
    _ step: Int, of range: Range<Int>, _ counts: inout MutableSpan<UInt32>
  ) -> Int {
    let mask = 1 &<< UInt64(truncatingIfNeeded: width) &- 1 as UInt64
    let last = (distances.byteCount - 8) * 8
    var index = range.lowerBound
    var bit = index &* width
    while index &+ step <= range.upperBound, bit <= last {
      var word = distances.littleEndian(UInt64.self, at: bit >> 3)
      word &>>= UInt64(truncatingIfNeeded: bit & 7)
      for place in 0..<step {
        let distance = Int(truncatingIfNeeded: word & mask)
        counts[distance &* Self.laneCount &+ place % Self.laneCount] &+= 1
        word &>>= UInt64(truncatingIfNeeded: width)
      }
      index &+= step
      bit &+= step &* width
    }
    return index
  }

  /// Counts the distances of integers, one for each bit that is set: `first` and as many on as `rank` says of the bit.
  @inline(__always)
  fileprivate func countDistances(
    ofBits bits: UInt64, from first: Int, _ counts: inout MutableSpan<UInt32>,
    _ rank: (UInt64) -> Int
  ) {
    var rest = bits
    while rest != 0 {
      let bit = rest & (0 &- rest)
      let distance = Int(truncatingIfNeeded: distance(first &+ rank(bit)))
      counts[distance &* Self.laneCount] &+= 1
      rest ^= bit
    }
  }
}
