internal import JournalKit

/// Collects and writes a column of integers.
struct IntegerColumnBuilder {
  private var entries = SparseValues<Int64>()

  var isEmpty: Bool { entries.count == 0 }
  /// The bytes that this holds in memory.
  var byteCount: Int { entries.byteCount }
  /// The values on the rows that have one, in the order of appending.
  var values: [Int64] { entries.values }

  /// Adds the value of `row`, which must be after all others.
  mutating func append(_ value: Int64, row: Int) {
    entries.append(value, row: row)
  }

  /// Writes the column's blocks, and last its own, whose handle is returned.
  ///
  /// - Parameters:
  ///   - triesTable: whether values may repeat so much that a table of them is shorter.
  ///   - head: what the column's own block begins with.
  func write(
    to writer: inout ByteWriter, order: RowOrder, triesTable: Bool,
    head: [UInt8] = [ColumnKind.integers.rawValue]
  ) -> BlockHandle {
    let entries = entries.arranged(by: order)
    let rows = entries.rows
    var blocks = BlockListWriter()
    var limits = ByteWriter()
    for (granule, range) in entries.granules(rowCount: order.count).enumerated() {
      guard !range.isEmpty else {
        blocks.append(nil)
        continue
      }
      let all = SegmentFormat.rows(
        ofPart: granule, size: SegmentFormat.granuleRowCount, rowCount: order.count)
      let granuleRows = rows[range].lazy.map { $0 - UInt32(all.lowerBound) }
      let values = Array(entries.values[range])
      let distinct = triesTable ? Self.distinct(values) : []
      blocks.append(
        writer.block {
          $0.granule(rows: granuleRows, among: all.count, values: values, distinct: distinct)
        })
      limits.integer(values.reduce(Int64.max, min))
      limits.integer(values.reduce(Int64.min, max))
    }
    return writer.block {
      $0.bytes += head
      blocks.write(to: &$0)
      $0.bytes += limits.bytes
    }
  }

  private static func distinct(_ values: [Int64]) -> [Int64] {
    var distinct: [Int64] = []
    for value in values.sorted() where value != distinct.last { distinct.append(value) }
    return distinct
  }
}
