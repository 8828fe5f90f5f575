public import SegmentIndex

extension QueryResult {
  /// The rows as newline-delimited JSON, one object a line.
  ///
  /// A table's members are its columns; missing values are omitted. A record's members are its fields by
  /// the names that queries use; `scope` is an array, `tags` an object, and `payload` the JSON that was
  /// logged, or a string when that is not JSON. Times are ISO 8601 in UTC with nanoseconds, durations
  /// whole nanoseconds, sizes bytes, levels names; of a level that is not a standard one the `severity`
  /// follows. JSON has no NaN and no infinities: they are strings.
  public var ndjson: String {
    var text: [UInt8] = []
    forEachJSONLine { text += $0 }
    return String(decoding: text, as: UTF8.self)
  }

  /// Calls `body` with each line of `ndjson`, in UTF-8 and with its line feed, so that a long result need
  /// not be in memory twice.
  public func forEachJSONLine(_ body: ([UInt8]) -> Void) {
    switch rows {
    case .records(let records): Self.forEachJSONLine(of: records, body)
    case .table(let columns, let rows):
      for row in rows { Self.line(body) { $0.value(row, columns: columns) } }
    }
  }

  /// The same for records of an answer that is had some at a time.
  public static func forEachJSONLine(of records: [Record], _ body: ([UInt8]) -> Void) {
    for record in records { line(body) { $0.value(record) } }
  }

  private static func line(_ body: ([UInt8]) -> Void, _ write: (inout JSONWriter) -> Void) {
    var writer = JSONWriter()
    write(&writer)
    body(writer.bytes + [UInt8(ascii: "\n")])
  }
}

extension JSONWriter {
  /// Writes a value of a query.
  public mutating func value(_ value: Value) {
    switch value {
    case .bool(let value): self.value(value)
    case .int(let value), .duration(let value), .size(let value): self.value(value)
    case .double(let value): self.value(value)
    case .string(let text): self.value(text)
    case .time(let time): self.value(TimeZoneRules.utc.text(time, digits: 9))
    case .level(let level): self.value(level.name)
    case .uuid(let id): self.value(id.description)
    case .json(let text): json(Array(text.utf8))
    case .list(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    }
  }

  /// Writes a row of a table, without what is missing.
  public mutating func value(_ row: [Value?], columns: [String]) {
    beginObject()
    for (column, value) in zip(columns, row) {
      guard let value else { continue }
      key(column)
      self.value(value)
    }
    endObject()
  }

  /// Writes a whole record.
  public mutating func value(_ record: Record) {
    beginObject()
    let row = RecordRow(record: record, sessions: SessionTable([]))
    for field in Field.allCases {
      switch field {
      case .payload where !record.payload.isEmpty:
        tags(record.tags)
        key("payload")
        json(record.payload)
      case .payload: tags(record.tags)
      case .sequence:
        // Values of queries are signed, a sequence is not.
        key(field.rawValue)
        self.value(record.sequence)
      case .attachments where !record.attachments.isEmpty:
        // The field is their number.
        if let count = row.value(of: .field(field)) {
          key(field.rawValue)
          self.value(count)
        }
        key("attached")
        json(record.attachments)
      case .sessionID, .sessionApp, .sessionOS, .sessionDevice, .sessionStart: continue
      default:
        guard let value = row.value(of: .field(field)) else { continue }
        key(field.rawValue)
        self.value(value)
        if field == .level, !LogLevel.standard.contains(record.level) {
          key("severity")
          self.value(Int64(record.level.severity))
        }
      }
    }
    endObject()
  }

  private mutating func tags(_ tags: [LogTag]) {
    guard !tags.isEmpty else { return }
    key("tags")
    value(tags)
  }

  /// Writes tags as an object.
  public mutating func value(_ tags: [LogTag]) {
    beginObject()
    for tag in tags {
      key(tag.key)
      value(Value(tag.value))
    }
    endObject()
  }

  /// Writes JSON text as it is, or as a string when it is not one JSON value: what was logged is data and
  /// may be anything, and a line must stay one.
  private mutating func json(_ text: [UInt8]) {
    if isOneLineOfJSON(text.span) {
      raw(text)
    } else {
      value(String(decoding: text, as: UTF8.self))
    }
  }
}
