internal import JournalKit

/// Puts records together from a segment's columns.
///
/// A reader keeps the last page of text that it decompressed, so records near each other should be read
/// with the same reader.
package struct RecordReader {
  private let segment: Segment
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
  /// How many records the caller asked for at once.
  private var wantedRowCount = 1

  /// A reader of `segment`'s records. Opens every column.
  package init(_ segment: Segment) throws(SegmentError) {
    self.segment = segment
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
    var record: Record?
    try forEachRecord(in: row..<row + 1) { record = $0 }
    guard let record else { preconditionFailure("one row gives one record") }
    return record
  }

  /// The records of `rows`, which must be in range, in order.
  package mutating func records(in rows: Range<Int>) throws(SegmentError) -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(rows.count)
    try forEachRecord(in: rows) { records.append($0) }
    return records
  }

  /// Calls `body` with the records of `rows`, which must be in range, in order.
  package mutating func forEachRecord(
    in rows: Range<Int>, _ body: (Record) -> Void
  ) throws(SegmentError) {
    precondition(rows.lowerBound >= 0 && rows.upperBound <= segment.rowCount)
    wantedRowCount = rows.count
    var start = rows.lowerBound
    while start < rows.upperBound {
      let page = start / SegmentFormat.pageRowCount
      let end = min(rows.upperBound, (page + 1) * SegmentFormat.pageRowCount)
      for record in try recordsOfPage(start..<end) { body(record) }
      start = end
    }
  }

  /// The records of rows within one page: a column after the other.
  private mutating func recordsOfPage(_ rows: Range<Int>) throws(SegmentError) -> [Record] {
    var identities: [UInt128] = []
    var times: [Int64] = []
    var sequences: [Int64] = []
    try ids.decode(rows: rows, into: &identities)
    try self.times.decode(rows: rows, into: &times)
    try self.sequences.decode(rows: rows, into: &sequences)
    let sessions = try terms(self.sessions, rows)
    let levels = try terms(self.levels, rows)
    let events = try terms(self.events, rows)
    let versions = try terms(self.versions, rows)
    var records: [Record] = []
    records.reserveCapacity(rows.count)
    for index in 0..<rows.count {
      guard case .identity(let session) = sessions[index], case .level(let level) = levels[index],
        case .string(let event) = events[index], case .int(let version) = versions[index]
      else { throw segment.error(at: 0, "row \(rows.lowerBound + index) is incomplete") }
      var record = Record(
        id: UniqueID(bits: identities[index]), time: times[index],
        sequence: UInt64(bitPattern: sequences[index]), session: session, level: level,
        event: event, message: "")
      record.version = version
      records.append(record)
    }
    try addTexts(to: &records, rows)
    try addOptionals(to: &records, rows)
    try addTags(to: &records, rows)
    return records
  }

  private mutating func addTexts(
    to records: inout [Record], _ rows: Range<Int>
  ) throws(SegmentError) {
    try messages.forEach(rows) { index, text in
      records[index].message = text.repairedString()
    }
    try payloads?.forEach(rows) { index, text in
      if text.byteCount > 0 { records[index].payload = text.toArray() }
    }
    try attachments?.forEach(rows) { index, text in
      if text.byteCount > 0 { records[index].attachments = text.toArray() }
    }
  }

  private func addOptionals(
    to records: inout [Record], _ rows: Range<Int>
  ) throws(SegmentError) {
    for (field, column) in optionalTerms {
      let terms = try terms(column, rows)
      for index in records.indices {
        guard let term = terms[index] else { continue }
        guard records[index].set(field, term)
        else { throw segment.error(at: 0, "row \(rows.lowerBound + index) has a wrong \(field)") }
      }
    }
    try addIntegers(durations, rows) { records[$0].duration = $1 }
    try addIntegers(lines, rows) { records[$0].line = $1 }
  }

  private func addTags(to records: inout [Record], _ rows: Range<Int>) throws(SegmentError) {
    for (key, column) in tags {
      switch column {
      case .terms(let column):
        let terms = try terms(column, rows)
        for index in records.indices {
          guard let term = terms[index] else { continue }
          guard let value = LogTagValue(term)
          else { throw segment.error(at: 0, "row \(rows.lowerBound + index) has a wrong tag") }
          records[index].tags.append(LogTag(key, value))
        }
      case .numbers(let column):
        try addIntegers(column.integers, rows) {
          records[$0].tags.append(LogTag(key, .double(column.value($1))))
        }
      case .integers, .texts, .identities:
        preconditionFailure("a tag has terms or numbers")
      }
    }
    guard let tagOrders else { return }
    let orders = try terms(tagOrders, rows)
    for index in records.indices {
      guard let order = orders[index] else { continue }
      guard case .list(let keys) = order, records[index].orderTags(as: keys)
      else { throw segment.error(at: 0, "row \(rows.lowerBound + index) has wrong tags") }
    }
  }

  private func terms(_ column: TermColumn, _ rows: Range<Int>) throws(SegmentError) -> [Term?] {
    var codes: [UInt32] = []
    try column.decode(rows: rows, into: &codes)
    var terms: [Term?] = []
    terms.reserveCapacity(codes.count)
    // Decoding the whole dictionary pays when there are about as many rows to read as terms.
    if column.termCount <= wantedRowCount {
      let all = try column.terms
      for code in codes { terms.append(code == 0 ? nil : all[Int(code) - 1]) }
      return terms
    }
    var last: (code: UInt32, term: Term?) = (0, nil)
    for code in codes {
      if code != last.code {
        last = (code, code == 0 ? nil : try column.term(at: Int(code) - 1))
      }
      terms.append(last.term)
    }
    return terms
  }

  private func addIntegers(
    _ column: IntegerColumn?, _ rows: Range<Int>, _ set: (Int, Int64) -> Void
  ) throws(SegmentError) {
    guard let column else { return }
    let presence = try column.presence(granule: rows.lowerBound / SegmentFormat.granuleRowCount)
    var values: [Int64] = []
    try column.decode(rows: rows, into: &values)
    for index in values.indices {
      let row = (rows.lowerBound + index) % SegmentFormat.granuleRowCount
      if presence.map({ $0[row / 64] >> UInt64(row % 64) & 1 == 1 }) ?? true {
        set(index, values[index])
      }
    }
  }
}

/// Reads the texts of rows and keeps the page that they were on.
private struct PageReader {
  private let column: TextColumn
  private var page = -1
  private var texts = TextGranule()

  init(_ column: TextColumn) {
    self.column = column
  }

  /// Calls `body` with the texts of `rows`, all on one page, and their places in `rows`.
  mutating func forEach(
    _ rows: Range<Int>, _ body: (Int, RawSpan) -> Void
  ) throws(SegmentError) {
    let wanted = rows.lowerBound / SegmentFormat.pageRowCount
    if page != wanted {
      page = -1
      try column.decode(page: wanted, into: &texts)
      page = wanted
    }
    for row in rows {
      body(row - rows.lowerBound, texts[row - wanted * SegmentFormat.pageRowCount])
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
