internal import JournalKit

/// Collects and writes a column of texts.
struct BytesColumnBuilder {
  private var bytes: [UInt8] = []
  /// Where the text of each row ends.
  private var ends: [Int] = []

  /// Whether every text is empty.
  var isEmpty: Bool { bytes.isEmpty }
  /// The bytes that this holds in memory.
  var byteCount: Int { bytes.count + ends.count * 8 }

  /// Adds the text of the next row.
  mutating func append(_ text: some Collection<UInt8>) {
    bytes.append(contentsOf: text)
    ends.append(bytes.count)
  }

  /// Writes the column's blocks, and last its own, whose handle is returned.
  func write(to writer: inout ByteWriter, order: RowOrder) -> BlockHandle {
    var pages = BlockListWriter()
    let pageCount = SegmentFormat.partCount(size: SegmentFormat.pageRowCount, rowCount: ends.count)
    var text: [UInt8] = []
    var lengths: [Int64] = []
    for page in 0..<pageCount {
      text.removeAll(keepingCapacity: true)
      lengths.removeAll(keepingCapacity: true)
      for place in SegmentFormat.rows(
        ofPart: page, size: SegmentFormat.pageRowCount, rowCount: ends.count)
      {
        let row = order.row(at: place)
        let start = row == 0 ? 0 : ends[row - 1]
        text.append(bytes.rawSpan.extracting(start..<ends[row]))
        lengths.append(Int64(ends[row] - start))
      }
      pages.append(text.isEmpty ? nil : writer.block { $0.page(text, lengths: lengths) })
    }
    return writer.block {
      $0.byte(ColumnKind.bytes.rawValue)
      pages.write(to: &$0)
    }
  }
}

extension ByteWriter {
  /// A page of texts that are `lengths` long, compressed when that is shorter.
  fileprivate mutating func page(_ text: [UInt8], lengths: [Int64]) {
    let start = count
    byte(1)
    varint(UInt64(text.count))
    packedIntegers(lengths)
    let head = count - start
    LZ4.compress(text.rawSpan, into: &self)
    if count - start - head >= text.count {
      bytes.removeSubrange((start + head)...)
      bytes[start] = 0
      bytes += text
    }
  }
}
