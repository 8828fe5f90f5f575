package import JournalKit

/// Records taken apart into the bytes that a segment's columns keep, one after another.
///
/// All that can be done for a record by itself, on its way into a segment, is done here, and nothing is allocated for
/// it. So a batch can be filled on another thread than the one that has the segment.
///
/// A record is added piece by piece: `begin` a field, append its bytes to `writer`, `end` it; then `endRecord`, or
/// `dropRecord` when nothing can become of it. At most 4 GiB of records fit.
package struct RecordBatch: Sendable {
  /// A record that is complete.
  struct Row {
    let id: UniqueID
    let session: UniqueID
    let time: Int64
    let sequence: UInt64
    let digest: UInt64
    /// Where, in `parts`, its last one ends.
    let partEnd: Int
  }

  /// A field of a record: what `writer` has from `middle` to `end`. Of a tag the key is before `middle`.
  struct Part {
    let field: FieldNumber
    let start: UInt32
    var middle: UInt32
    var end: UInt32

    var key: Range<Int> { Int(start)..<Int(middle) }
    var value: Range<Int> { Int(middle)..<Int(end) }
  }

  /// Gets the bytes of the field that has begun: UTF-8, unless another method than `begin` has begun it.
  package var writer = ByteWriter()
  private(set) var rows: [Row] = []
  private(set) var parts: [Part] = []
  /// The field that has begun.
  private var open: (field: FieldNumber, start: Int, middle: Int) = (.id, 0, 0)
  /// How many tags the record that has begun has so far.
  package private(set) var tagCount = 0
  /// Each run of the program that records belong to, and the time of its earliest one here; a run can be there several
  /// times, for records that do not follow each other.
  package private(set) var sessions: [(id: UniqueID, time: Int64)] = []

  /// An empty batch.
  package init() {}

  /// How many records there are.
  package var count: Int { rows.count }

  /// The session and the time of the last record.
  package var last: (session: UniqueID, time: Int64)? { rows.last.map { ($0.session, $0.time) } }

  /// Removes all records; the memory stays.
  package mutating func removeAll() {
    writer.bytes.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    parts.removeAll(keepingCapacity: true)
    sessions.removeAll(keepingCapacity: true)
    tagCount = 0
  }

  /// Makes room for `count` records of `byteCount` bytes together.
  package mutating func reserveCapacity(byteCount: Int, count: Int) {
    writer.bytes.reserveCapacity(byteCount)
    rows.reserveCapacity(count)
    parts.reserveCapacity(count * 12)
  }

  /// Which of the parts are those of a row.
  func parts(ofRow row: Int) -> Range<Int> {
    (row == 0 ? 0 : rows[row - 1].partEnd)..<rows[row].partEnd
  }

  /// How many bytes the rows take here.
  func byteCount(ofRows range: Range<Int>) -> Int {
    func end(of row: Int) -> Int {
      let count = row < 0 ? 0 : rows[row].partEnd
      return count == 0 ? 0 : Int(parts[count - 1].end)
    }
    return end(of: range.upperBound - 1) - end(of: range.lowerBound - 1)
  }

  /// As many of the rows from `first` on as there are, but at most `count`; and hardly more than `byteCount` bytes, but at
  /// least one.
  func rows(from first: Int, count: Int, byteCount: Int) -> Range<Int> {
    var rows = first..<min(first + count, self.count)
    while rows.count > 1, self.byteCount(ofRows: rows) > byteCount {
      rows = first..<(first + rows.count / 2)
    }
    return rows
  }

  /// The bytes of a part.
  subscript(range: Range<Int>) -> RawSpan {
    @_lifetime(borrow self)
    get { writer.bytes.rawSpan.extracting(range) }
  }
}

// MARK: - Fields

extension RecordBatch {
  /// Begins a field that is text; for the scopes, each is followed by `endScope`.
  package mutating func begin(_ field: SegmentField) {
    let number = FieldNumber(field)
    open = (number, writer.count, writer.count)
    switch number {
    case .message, .payload, .attachments: break
    case .scopes: writer.byte(TermKind.list.rawValue)
    default: writer.byte(TermKind.string.rawValue)
    }
  }

  /// Begins a tag; its key's UTF-8 follows.
  package mutating func beginTag() {
    open = (.tag, writer.count, writer.count)
  }

  /// Begins the value of a tag that is text, after its key.
  package mutating func beginTagText() {
    open.middle = writer.count
    writer.byte(TermKind.string.rawValue)
  }

  /// Begins a level of this severity; its name's UTF-8 follows.
  package mutating func beginLevel(severity: Int32) {
    open = (.level, writer.count, writer.count)
    writer.levelTerm(severity: severity)
  }

  /// Ends a scope that began at offset `start` of `writer`.
  package mutating func endScope(from start: Int) {
    writer.endListElement(from: start)
  }

  /// Ends the field that has begun.
  package mutating func end() {
    parts.append(
      Part(
        field: open.field, start: offset(open.start), middle: offset(open.middle),
        end: offset(writer.count)))
    if open.field == .tag { tagCount += 1 }
  }

