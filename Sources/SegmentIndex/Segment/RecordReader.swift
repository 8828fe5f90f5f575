internal import JournalKit

/// Puts records together from a segment's columns. Many at once cost less each than one by one.
package struct RecordReader: Sendable {
  private let file: SegmentFile
  private let rowCount: Int
  private let ids: IdentityColumn
  private let times: IntegerColumn
  private let sequences: IntegerColumn
  private let sessions: TermColumn
  private let levels: TermColumn
  private let events: TermColumn
  private let versions: TermColumn
  private var messages: PageReader
  private var payloads: PageReader?
  private var attachments: PageReader?
  private let optionalTerms: [(field: FieldNumber, column: TermColumn)]
  private let durations: IntegerColumn?
  private let lines: IntegerColumn?
  private let tagOrders: TermColumn?
  private let tags: [(key: String, column: SegmentColumn)]

  /// A reader of `segment`'s records. Opens every column.
  package init(_ segment: Segment) throws(SegmentError) {
    self = try segment.recordReader
  }

  /// A reader that nothing else has.
  init(opening segment: Segment) throws(SegmentError) {
    file = segment.file
    rowCount = segment.rowCount
    guard case .identities(let ids) = try segment.column(number: .id)
    else { throw segment.missing(.id) }
    self.ids = ids
    times = try segment.integers(.time)
    sequences = try segment.integers(.sequence)
    sessions = try segment.terms(.session)
    levels = try segment.terms(.level)
    events = try segment.terms(.event)
    versions = try segment.terms(.version)
    guard case .texts(let messages) = try segment.column(number: .message)
    else { throw segment.missing(.message) }
    self.messages = PageReader(messages)
    if case .texts(let payloads) = try segment.column(number: .payload) {
      self.payloads = PageReader(payloads)
    }
    if case .texts(let attachments) = try segment.column(number: .attachments) {
      self.attachments = PageReader(attachments)
    }
    durations = try segment.optionalIntegers(.duration)
    lines = try segment.optionalIntegers(.line)
    var optionalTerms: [(FieldNumber, TermColumn)] = []
    for field: FieldNumber in [
      .scopes, .span, .exit, .exitReason, .function, .file, .externalID,
    ] {
      if let column = try segment.optionalTerms(field) { optionalTerms.append((field, column)) }
    }
    self.optionalTerms = optionalTerms
    tagOrders = try segment.optionalTerms(.tagOrder)
    var tags: [(String, SegmentColumn)] = []
    for position in segment.directory.columns.indices {
      guard let key = segment.directory.columns[position].tagKey else { continue }
      tags.append((key, try segment.column(at: position)))
    }
    self.tags = tags
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
    precondition((rows.first ?? 0) >= 0 && (rows.last ?? -1) < rowCount)
    var records: [Record] = []
    records.reserveCapacity(rows.count)
    let size = SegmentFormat.granuleRowCount
    var start = 0
    while start < rows.count {
      let granule = rows[start] / size
      var end = start
      while end < rows.count, rows[end] / size == granule { end += 1 }
      try append(rows[start..<end].map { $0 % size }, ofGranule: granule, to: &records)
      start = end
    }
    return records
  }

  /// Appends the records of rows of one granule, counted from its first: a column after the other.
  private mutating func append(
    _ rows: [Int], ofGranule granule: Int, to records: inout [Record]
  ) throws(SegmentError) {
    let first = records.count
    let identities = try ids.identities(of: rows, inGranule: granule)
    let times = try times.values(of: rows, inGranule: granule)
    let sequences = try sequences.values(of: rows, inGranule: granule)
    let sessions = try sessions.terms(of: rows, inGranule: granule)
    let levels = try levels.terms(of: rows, inGranule: granule)
    let events = try events.terms(of: rows, inGranule: granule)
    let versions = try versions.terms(of: rows, inGranule: granule)
    for index in rows.indices {
      guard case .identity(let session) = sessions[index], case .level(let level) = levels[index],
        case .string(let event) = events[index], case .int(let version) = versions[index]
      else { throw incomplete(rows[index], granule) }
      var record = Record(
        id: identities[index], time: times[index] ?? 0,
        sequence: UInt64(bitPattern: sequences[index] ?? 0), session: session, level: level,
        event: event, message: "")
      record.version = version
      records.append(record)
    }
    try messages.forEach(rows, granule) { index, texts, row in
      records[first + index].message = texts.text(of: row)
    }
    try payloads?.forEach(rows, granule) { index, texts, row in
      if !texts.range(of: row).isEmpty { records[first + index].payload = texts[row].toArray() }
    }
    try attachments?.forEach(rows, granule) { index, texts, row in
      if !texts.range(of: row).isEmpty { records[first + index].attachments = texts[row].toArray() }
    }
    try addOptionals(to: &records, from: first, rows, granule)
    try addTags(to: &records, from: first, rows, granule)
  }

  private func addOptionals(
    to records: inout [Record], from first: Int, _ rows: [Int], _ granule: Int
  ) throws(SegmentError) {
    for (field, column) in optionalTerms {
      let terms = try column.terms(of: rows, inGranule: granule)
      for index in rows.indices {
        guard let term = terms[index] else { continue }
        guard records[first + index].set(field, term) else {
          throw incomplete(rows[index], granule)
        }
      }
    }
    if let durations = try durations?.values(of: rows, inGranule: granule) {
      for index in rows.indices { records[first + index].duration = durations[index] }
    }
    if let lines = try lines?.values(of: rows, inGranule: granule) {
      for index in rows.indices { records[first + index].line = lines[index] }
    }
  }

  private func addTags(
    to records: inout [Record], from first: Int, _ rows: [Int], _ granule: Int
  ) throws(SegmentError) {
    var columns: [(key: String, values: [LogTagValue?])] = []
    columns.reserveCapacity(tags.count)
    for (key, column) in tags {
      columns.append((key, try values(of: column, rows, granule)))
    }
    let orders = try tagOrders?.terms(of: rows, inGranule: granule)
    for index in rows.indices {
      let count = columns.count { $0.values[index] != nil }
      guard count > 0 else { continue }
      var tags: [LogTag] = []
      tags.reserveCapacity(count)
      for column in columns {
        if let value = column.values[index] { tags.append(LogTag(column.key, value)) }
      }
      records[first + index].tags = tags
      guard let order = orders?[index] else { continue }
      guard case .list(let keys) = order, records[first + index].orderTags(as: keys)
      else { throw incomplete(rows[index], granule) }
    }
  }

  private func values(
    of column: SegmentColumn, _ rows: [Int], _ granule: Int
  ) throws(SegmentError) -> [LogTagValue?] {
    switch column {
    case .terms(let column):
      var values: [LogTagValue?] = []
      values.reserveCapacity(rows.count)
      for (index, term) in try column.terms(of: rows, inGranule: granule).enumerated() {
        guard let term else {
          values.append(nil)
          continue
        }
        guard let value = LogTagValue(term) else { throw incomplete(rows[index], granule) }
        values.append(value)
      }
      return values
    case .numbers(let column):
      return try column.integers.values(of: rows, inGranule: granule)
        .map { $0.map { .double(column.value($0)) } }
    case .integers, .texts, .identities:
      preconditionFailure("a tag has terms or numbers")
    }
  }

  private func incomplete(_ row: Int, _ granule: Int) -> SegmentError {
    let row = granule * SegmentFormat.granuleRowCount + row
    return file.error(at: 0, "row \(row) lacks something, or has what it cannot have")
  }
}

