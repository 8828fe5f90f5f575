internal import JournalKit

/// Collects and writes the tags: a column for each key, and where it is needed the order of a row's tags.
struct TagColumnsBuilder: Sendable {
  /// The keys, by number in the order of first appearance, and the column of each.
  private var keys = TermInterner()
  private var columns: [TermColumnBuilder] = []
  /// The distinct lists of tags, each as the numbers of its keys, and which of them each row has.
  private var lists = TermInterner()
  private var listOfRow: [UInt32] = []
  /// The keys of the row that has begun.
  private var numbers: [UInt32] = []
  /// The keys of the row before.
  private var lastNumbers: [UInt32] = []
  private var row = 0
  /// For each key, and first for none, the one that came after it the last time.
  private var followers: [UInt32] = [0]
  private var scratch = ByteWriter()

  /// The bytes that this holds in memory.
  var byteCount: Int {
    columns.reduce(keys.byteCount + lists.byteCount + listOfRow.count * 4) { $0 + $1.byteCount }
  }

  /// Begins the next row.
  mutating func beginRow(_ row: Int) {
    self.row = row
    numbers.removeAll(keepingCapacity: true)
  }

  /// Adds a tag, by its key's UTF-8 and its value's term, to the row that has begun. It must have none with that key.
  mutating func append(_ key: RawSpan, _ value: RawSpan) {
    let number = number(of: key)
    columns[Int(number)].append(value, row: row)
    numbers.append(number)
  }

  /// The number of a key. Rows often list the same keys in the same order: to compare is cheaper than to hash.
  private mutating func number(of key: RawSpan) -> UInt32 {
    let place = numbers.last.map { Int($0) + 1 } ?? 0
    let expected = followers[place]
    if expected < columns.count, keys[expected].equals(key) { return expected }
    let number = keys.intern(key)
    if number == columns.count {
      columns.append(TermColumnBuilder())
      followers.append(number)
    }
    followers[place] = number
    return number
  }

  /// Ends the row.
  mutating func endRow() {
    if numbers != lastNumbers || listOfRow.isEmpty {
      scratch.bytes.removeAll(keepingCapacity: true)
      for number in numbers { scratch.integer(number) }
      let list = scratch.bytes
      listOfRow.append(lists.intern(list.rawSpan))
      swap(&numbers, &lastNumbers)
    } else {
      listOfRow.append(listOfRow[listOfRow.count - 1])
    }
  }

  /// Writes the columns' blocks; returns where they are, in the order of a segment's directory.
  consuming func write(
    to writer: inout ByteWriter, order: RowOrder
  ) -> [SegmentDirectory.Column] {
    let lists = (0..<lists.count).map { numbers(ofList: $0) }
    let columnOrder = TagOrder.order(of: columns.count, agreeingWith: lists)
    var written: [SegmentDirectory.Column] = []
    let strays = tagOrderColumn(lists: lists, columnOrder: columnOrder)
    if !strays.isEmpty {
      let handle = strays.write(to: &writer, order: order)
      written.append(.init(field: .tagOrder, tagKey: nil, handle: handle))
    }
    for number in columnOrder {
      var column = TermColumnBuilder()
      swap(&column, &columns[number])
      let handle =
        column.writeNumbers(to: &writer, order: order)
        ?? column.write(to: &writer, order: order)
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