  /// Ends the tag that has begun. If the record has one with the same key already, its value is this one from now on.
  package mutating func endTag() {
    let key = open.start..<open.middle
    let first = rows.last?.partEnd ?? 0
    for index in stride(from: parts.count - 1, through: first, by: -1)
    where parts[index].field == .tag && self[parts[index].key].equals(self[key]) {
      // The key belongs to the value that follows it.
      parts[index] = Part(
        field: .tag, start: offset(open.start), middle: offset(open.middle),
        end: offset(writer.count))
      return
    }
    end()
  }

  /// Adds the value of a tag, after its key, and ends it as `endTag` does.
  package mutating func endTag(_ value: LogTagValue) {
    open.middle = writer.count
    writer.term(value)
    endTag()
  }

  /// Adds a duration, a line or a version.
  package mutating func add(_ number: Int64, _ field: SegmentField) {
    let field = FieldNumber(field)
    open = (field, writer.count, writer.count)
    if field == .version { writer.term(number) } else { writer.integer(number) }
    end()
  }

  /// Adds the span.
  package mutating func add(span: UniqueID) {
    open = (.span, writer.count, writer.count)
    writer.term(span)
    end()
  }

  /// Adds the level.
  package mutating func add(_ level: LogLevel) {
    open = (.level, writer.count, writer.count)
    writer.term(level)
    end()
  }

  private func offset(_ offset: Int) -> UInt32 {
    guard let offset = UInt32(exactly: offset) else {
      preconditionFailure("a batch holds at most 4 GiB")
    }
    return offset
  }
}

// MARK: - Records

extension RecordBatch {
  /// Ends a record. It must have had a level, an event, a version and a message.
  package mutating func endRecord(
    id: UniqueID, session: UniqueID, time: Int64, sequence: UInt64
  ) {
    if rows.last?.session != session {
      sessions.append((session, time))
    } else if time < sessions[sessions.count - 1].time {
      sessions[sessions.count - 1].time = time
    }
    let first = rows.last?.partEnd ?? 0
    let seed = DigestHash.seed(
      id: id.bits, session: session.bits, time: time, sequence: sequence)
    rows.append(
      Row(
        id: id, session: session, time: time, sequence: sequence,
        digest: digest(first..<parts.count, seed: seed), partEnd: parts.count))
    tagCount = 0
  }

  /// Forgets what there is of the record that has begun.
  package mutating func dropRecord() {
    let first = rows.last?.partEnd ?? 0
    if first < parts.count {
      writer.bytes.removeLast(writer.count - Int(parts[first].start))
      parts.removeLast(parts.count - first)
    }
    tagCount = 0
  }

  /// Adds a record. Of tags with the same key the first counts.
  package mutating func append(_ record: Record) {
    add(record.level)
    append(record.event, .event)
    add(record.version, .version)
    append(record.message, .message)
    if !record.scopes.isEmpty {
      begin(.scopes)
      for scope in record.scopes {
        let start = writer.count
        writer.bytes.append(contentsOf: scope.utf8)
        endScope(from: start)
      }
      end()
    }
    if !record.payload.isEmpty {
      begin(.payload)
      writer.append(record.payload.rawSpan)
      end()
    }
    if let span = record.span { add(span: span) }
    append(record.exit, .exit)
    append(record.exitReason, .exitReason)
    if let duration = record.duration { add(duration, .duration) }
    append(record.function, .function)
    append(record.file, .file)
    if let line = record.line { add(line, .line) }
    append(record.externalID, .externalID)
    if !record.attachments.isEmpty {
      begin(.attachments)
      writer.append(record.attachments.rawSpan)
      end()
    }
    for tag in record.tags.withUniqueKeys {
      beginTag()
      writer.bytes.append(contentsOf: tag.key.utf8)
      open.middle = writer.count
      writer.term(tag.value)
      end()
    }
    endRecord(
      id: record.id, session: record.session, time: record.time, sequence: record.sequence)
  }

  private mutating func append(_ text: String?, _ field: SegmentField) {
    guard let text else { return }
    begin(field)
    writer.bytes.append(contentsOf: text.utf8)
    end()
  }

  /// The digest of the record with these parts; `DigestHash` says what it is.
  private func digest(_ range: Range<Int>, seed: UInt64) -> UInt64 {
    var sum = seed
    var order: UInt64 = 0
    for part in parts[range] {
      let hash: UInt64
      switch part.field {
      case .message, .payload, .attachments:
        guard !part.value.isEmpty else { continue }
        hash = self[part.value].hash(seed: DigestHash.seed(of: part.field))
      case .duration, .line:
        hash = DigestHash.hash(
          self[part.value].littleEndian(Int64.self, at: 0), part.field)
      case .tag:
        let key = self[part.key].hash(seed: DigestHash.seed(of: .tag))
        order = DigestHash.folded(order, key)
        hash = self[part.value].hash(seed: key)
      default: hash = self[part.value].hash(seed: DigestHash.seed(of: part.field))
      }
      sum &+= DigestHash.part(seed, hash)
    }
    if tagCount > 1 { sum &+= DigestHash.part(seed, order) }
    return sum
  }
}