/// Reads the texts of rows, a page at a time.
private struct PageReader: Sendable {
  private let column: TextColumn
  private var texts = TextGranule()

  init(_ column: TextColumn) {
    self.column = column
  }

  /// Calls `body` for each of `rows`, counted from the granule's first and ascending: with its place among them,
  /// and its page and place there.
  mutating func forEach(
    _ rows: [Int], _ granule: Int, _ body: (Int, TextGranule, Int) -> Void
  ) throws(SegmentError) {
    let size = SegmentFormat.pageRowCount
    var start = 0
    while start < rows.count {
      let page = rows[start] / size
      var wanted = [UInt64](repeating: 0, count: size / 64)
      var end = start
      while end < rows.count, rows[end] / size == page {
        wanted[rows[end] % size / 64] |= 1 << UInt64(rows[end] % 64)
        end += 1
      }
      let firstPage = granule * (SegmentFormat.granuleRowCount / size)
      try column.decode(page: firstPage + page, into: &texts, rows: wanted[...])
      for index in start..<end { body(index, texts, rows[index] % size) }
      start = end
    }
  }
}

extension Record {
  /// Sets an optional field; false when the term is not of the field's kind.
  fileprivate mutating func set(_ field: FieldNumber, _ term: Term) -> Bool {
    switch (field, term) {
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
