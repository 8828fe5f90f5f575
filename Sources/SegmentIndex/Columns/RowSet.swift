package import JournalKit

/// Which rows of a granule have a value. The bytes:
///
///     u8   form
///     form 0, every row: nothing more
///     form 1, a bitmap: one bit a row, least significant first, padded with zeros to a whole byte
///     form 2, a list: varint count, then the rows, ascending, as PackedIntegers
package struct RowSet {
  package let rowCount: Int
  /// How many rows have a value.
  package let count: Int
  /// One bit a row; nil when every row has a value.
  package let words: [UInt64]?

  /// Reads a set over `rowCount` rows; nil when the bytes are not one.
  package init?(_ reader: inout ByteReader, rowCount: Int) {
    self.rowCount = rowCount
    switch reader.byte() {
    case 0:
      count = rowCount
      words = nil
    case 1:
      guard let bytes = reader.span((rowCount + 7) / 8) else { return nil }
      var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
      let wholeWords = bytes.byteCount / 8
      for word in 0..<wholeWords { words[word] = bytes.littleEndian(UInt64.self, at: word * 8) }
      for at in wholeWords * 8..<bytes.byteCount {
        words[wholeWords] |= UInt64(bytes[at]) << UInt64(at % 8 * 8)
      }
      // Bits after the last row would be counted as rows.
      guard rowCount % 64 == 0 || words[rowCount / 64] >> UInt64(rowCount % 64) == 0
      else { return nil }
      count = words.reduce(0) { $0 + $1.nonzeroBitCount }
      self.words = words
    case 2:
      guard let count = reader.count(atMost: rowCount),
        let rows = PackedIntegers(&reader, count: count)
      else { return nil }
      var words = [UInt64](repeating: 0, count: (rowCount + 63) / 64)
      var previous: Int64 = -1
      for index in 0..<count {
        let row = rows[index]
        guard row > previous, row < Int64(rowCount) else { return nil }
        words[Int(row) / 64] |= 1 << UInt64(row % 64)
        previous = row
      }
      self.count = count
      self.words = words
    default:
      return nil
    }
  }

  /// How many rows before `row` have a value: the place of the row's value among the values.
  package func rank(of row: Int) -> Int {
    guard let words else { return row }
    var rank = 0
    for word in 0..<row / 64 { rank += words[word].nonzeroBitCount }
    if row % 64 != 0 {
      rank += (words[row / 64] & (1 << UInt64(row % 64) - 1)).nonzeroBitCount
    }
    return rank
  }

  /// Moves the values of `rows` from the front of `values`, where they lie close together, to their rows,
  /// counted from the first, and puts `absent` at the others.
  @inline(__always)
  func spread<T>(_ values: inout [T], over rows: Range<Int>, absent: T) {
    guard let words else { return }
    let first = rows.lowerBound
    var next = rank(of: rows.upperBound) - rank(of: first)
    var output = values.mutableSpan
    var row = rows.upperBound
    // From the back, because a value never lies after its row; and without a branch on the bits, which no
    // processor can foresee.
    while row > first {
      let word = words[(row - 1) / 64]
      let wordStart = Swift.max(first, (row - 1) & ~63)
      while row > wordStart {
        row -= 1
        let bit = Int(truncatingIfNeeded: word &>> UInt64(truncatingIfNeeded: row & 63)) & 1
        next -= bit
        let value = output[Swift.max(next, 0)]
        output[row - first] = bit == 0 ? absent : value
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
