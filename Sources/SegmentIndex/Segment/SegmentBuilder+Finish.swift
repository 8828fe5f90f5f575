internal import JournalKit

extension SegmentBuilder {
  /// The most bytes of records in a segment: its blocks must stay below 4 GiB.
  private static let maximumByteCount = 3 << 30

  /// Makes the segment and returns the bytes of its file.
  ///
  /// - Throws: `SegmentError` when the records are more than 3 GiB.
  public consuming func finish() throws(SegmentError) -> [UInt8] {
    guard byteEstimate <= Self.maximumByteCount
    else {
      throw SegmentError(
        segment: id.description, offset: 0, reason: "the records are too large for one segment")
    }
    var writer = ByteWriter()
    writer.bytes.reserveCapacity(byteEstimate / 4)
    writer.bytes.append(contentsOf: repeatElement(0, count: SegmentFormat.headerByteCount))
    var directory = SegmentDirectory(
      rowCount: rowCount, timeRange: timeRange, digest: digest, sessions: sessions.all,
      sources: sources, parents: parents)
    directory.generation = generation
    if rowCount > 0 { directory.columns = takeColumns(to: &writer, order: order()) }
    let handle = writer.block { directory.write(to: &$0) }
    let header = SegmentHeader(id: id, length: writer.count, directory: handle)
    writer.bytes.overwrite(at: 0, with: header.encoded().rawSpan)
    return writer.bytes
  }

  private var timeRange: ClosedRange<Int64>? {
    guard let least = times.values.min(), let greatest = times.values.max() else { return nil }
    return least...greatest
  }

  /// Rows are ordered by time, then session, then sequence; equal ones stay as they came.
  private func order() -> RowOrder {
    if isInOrder { return RowOrder(count: rowCount) }
    struct Key {
      let time: Int64
      let sequence: UInt64
      let session: UInt32
      let row: UInt32
    }
    let sessions = terms[Int(FieldNumber.session.rawValue)].ranks()
    var keys = (0..<rowCount).map { row in
      Key(
        time: times.values[row], sequence: UInt64(bitPattern: sequences.values[row]),
        session: sessions[row], row: UInt32(row))
    }
    keys.sort { left, right in
      if left.time != right.time { return left.time < right.time }
      if left.session != right.session { return left.session < right.session }
      if left.sequence != right.sequence { return left.sequence < right.sequence }
      return left.row < right.row
    }
    return RowOrder(rows: keys.map(\.row))
  }

  /// Writes the columns, and frees the memory of each at once: the next segment is being filled meanwhile.
  private mutating func takeColumns(
    to writer: inout ByteWriter, order: RowOrder
  ) -> [SegmentDirectory.Column] {
    var columns: [SegmentDirectory.Column] = []
    func add(_ field: FieldNumber, _ handle: BlockHandle) {
      columns.append(.init(field: field, tagKey: nil, handle: handle))
    }
    func addTerms(_ fields: FieldNumber...) {
      for field in fields {
        let column = taken(&terms[Int(field.rawValue)], TermColumnBuilder())
        if !column.isEmpty { add(field, column.write(to: &writer, order: order)) }
      }
    }
    func add(_ field: FieldNumber, _ column: inout IntegerColumnBuilder, triesTable: Bool) {
      let column = taken(&column, IntegerColumnBuilder())
      guard !column.isEmpty else { return }
      add(field, column.write(to: &writer, order: order, triesTable: triesTable))
    }
    func add(_ field: FieldNumber, _ column: inout TextColumnBuilder) {
      add(field, taken(&column, TextColumnBuilder()).write(to: &writer, order: order))
    }
    add(.id, taken(&ids, IdentityColumnBuilder()).write(to: &writer, order: order))
    add(.time, &times, triesTable: false)
    add(.sequence, &sequences, triesTable: false)
    addTerms(.session, .level, .event, .version)
    add(.message, &messages)
    addTerms(.scopes)
    if !payloads.isEmpty { add(.payload, &payloads) }
    addTerms(.span, .exit, .exitReason)
    add(.duration, &durations, triesTable: true)
    addTerms(.function, .file)
    add(.line, &lines, triesTable: true)
    addTerms(.externalID)
    if !attachments.isEmpty {
      attachments.pad(to: rowCount)
      add(.attachments, &attachments)
    }
    columns += taken(&tags, TagColumnsBuilder()).write(to: &writer, order: order)
    return columns
  }
}

/// What `place` holds, which holds `empty` from now on.
private func taken<Value>(_ place: inout Value, _ empty: Value) -> Value {
  var value = empty
  swap(&value, &place)
  return value
}
