internal import JournalKit

extension Granule {
  /// One bit a row: whether it has a value that is one of `wanted`. Nil when a value is not below `limit`, as far as
  /// that has been looked at.
  func matches(_ wanted: CodeSet, limit: UInt32) -> [UInt64]? {
    guard var matches = matchesOfValues(wanted, limit: limit) else { return nil }
    if let words = rows.words { matches.spreadBits(over: words) }
    return matches
  }

  /// One bit a value.
  private func matchesOfValues(_ wanted: CodeSet, limit: UInt32) -> [UInt64]? {
    switch values {
    case .packed(let packed):
      if case .range(let range) = wanted {
        // Whatever is not below the limit may count: one comparison less.
        let last = range.upperBound == limit - 1 ? Int64.max : Int64(range.upperBound)
        return bits(of: Int64(range.lowerBound)...last, in: packed)
      }
      return bits(of: packed.unpacked(), wanted, limit: limit)
    case .rising(let rising):
      var values = [UInt32](repeating: 0, count: rows.count)
      rising.unpack(0..<rows.count, into: &values)
      return bits(of: values, wanted, limit: limit)
    case .places(let places, let table):
      let distinct: [Int64] = table.unpacked()
      guard distinct.allSatisfy({ $0 >= 0 && $0 < limit }) else { return nil }
      // What is wanted of the table's values is wanted of their places.
      let isWanted = distinct.map { wanted.contains(UInt32(truncatingIfNeeded: $0)) }
      guard let first = isWanted.firstIndex(of: true), let last = isWanted.lastIndex(of: true)
      else { return [UInt64](repeating: 0, count: (rows.rowCount + 63) / 64) }
      if isWanted[first...last].allSatisfy(\.self) {
        return bits(of: Int64(first)...Int64(last), in: places)
      }
      return bits(of: places.unpacked(), .table(isWanted), limit: UInt32(distinct.count))
    }
  }

  /// One bit for each of the integers: whether it is in `range`.
  private func bits(of range: ClosedRange<Int64>, in integers: PackedIntegers) -> [UInt64] {
    var bits = [UInt64](repeating: 0, count: (rows.rowCount + 63) / 64)
    if range.lowerBound == range.upperBound {
      integers.setBits(of: range.lowerBound, in: &bits)
    } else {
      integers.setBits(in: range, of: &bits)
    }
    return bits
  }

  /// One bit for each of the values: whether it is one of `wanted`. Nil when one is not below `limit`.
  private func bits(of values: [UInt32], _ wanted: CodeSet, limit: UInt32) -> [UInt64]? {
    guard values.allSatisfy({ $0 < limit }) else { return nil }
    var matches = [UInt64](repeating: 0, count: (rows.rowCount + 63) / 64)
    switch wanted {
    case .range(let range):
      let (first, width) = (range.lowerBound, range.upperBound - range.lowerBound)
      matches.setBits(values.span) { $0 &- first <= width ? 1 : 0 }
    case .table(let table):
      let table = table.map { $0 ? 1 : 0 as UInt64 }
      let span = table.span
      matches.setBits(values.span) { span[Int($0)] }
    }
    return matches
  }
}

extension [UInt64] {
  /// Sets bit `i` to what `bit` makes of value `i`, for each of the values.
  @inline(__always)
  fileprivate mutating func setBits(_ values: Span<UInt32>, _ bit: (UInt32) -> UInt64) {
    var output = mutableSpan
    let wholeWords = values.count / 64
    for word in 0..<wholeWords {
      var bits: UInt64 = 0
      for byte in 0..<8 {
        let at = word &* 64 &+ byte &* 8
        let low =
          bit(values[at]) | bit(values[at + 1]) << 1 | bit(values[at + 2]) << 2
          | bit(values[at + 3]) << 3
        let high =
          bit(values[at + 4]) << 4 | bit(values[at + 5]) << 5 | bit(values[at + 6]) << 6
          | bit(values[at + 7]) << 7
        bits |= (low | high) &<< UInt64(truncatingIfNeeded: byte &* 8)
      }
      output[word] = bits
    }
    for at in wholeWords * 64..<values.count {
      output[wholeWords] |= bit(values[at]) << UInt64(at % 64)
    }
  }

  /// Moves the first bits, which lie close together, to the places of the bits that are set in `words`.
  fileprivate mutating func spreadBits(over words: [UInt64]) {
    var next = words.reduce(0) { $0 + $1.nonzeroBitCount }
    // From the back, because no bit moves to a place before its own.
    for index in words.indices.reversed() {
      let count = words[index].nonzeroBitCount
      next -= count
      guard count > 0 else {
        self[index] = 0
        continue
      }
      var bits = self[next / 64] >> UInt64(next % 64)
      if next % 64 + count > 64 { bits |= self[next / 64 + 1] << UInt64(64 - next % 64) }
      if count < 64 { bits &= 1 << UInt64(count) - 1 }
      var places = words[index]
      var spread: UInt64 = 0
      while bits != 0 {
        let place = places & (~places &+ 1)
        spread |= place & (0 &- (bits & 1))
        places ^= place
        bits >>= 1
      }
      self[index] = spread
    }
  }
}
