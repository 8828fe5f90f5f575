internal import SegmentIndex

/// Reads the values of operands in rows of one segment.
struct ValueReader {
  private var reader: GranuleReader
  /// The operands, reading slots.
  private var operands: [Operand] = []
  private var slots: [Int] = []
  /// The slots that are the operands, when these compute nothing.
  private var columns: [Int]?

  init(
    _ segment: Segment, _ sessions: SessionTable, _ operands: [Operand]
  ) throws(SegmentError) {
    reader = GranuleReader(segment, sessions)
    for operand in operands {
      self.operands.append(try operand.readingSlots(of: &reader, &slots))
    }
    for slot in slots { try reader.loadTerms(slot) }
    let plain = self.operands.compactMap { operand -> Int? in
      if case .column(let slot) = operand { slot } else { nil }
    }
    columns = plain.count == operands.count ? plain : nil
  }

  /// Appends the values of rows of a granule, counted from the segment's first and ascending.
  mutating func append(
    _ rows: [Int], ofGranule granule: Int, to values: inout [[Value?]]
  ) throws(SegmentError) {
    let all = reader.segment.rows(ofGranule: granule)
    var wanted = RowBits(count: all.count, all: false)
    for row in rows { wanted.insert(row - all.lowerBound) }
    reader.move(to: granule)
    for slot in slots { try reader.load(slot, wanted) }
    guard let columns else {
      for row in wanted {
        reader.row = row
        values.append(operands.map { $0.value(in: reader) })
      }
      return
    }
    // The arrays of a few values are made at once.
    switch columns.count {
    case 1:
      for row in wanted {
        reader.row = row
        values.append([reader.column(columns[0])])
      }
    case 2:
      for row in wanted {
        reader.row = row
        values.append([reader.column(columns[0]), reader.column(columns[1])])
      }
    default:
      for row in wanted {
        reader.row = row
        values.append(columns.map { reader.column($0) })
      }
    }
  }
}
