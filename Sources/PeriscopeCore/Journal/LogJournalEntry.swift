package import SegmentIndex

/// What an entry of a session's journal holds: a JSON envelope with a version and a kind.
///
/// ```json
/// {"v":1,"kind":"record","payload":{"seq":7,"t":1767225600000000000,"level":"info", ...}}
/// ```
///
/// There are two kinds, `session` and `record`. A record names its scopes by their whole paths and is
/// complete in itself, so no loss elsewhere in the journal can make it unreadable. The event's own
/// fields nest as JSON, to the byte as they were encoded. `docs/format/entry.md` lists every key.
package enum LogJournalEntry: Equatable {
  case session(SessionInfo)
  case record(Record)

  package static let version: Int64 = 1

  fileprivate enum Kind {
    static let session = "session"
    static let record = "record"
  }
}

// MARK: - Writing

extension LogJournalEntry {
  package static func encoded(_ session: SessionInfo) -> [UInt8] {
    var json = JSONWriter()
    envelope(Kind.session, &json) { json in
      json.key("id")
      json.value(session.id.description)
      json.key("start")
      json.value(session.start)
      json.key("app")
      json.value(session.app)
      json.key("os")
      json.value(session.os)
      json.key("device")
      json.value(session.device)
    }
    return json.bytes
  }

  /// A record of `session`'s journal. What follows from the session is left out: the session itself, and
  /// an identity derived from it.
  package static func encoded(_ record: Record, in session: UniqueID) -> [UInt8] {
    var json = JSONWriter()
    encode(record, record.payload, in: session, &json)
    return json.bytes
  }

  /// The same with the fields `payload`, in place of what `json` has written before.
  static func encode(
    _ record: Record, _ payload: [UInt8], in session: UniqueID, _ json: inout JSONWriter
  ) {
    envelope(Kind.record, &json) { json in
      json.key("seq")
      json.value(record.sequence)
      json.key("t")
      json.value(record.time)
      json.key("level")
      json.value(record.level.name)
      if !LogLevel.standard.contains(record.level) {
        json.key("severity")
        json.value(Int64(record.level.severity))
      }
      json.key("event")
      json.value(record.event)
      if record.version != 1 {
        json.key("version")
        json.value(record.version)
      }
      json.key("message")
      json.value(record.message)
      json.key("scopes")
      json.beginArray()
      for scope in record.scopes { json.value(scope) }
      json.endArray()
      if !record.tags.isEmpty { write(record.tags, to: &json) }
      if !payload.isEmpty {
        json.key("payload")
        json.raw(payload)
      }
      if record.session != session {
        json.key("session")
        json.value(record.session.description)
      }
      if record.id != UniqueID(session: record.session, sequence: record.sequence) {
        json.key("id")
        json.value(record.id.description)
      }
      writeOptionals(of: record, to: &json)
    }
  }

  private static func writeOptionals(of record: Record, to json: inout JSONWriter) {
    func text(_ key: StaticString, _ value: String?, _ json: inout JSONWriter) {
      guard let value else { return }
      json.key(key.description)
      json.value(value)
    }
    text("span", record.span?.description, &json)
    text("exit", record.exit, &json)
    text("reason", record.exitReason, &json)
    if let duration = record.duration {
      json.key("duration")
      json.value(duration)
    }
    text("function", record.function, &json)
    text("file", record.file, &json)
    if let line = record.line {
      json.key("line")
      json.value(line)
    }
    text("extid", record.externalID, &json)
  }

  /// Values that JSON has stand as themselves; the others are objects with one member that names the
  /// type, so that every tag comes back exactly as it was.
  private static func write(_ tags: [LogTag], to json: inout JSONWriter) {
    json.key("tags")
    json.beginObject()
    for tag in tags {
      json.key(tag.key)
      switch tag.value {
      case .string(let value): json.value(value)
      case .int(let value): json.value(value)
      case .bool(let value): json.value(value)
      case .double(let value) where value.isFinite: json.value(value)
      case .double(let value):
        json.beginObject()
        json.key("double")
        json.value(String(value.bitPattern, radix: 16))
        json.endObject()
      case .json(let text):
        json.beginObject()
        json.key("json")
        json.value(text)
        json.endObject()
      }
    }
    json.endObject()
  }

  private static func envelope(
    _ kind: String, _ json: inout JSONWriter, _ body: (inout JSONWriter) -> Void
  ) {
    json.restart()
    json.beginObject()
    json.key("v")
    json.value(version)
    json.key("kind")
    json.value(kind)
    json.key("payload")
    json.beginObject()
    body(&json)
    json.endObject()
    json.endObject()
  }
}

extension JSONWriter {
  /// Begins again, in the memory of what was written before unless that is much.
  mutating func restart() {
    var bytes: [UInt8] = []
    swap(&bytes, &self.bytes)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 64 << 10)
    if bytes.capacity == 0 { bytes.reserveCapacity(512) }
    self = JSONWriter()
    swap(&bytes, &self.bytes)
  }
}
