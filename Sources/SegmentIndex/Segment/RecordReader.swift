internal import JournalKit

/// Puts records together from a segment's columns. Many at once cost less each than one by one.
package struct RecordReader: Sendable {
  private let columns: RecordColumns
  /// Memory for texts.
  private var pages = PageReader()

  /// A reader of `segment`'s records. Opens every column.
  package init(_ segment: Segment) throws(SegmentError) {
    columns = try segment.recordColumns
  }

  /// The record at `row`, which must be in range.
  package mutating func record(at row: Int) throws(SegmentError) -> Record {
    let records = try records(at: [row])
    return records[0]
  }

  /// The records of `rows`, which must be in range, in order.
  package mutating func records(in rows: Range<Int>) throws(SegmentError) -> [Record] {
    try records(at: Array(rows))
  }

  /// The records of `rows`, which must be ascending and in range, in order.
  package mutating func records(at rows: [Int]) throws(SegmentError) -> [Record] {
    var records: [Record] = []
    try append(rows, to: &records)
    return records
  }

  /// Appends the records of `rows`, which must be ascending and in range. On an error some may be there.
  package mutating func append(_ rows: [Int], to records: inout [Record]) throws(SegmentError) {
    precondition((rows.first ?? 0) >= 0 && (rows.last ?? -1) < columns.rowCount)
    records.reserveCapacity(records.count + rows.count)
    let size = SegmentFormat.granuleRowCount
    var start = 0
    while start < rows.count {
      let granule = rows[start] / size
      var end = start
      while end < rows.count, rows[end] / size == granule { end += 1 }
      var target = Target(
        rows: rows[start..<end].map { $0 % size }, granule: granule, first: records.count)
      try append(&target, to: &records)
      start = end
    }
  }

  /// Rows of one granule, and where their records are.
  private struct Target {
    /// Counted from the granule's first, ascending.
    let rows: [Int]
    let granule: Int
    /// The place of the first one's record.
    let first: Int
    /// Memory for codes.
    var codes: [UInt32] = []
  }

  /// Appends the records of a granule's rows: a column after the other.
  private mutating func append(
    _ target: inout Target, to records: inout [Record]
  ) throws(SegmentError) {
    let (rows, granule, first) = (target.rows, target.granule, target.first)
    for id in try columns.ids.identities(of: rows, inGranule: granule) {
      records.append(
        Record(id: id, time: 0, sequence: 0, session: id, level: .info, event: "", message: ""))
    }
    try columns.times.forEachValue(of: rows, inGranule: granule) { records[first + $0].time = $1 }
    try columns.sequences.forEachValue(of: rows, inGranule: granule) {
      records[first + $0].sequence = UInt64(bitPattern: $1)
    }
    for (field, column) in columns.terms {
      let count = try set(field, column, &target, &records)
      guard count == rows.count || field.isOptional else { throw incomplete(rows[0], granule) }
    }
    try pages.forEach(rows, granule, of: columns.messages) { index, texts, row in
      records[first + index].message = texts.text(of: row)
    }
    if let payloads = columns.payloads {
      try pages.forEach(rows, granule, of: payloads) { index, texts, row in
        if !texts.range(of: row).isEmpty { records[first + index].payload = texts[row].toArray() }
      }
    }
    if let attachments = columns.attachments {
      try pages.forEach(rows, granule, of: attachments) { index, texts, row in
        guard !texts.range(of: row).isEmpty else { return }
        records[first + index].attachments = texts[row].toArray()
      }
    }
    try columns.durations?.forEachValue(of: rows, inGranule: granule) {
      records[first + $0].duration = $1
    }
    try columns.lines?.forEachValue(of: rows, inGranule: granule) { records[first + $0].line = $1 }
    try addTags(&target, to: &records)
  }

  /// Sets a field whose values are terms; how many rows have one.
  private func set(
    _ field: FieldNumber, _ column: TermColumn, _ target: inout Target, _ records: inout [Record]
  ) throws(SegmentError) -> Int {
    var count = 0
    var isSound = true
    let first = target.first
    try column.forEachTerm(of: target.rows, inGranule: target.granule, &target.codes) {
      if !records[first + $0].set(field, $1) { isSound = false }
      count += 1
    }
    guard isSound else { throw incomplete(target.rows[0], target.granule) }
    return count
  }

  private func addTags(
    _ target: inout Target, to records: inout [Record]
  ) throws(SegmentError) {
    let (rows, granule, first) = (target.rows, target.granule, target.first)
    func add(_ key: String, _ value: LogTagValue, _ index: Int) {
      // Most records have a few.
      if records[first + index].tags.isEmpty { records[first + index].tags.reserveCapacity(4) }
      records[first + index].tags.append(LogTag(key, value))
    }
    for (key, column) in columns.tags {
      switch column {
      case .terms(let column):
        var isSound = true
        try column.forEachTerm(of: rows, inGranule: granule, &target.codes) { index, term in
          guard let value = LogTagValue(term) else { return isSound = false }
          add(key, value, index)
        }
        guard isSound else { throw incomplete(rows[0], granule) }
      case .numbers(let column):
        try column.integers.forEachValue(of: rows, inGranule: granule) { index, integer in
          add(key, .double(column.value(integer)), index)
        }
      case .integers, .texts, .identities: preconditionFailure("a tag has terms or numbers")
      }
    }
    var isSound = true
    try columns.tagOrders?.forEachTerm(of: rows, inGranule: granule, &target.codes) {
      index, order in
      // Without tags an order says nothing.
      guard !records[first + index].tags.isEmpty else { return }
      guard case .list(let keys) = order, records[first + index].orderTags(as: keys)
      else { return isSound = false }
    }
    guard isSound else { throw incomplete(rows[0], granule) }
  }

  /// The error that says that something is wrong with a row, or with one of those after it.
  private func incomplete(_ row: Int, _ granule: Int) -> SegmentError {
    let row = granule * SegmentFormat.granuleRowCount + row
    return columns.file.error(
      at: 0, "from row \(row) on one lacks something, or has what it cannot have")
  }
}

