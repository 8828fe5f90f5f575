internal import JournalKit

/// Collects and writes the tags: a column for each key, and where it is needed the order of a row's tags.
struct TagColumnsBuilder: Sendable {
  /// The keys, by number in the order of first appearance, and the column of each.
  private var keys = TermInterner()
  private var columns: [TermColumnBuilder] = []
  /// The distinct lists of tags, each as the numbers of its keys, and which of them each row has.
  private var lists = TermInterner()
  private var listOfRow: [UInt32] = []
  private var numbers: [UInt32] = []

  /// The bytes that this holds in memory.
  var byteCount: Int {
    columns.reduce(keys.byteCount + lists.byteCount + listOfRow.count * 4) { $0 + $1.byteCount }
  }

  /// Adds the tags of the next row. Of tags with the same key the first counts.
  mutating func append(_ tags: [LogTag], row: Int, using scratch: inout ByteWriter) {
    numbers.removeAll(keepingCapacity: true)
    for tag in tags {
      scratch.bytes.removeAll(keepingCapacity: true)
      scratch.bytes.append(contentsOf: tag.key.utf8)
      let number = keys.intern(scratch.bytes.rawSpan)
      if number == columns.count { columns.append(TermColumnBuilder()) }
      guard columns[Int(number)].lastRow != row else { continue }
      columns[Int(number)].append(row: row, using: &scratch) { $0.term(tag.value) }
      numbers.append(number)
    }
    scratch.bytes.removeAll(keepingCapacity: true)
    for number in numbers { scratch.integer(number) }
    listOfRow.append(lists.intern(scratch.bytes.rawSpan))
  }

  /// Writes the columns' blocks; returns where they are, in the order of a segment's directory.
  func write(to writer: inout ByteWriter, order: RowOrder) -> [SegmentDirectory.Column] {
    let lists = (0..<lists.count).map { numbers(ofList: $0) }
    let columnOrder = TagOrder.order(of: columns.count, agreeingWith: lists)
    var written: [SegmentDirectory.Column] = []
    let strays = tagOrderColumn(lists: lists, columnOrder: columnOrder)
    if !strays.isEmpty {
      let handle = strays.write(to: &writer, order: order)
      written.append(.init(field: .tagOrder, tagKey: nil, handle: handle))
    }
    for number in columnOrder {
      let handle =
        columns[number].writeNumbers(to: &writer, order: order)
        ?? columns[number].write(to: &writer, order: order)
      written.append(.init(field: .tag, tagKey: key(number), handle: handle))
    }
    return written
  }

  /// For the rows whose tags are not in the columns' order, their lists of keys.
  private func tagOrderColumn(lists: [[Int]], columnOrder: [Int]) -> TermColumnBuilder {
    var places = [Int](repeating: 0, count: columnOrder.count)
    for (place, number) in columnOrder.enumerated() { places[number] = place }
    let strays: [[UInt8]?] = lists.map { list in
      guard zip(list, list.dropFirst()).contains(where: { places[$0] > places[$1] })
      else { return nil }
      return Term.list(list.map { key($0) }).encoded()
    }
    var column = TermColumnBuilder()
    guard strays.contains(where: { $0 != nil }) else { return column }
    for (row, list) in listOfRow.enumerated() {
      if let stray = strays[Int(list)] { column.append(stray.rawSpan, row: row) }
    }
    return column
  }

  private func key(_ number: Int) -> String {
    keys[UInt32(number)].repairedString()
  }

  private func numbers(ofList index: Int) -> [Int] {
    let entry = lists[UInt32(index)]
    return stride(from: 0, to: entry.byteCount, by: 4).map {
      Int(entry.littleEndian(UInt32.self, at: $0))
    }
  }
}
