internal import SegmentIndex

/// Reads the values of operands in rows of one segment.
struct ValueReader {
  private var reader: GranuleReader
  private let messages: TextColumn?
  /// The operands, reading slots; messages are read without.
  private var operands: [Operand] = []
  private var slots: [Int] = []

  init(
    _ segment: Segment, _ sessions: SessionTable, _ operands: [Operand]
  ) throws(SegmentError) {
    reader = GranuleReader(segment, sessions)
    if case .texts(let column)? = try segment.column(.message) {
      messages = column
    } else {
      messages = nil
    }
    for operand in operands {
      if ValueColumn.kind(of: operand) == .message {
        self.operands.append(operand)
      } else {
        self.operands.append(try operand.readingSlots(of: &reader, &slots))
      }
    }
    for slot in slots { try reader.loadTerms(slot) }
  }

  /// Appends the values of rows of a granule, counted from the segment's first and ascending, to the operands' columns.
  mutating func append(
    _ rows: [Int], ofGranule granule: Int, to columns: inout [ValueColumn]
  ) throws(SegmentError) {
    let all = reader.segment.rows(ofGranule: granule)
    let rows = rows.map { $0 - all.lowerBound }
    if !slots.isEmpty {
      var wanted = RowBits(count: all.count, all: false)
      for row in rows { wanted.insert(row) }
      reader.move(to: granule)
      for slot in slots { try reader.load(slot, wanted) }
    }
    for index in columns.indices {
      switch (columns[index].kind, operands[index]) {
      case (.message, _):
        guard let messages else { throw reader.segment.lacking("message") }
        try messages.append(rows, ofGranule: granule, to: &columns[index].texts)
      case (.time, .column(let slot)):
        let times = reader.slots[slot].integers
        for row in rows { columns[index].times.append(times[row]) }
      case (_, .column(let slot)):
        // All rows with the same term share it.
        let isShared = reader.codeCount(slot) > 1
        for row in rows {
          reader.row = row
          columns[index].append(reader.column(slot), isShared: isShared)
        }
      case (_, let operand):
        for row in rows {
          reader.row = row
          columns[index].append(operand.value(in: reader), isShared: false)
        }
      }
    }
  }
}
