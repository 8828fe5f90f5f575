internal import JournalKit

/// A column of doubles that decimal fractions stand for exactly, such as measured values: a tag whose values are all
/// like that, and seldom the same.
///
/// Each value is a whole number divided by a power of ten, the same for all rows. The numbers are a column of integers.
public struct NumberColumn: Sendable {
  /// The greatest power of ten; up to it powers are exact doubles.
  static let maximumScale = 15

  /// The numbers are the values times ten to this power.
  package let scale: Int
  /// The numbers.
  public let integers: IntegerColumn

  /// Reads the rest of a column's block: `u8` scale, then as a column of integers.
  init?(_ reader: inout ByteReader, rowCount: Int, file: SegmentFile) {
    guard let scale = reader.byte(), scale <= Self.maximumScale,
      let integers = IntegerColumn(&reader, rowCount: rowCount, file: file)
    else { return nil }
    self.scale = Int(scale)
    self.integers = integers
  }

  /// The value that an integer of the column stands for.
  public func value(_ integer: Int64) -> Double {
    Double(integer) / Double(wholePowersOfTen[scale])
  }
}

extension TermColumnBuilder {
  /// Writes the column as one of numbers, if all its terms are doubles that can be that, and too many of them differ
  /// for a dictionary to pay; else returns nil.
  func writeNumbers(to writer: inout ByteWriter, order: RowOrder) -> BlockHandle? {
    guard termCount >= 256, termCount * 8 >= entryCount else { return nil }
    var values: [Double] = []
    for index in 0..<UInt32(termCount) {
      guard case .double(let value)? = Term(encoded: self[index]) else { return nil }
      values.append(value)
    }
    guard let scale = values.decimalScale else { return nil }
    let power = Double(wholePowersOfTen[scale])
    let integers = values.map { Int64(($0 * power).rounded()) }
    var column = IntegerColumnBuilder()
    forEachEntry { row, term in column.append(integers[Int(term)], row: row) }
    return column.write(
      to: &writer, order: order, triesTable: false,
      head: [ColumnKind.numbers.rawValue, UInt8(scale)])
  }
}

extension [Double] {
  /// The least power of ten that makes whole numbers of all values from which they can be had back to the bit; nil
  /// when there is none.
  fileprivate var decimalScale: Int? {
    var scale = 0
    for value in self {
      while !value.isDecimal(scale: scale) {
        scale += 1
        if scale > NumberColumn.maximumScale { return nil }
      }
    }
    return allSatisfy { $0.isDecimal(scale: scale) } ? scale : nil
  }
}

extension Double {
  fileprivate func isDecimal(scale: Int) -> Bool {
    let power = Double(wholePowersOfTen[scale])
    let whole = (self * power).rounded()
    // Beyond this not every whole number is a double.
    guard abs(whole) <= 0x1p53 else { return false }
    return (Double(Int64(whole)) / power).bitPattern == bitPattern
  }
}