extension FieldNumber {
  /// Whether records may lack it.
  fileprivate var isOptional: Bool {
    switch self {
    case .session, .level, .event, .version: false
    default: true
    }
  }
}

/// Reads the texts of rows, a page at a time.
private struct PageReader: Sendable {
  private var texts = TextGranule()
  private var page = TextPage()

  /// Calls `body` for each of `rows`, counted from the granule's first and ascending: with its place among them,
  /// and texts and its place there.
  @inline(__always)
  mutating func forEach(
    _ rows: [Int], _ granule: Int, of column: TextColumn, _ body: (Int, TextGranule, Int) -> Void
  ) throws(SegmentError) {
    let size = SegmentFormat.pageRowCount
    var start = 0
    while start < rows.count {
      let number = rows[start] / size
      var end = start
      while end < rows.count, rows[end] / size == number { end += 1 }
      let firstPage = granule * (SegmentFormat.granuleRowCount / size)
      let wanted = rows[start..<end].map { $0 % size }
      try column.decode(wanted, ofPage: firstPage + number, into: &texts, &page)
      for index in start..<end { body(index, texts, index - start) }
      start = end
    }
  }
}

extension Record {
  /// Sets a field; false when the term is not of the field's kind.
  fileprivate mutating func set(_ field: FieldNumber, _ term: Term) -> Bool {
    switch (field, term) {
    case (.session, .identity(let value)): session = value
    case (.level, .level(let value)): level = value
    case (.event, .string(let value)): event = value
    case (.version, .int(let value)): version = value
    case (.scopes, .list(let value)): scopes = value
    case (.span, .identity(let value)): span = value
    case (.exit, .string(let value)): exit = value
    case (.exitReason, .string(let value)): exitReason = value
    case (.function, .string(let value)): function = value
    case (.file, .string(let value)): file = value
    case (.externalID, .string(let value)): externalID = value
    default: return false
    }
    return true
  }

  /// Puts the tags in the order of `keys`; false when these are not the keys of the tags.
  fileprivate mutating func orderTags(as keys: [String]) -> Bool {
    guard keys.count == tags.count else { return false }
    var places = TermInterner()
    for key in keys { _ = places.intern(Array(key.utf8).rawSpan) }
    var ordered = [LogTag?](repeating: nil, count: keys.count)
    for tag in tags {
      let place = Int(places.intern(Array(tag.key.utf8).rawSpan))
      guard place < ordered.count else { return false }
      ordered[place] = tag
    }
    tags = ordered.compactMap { $0 }
    return tags.count == keys.count
  }
}

extension LogTagValue {
  /// The value that a tag's term stands for; nil when tags cannot have it.
  package init?(_ term: Term) {
    switch term {
    case .bool(let value): self = .bool(value)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .json(let value): self = .json(value)
    case .level, .identity, .list: return nil
    }
  }
}
