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
  let values: Values

  /// The values of the rows that have one.
  enum Values: ~Escapable {
    case packed(PackedIntegers)
    case rising(RisingIntegers)
    /// Places in a table of the distinct values.
    case places(PackedIntegers, in: PackedIntegers)
  }

  /// Reads a granule of `rowCount` rows; nil when the bytes are not one.
  ///
  /// - Parameter isForFew: whether only a few rows will be asked for, one by one.
  @_lifetime(copy bytes)
  init?(_ bytes: RawSpan, rowCount: Int, isForFew: Bool = false) {
    var reader = ByteReader(bytes)
    guard let rows = RowSet(&reader, rowCount: rowCount, isForFew: isForFew) else { return nil }
    self.rows = rows
    switch reader.byte() {
    case 0:
      guard let values = Self.packed(&reader, of: rows), reader.remaining == 0 else { return nil }
      self.values = .packed(values)
    case 1:
      guard let count = reader.count(atMost: rows.count), count > 0,
        let table = PackedIntegers(&reader, count: count),
        let places = Self.packed(&reader, of: rows), reader.remaining == 0
      else { return nil }
      values = .places(places, in: table)
    case 2:
      guard let rising = RisingIntegers(&reader, count: rows.exactCount) else { return nil }
      values = .rising(rising)
    default: return nil
    }
  }

  @_lifetime(copy reader)
  private static func packed(
    _ reader: inout ByteReader, of rows: borrowing RowSet
  ) -> PackedIntegers? {
    rows.isCounted
      ? PackedIntegers(&reader, count: rows.count)
      : PackedIntegers(&reader, count: rows.count, orFewer: true)
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
    var table: [Int64] = []
    switch values {
    case .packed(let values): values.unpack(first..<first + count, into: &output, at: start)
    case .rising(let values): values.unpack(first..<first + count, into: &output, at: start)
    case .places(let places, let distinct):
      places.unpack(first..<first + count, into: &output, at: start)
      table = distinct.unpacked()
    }
    if !table.isEmpty {
      var span = output.mutableSpan
      let table = table.span
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
    (0..<count).partitionPoint { self[$0] < value }
  }
}
