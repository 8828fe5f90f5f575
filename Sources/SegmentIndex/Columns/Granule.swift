internal import JournalKit

/// The integers of one granule (up to 4,096 rows) of a column: values, or codes of terms. The bytes:
///
///     the rows that have a value, as RowSet
///     u8   encoding
///     encoding 0, plain: the values of those rows as PackedIntegers
///     encoding 1, table: varint count of distinct values, those values as PackedIntegers, then for each
///     of those rows its place in the table as PackedIntegers
///     encoding 2, rising: the values of those rows as RisingIntegers
///
/// A granule in which no row has a value has no block at all.
struct Granule: ~Escapable {
  let rows: RowSet
  private let values: Values
  /// The distinct values when `values` are places in it; nil for plain values.
  private let table: [Int64]?

  private enum Values: ~Escapable {
    case packed(PackedIntegers)
    case rising(RisingIntegers)
  }

  /// Reads a granule of `rowCount` rows; nil when the bytes are not one.
  @_lifetime(copy bytes)
  init?(_ bytes: RawSpan, rowCount: Int) {
    var reader = ByteReader(bytes)
    guard let rows = RowSet(&reader, rowCount: rowCount) else { return nil }
    self.rows = rows
    var table: [Int64]?
    switch reader.byte() {
    case 0: break
    case 2:
      guard let rising = RisingIntegers(&reader, count: rows.count) else { return nil }
      self.table = nil
      values = .rising(rising)
      return
    case 1:
      guard let count = reader.count(atMost: rows.count), count > 0,
        let distinct = PackedIntegers(&reader, count: count)
      else { return nil }
      var values = [Int64](repeating: 0, count: count)
      distinct.unpack(0..<count, into: &values)
      table = values
    default: return nil
    }
    guard let values = PackedIntegers(&reader, count: rows.count), reader.remaining == 0
    else { return nil }
    self.table = table
    self.values = .packed(values)
  }

  /// The values of `range`, each plus `offset`, row by row into `output`, which has as many elements; rows
  /// without one give 0. False when a value names no place in the table.
  @inline(__always)
  func decode<T: FixedWidthInteger & BitwiseCopyable>(
    _ range: Range<Int>, into output: inout [T], plus offset: T
  ) -> Bool {
    precondition(output.count == range.count)
    let first = rows.rank(of: range.lowerBound)
    let count = rows.rank(of: range.upperBound) - first
    // At the end, from where they are spread.
    let start = output.count - count
    switch values {
    case .packed(let values): values.unpack(first..<first + count, into: &output, at: start)
    case .rising(let values): values.unpack(first..<first + count, into: &output, at: start)
    }
    if let table {
      var span = output.mutableSpan
      for index in start..<range.count {
        let place = Int(truncatingIfNeeded: span[index])
        guard place >= 0, place < table.count else { return false }
        span[index] = T(truncatingIfNeeded: table[place]) &+ offset
      }
    } else if offset != 0 {
      var span = output.mutableSpan
      for index in start..<span.count { span[index] &+= offset }
    }
    rows.spread(&output, over: range)
    return true
  }
}

extension Granule {
  /// Calls `body` with each of `wanted` that has a value, and that value: rows counted from the granule's first,
  /// ascending and in range. False when a value names no place in the table.
  @inline(__always)
  func forEachValue(of wanted: [Int], _ body: (Int, Int64) -> Void) -> Bool {
    switch values {
    case .packed(let values):
      var isSound = true
      forEachRank(of: wanted) { row, rank in
        let value = values[rank]
        guard let table else { return body(row, value) }
        guard value >= 0, value < table.count else { return isSound = false }
        body(row, table[Int(value)])
      }
      return isSound
    case .rising(let values):
      var finder = RisingIntegers.Finder()
      forEachRank(of: wanted) { row, rank in body(row, values.integer(at: rank, &finder)) }
      return true
    }
  }

  /// Calls `body` with each of `wanted` that has a value, and its value's place among the values.
  @inline(__always)
  private func forEachRank(of wanted: [Int], _ body: (Int, Int) -> Void) {
    if rows.isFull {
      for row in wanted { body(row, row) }
      return
    }
    var word = 0
    var before = 0
    for row in wanted {
      let bits = rows.word(row / 64)
      let bit: UInt64 = 1 << UInt64(row % 64)
      guard bits & bit != 0 else { continue }
      while word < row / 64 {
        before += rows.word(word).nonzeroBitCount
        word += 1
      }
      body(row, before + (bits & (bit - 1)).nonzeroBitCount)
    }
  }
}

extension Granule {
  /// One bit a row: whether it has a value that is one of `wanted`. Nil when a value is not below `limit`.
  func matches(_ wanted: CodeSet, limit: UInt32) -> [UInt64]? {
    var values = [UInt32](repeating: 0, count: rows.count)
    switch self.values {
    case .packed(let packed): packed.unpack(0..<rows.count, into: &values)
    case .rising(let rising): rising.unpack(0..<rows.count, into: &values)
    }
    var wanted = wanted
    var limit = limit
    if let table {
      // What is wanted of the table's values is wanted of their places.
      guard table.allSatisfy({ $0 >= 0 && $0 < limit }) else { return nil }
      wanted = .table(table.map { wanted.contains(UInt32(truncatingIfNeeded: $0)) })
      limit = UInt32(table.count)
    }
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
    if let words = rows.words { matches.spreadBits(over: words) }
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
}

extension [UInt64] {
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
        if bits & 1 == 1 { spread |= place }
        places ^= place
        bits >>= 1
      }
      self[index] = spread
    }
  }
}

extension ByteWriter {
  /// A granule of `rowCount` rows of which `rows`, ascending, have these `values`.
  ///
  /// - Parameter distinct: the distinct values, ascending, when they are few enough that a table may be
  ///   shorter; empty when not.
  mutating func granule(
    rows: some RandomAccessCollection<UInt32>, among rowCount: Int, values: [Int64],
    distinct: [Int64]
  ) {
    rowSet(rows, among: rowCount)
    let start = bytes.count
    byte(0)
    packedIntegers(values)
    let plainCount = bytes.count - start
    var rising = ByteWriter()
    rising.byte(2)
    if rising.risingIntegers(values), rising.count < plainCount {
      bytes.replaceSubrange(start..., with: rising.bytes)
      return
    }
    let width = distinct.isEmpty ? 64 : distinct.count.placeWidth
    guard !distinct.isEmpty, values.count * width / 8 < plainCount else { return }

    var table = ByteWriter()
    table.byte(1)
    table.varint(UInt64(distinct.count))
    table.packedIntegers(distinct)
    guard table.count + values.count * width / 8 + 10 < plainCount else { return }
    table.packedIntegers(values.map { Int64(distinct.lowerBound(of: $0)) })
    guard table.count < plainCount else { return }
    bytes.replaceSubrange(start..., with: table.bytes)
  }
}

extension Int {
  /// The bits that the highest place in a table of this many entries needs.
  fileprivate var placeWidth: Int {
    Int.bitWidth - (self - 1).leadingZeroBitCount
  }
}

extension Array where Element == Int64 {
  /// The index of the first element that is not below `value`, in an ascending array.
  fileprivate func lowerBound(of value: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
