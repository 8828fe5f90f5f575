package import JournalKit

/// Which rows of a granule have a value. The bytes:
///
///     u8   form
///     form 0, every row: nothing more
///     form 1, a bitmap: one bit a row, least significant first, padded with zeros to a whole byte
///     form 2, a list: varint count, then the rows, ascending, as PackedIntegers
package struct RowSet: ~Escapable {
  package let rowCount: Int
  /// How many rows have a value; of a bitmap of which only a few rows will be sought, no more than how many there can be.
  package let count: Int
  /// Whether `count` is how many there are.
  let isCounted: Bool
  /// Whether every row has one.
  package let isFull: Bool
  /// One bit a row, in whole bytes, unless they are listed.
  private let bitmap: RawSpan
  /// The same for rows that are listed.
  private let listed: [UInt64]
  /// Those that are listed, instead of `listed`, when only a few will be sought.
  private let list: PackedIntegers?

  /// Reads a set over `rowCount` rows; nil when the bytes are not one.
  ///
  /// - Parameter isForFew: whether only `place(of:_:)` will be asked for, and seldom enough that rows which are listed
  ///   need not all be read. Then it is not found out when they do not ascend.
  @_lifetime(copy reader)
  package init?(_ reader: inout ByteReader, rowCount: Int, isForFew: Bool = false) {
    guard let form = reader.byte(),
      let bitmap = reader.span(form == 1 ? (rowCount + 7) / 8 : 0)
    else { return nil }
    self.rowCount = rowCount
    self.bitmap = bitmap
    isFull = form == 0
    isCounted = form != 1 || !isForFew
    switch form {
    case 0:
      count = rowCount
      listed = []
      list = nil
    case 1:
      // Bits after the last row would be counted as rows.
      guard rowCount % 64 == 0 || bitmap.word(rowCount / 64) >> UInt64(rowCount % 64) == 0
      else { return nil }
      count = isForFew ? rowCount : bitmap.bitCount(atWord: 0..<(rowCount + 63) / 64)
      listed = []
      list = nil
    case 2:
      guard let count = reader.count(atMost: rowCount),
        let rows = PackedIntegers(&reader, count: count)
      else { return nil }
      self.count = count
      if isForFew {
        list = rows
        listed = []
        return
      }
      var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
      var previous: Int64 = -1
      for row in rows.unpacked() as [Int64] {
        guard row > previous, row < Int64(rowCount) else { return nil }
        words[Int(row) / 64] |= 1 << UInt64(row % 64)
        previous = row
      }
      list = nil
      listed = words
    default:
      return nil
    }
  }

  /// How many rows have a value; counts them when that was not done.
  var exactCount: Int {
    isCounted ? count : bitmap.bitCount(atWord: 0..<(rowCount + 63) / 64)
  }

  /// Finds rows, each after the one before.
  package struct Finder {
    /// The word of the last row, and how many rows before that word have a value.
    fileprivate var word = 0
    fileprivate var before = 0

    package init() {}
  }

  /// The place of the row's value among the values; nil when it has none. The row must be in range and not before the
  /// finder's last one.
  @inline(__always)
  package func place(of row: Int, _ finder: inout Finder) -> Int? {
    if isFull { return row }
    if let list { return place(of: row, in: list, &finder) }
    let bits = word(row / 64)
    let bit: UInt64 = 1 << UInt64(row % 64)
    guard bits & bit != 0 else { return nil }
    while finder.word < row / 64 {
      finder.before += word(finder.word).nonzeroBitCount
      finder.word += 1
    }
    return finder.before + (bits & (bit - 1)).nonzeroBitCount
  }

  /// A binary search among those behind the last one.
  private func place(of row: Int, in list: PackedIntegers, _ finder: inout Finder) -> Int? {
    let place = (finder.before..<count).partitionPoint { list[$0] < Int64(row) }
    finder.before = place
    return place < count && list[place] == Int64(row) ? place : nil
  }

  /// Where the value of one row is among the values of a set.
  package struct Place {
    /// Nil when the row has no value.
    package let index: Int?
    /// How many values there are, or if they are not counted can be.
    package let count: Int
    package let isCounted: Bool
  }

  /// Finds one row in the set that `reader` is at; nil when the bytes are not one, as far as that was looked at. Costs less
  /// than a set of which more is asked.
  package static func place(of row: Int, _ reader: inout ByteReader, rowCount: Int) -> Place? {
    switch reader.byte() {
    case 0: return Place(index: row, count: rowCount, isCounted: true)
    case 1:
      guard let bitmap = reader.span((rowCount + 7) / 8),
        rowCount % 64 == 0 || bitmap.word(rowCount / 64) >> UInt64(rowCount % 64) == 0
      else { return nil }
      let bits = bitmap.word(row / 64)
      let bit: UInt64 = 1 << UInt64(row % 64)
      guard bits & bit != 0 else { return Place(index: nil, count: rowCount, isCounted: false) }
      let index = bitmap.bitCount(atWord: 0..<row / 64) + (bits & (bit - 1)).nonzeroBitCount
      return Place(index: index, count: rowCount, isCounted: false)
    case 2:
      guard let count = reader.count(atMost: rowCount),
        let list = PackedIntegers(&reader, count: count)
      else { return nil }
      let index = (0..<count).partitionPoint { list[$0] < Int64(row) }
      let isThere = index < count && list[index] == Int64(row)
      return Place(index: isThere ? index : nil, count: count, isCounted: true)
    default: return nil
    }
  }

  /// The bits of 64 rows, when not every row has a value.
  @inline(__always)
  func word(_ index: Int) -> UInt64 {
    listed.isEmpty ? bitmap.word(index) : listed[index]
  }

  /// One bit a row; nil when every row has a value.
  package var words: [UInt64]? {
    if isFull { return nil }
    if !listed.isEmpty { return listed }
    var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
    for index in words.indices { words[index] = bitmap.word(index) }
    return words
  }

  /// How many rows before `row` have a value: the place of the row's value among the values.
  package func rank(of row: Int) -> Int {
    if isFull { return row }
    if row == rowCount { return count }
    var rank = 0
    if listed.isEmpty {
      rank = bitmap.bitCount(atWord: 0..<row / 64)
    } else {
      for index in 0..<row / 64 { rank += listed[index].nonzeroBitCount }
    }
    return rank + (word(row / 64) & (1 << UInt64(row % 64) - 1)).nonzeroBitCount
  }

  /// Moves the values of `rows` from the end of `values`, where they lie close together, to their rows,
  /// counted from the first, and puts 0 at the others.
  @inline(__always)
  func spread<T: FixedWidthInteger>(_ values: inout [T], over rows: Range<Int>) {
    if isFull { return }
    var output = values.mutableSpan
    var next = output.count - (rank(of: rows.upperBound) - rank(of: rows.lowerBound))
    let last = output.count - 1
    // No value lies before its row. There is no branch on the bits, which no processor can foresee.
    var row = rows.lowerBound
    while row < rows.upperBound {
      var word = self.word(row / 64) &>> UInt64(truncatingIfNeeded: row & 63)
      let end = Swift.min(rows.upperBound, (row | 63) + 1)
      while row < end {
        let bit = word & 1
        word &>>= 1
        let value = output[Swift.min(next, last)]
        output[row &- rows.lowerBound] = value & (0 &- T(truncatingIfNeeded: bit))
        next &+= Int(truncatingIfNeeded: bit)
        row &+= 1
      }
    }
  }
}

extension ByteWriter {
  /// The set of `rows`, ascending, among `rowCount`, in its shortest form.
  package mutating func rowSet(_ rows: some RandomAccessCollection<UInt32>, among rowCount: Int) {
    if rows.count == rowCount { return byte(0) }
    // A listed row takes at most twelve bits, and the list a head of about that many bytes.
    if rows.count * 12 + 96 < rowCount {
      byte(2)
      varint(UInt64(rows.count))
      return packedIntegers(rows.map { Int64($0) })
    }
    byte(1)
    var bits = [UInt8](repeating: 0, count: (rowCount + 7) / 8)
    for row in rows { bits[Int(row) / 8] |= 1 << UInt8(row % 8) }
    bytes.append(contentsOf: bits)
  }
}
