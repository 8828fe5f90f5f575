import JournalKit
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

}

// MARK: - Writing

extension LogJournalEntry {
  package static func encoded(_ session: SessionInfo) -> [UInt8] {
    let text = TextBuffer()
    text.append(#"{"v":1,"kind":"session","payload":{"id":""#)
    text.append(session.id.description)
    text.append(#"","start":"#)
    text.append(session.start)
    text.append(#","app":"#)
    text.append(quoted: session.app)
    text.append(#","os":"#)
    text.append(quoted: session.os)
    text.append(#","device":"#)
    text.append(quoted: session.device)
    text.append("}}")
    return text.array
  }

  /// A record of `session`'s journal. What follows from the session is left out: the session itself, and
  /// an identity derived from it.
  package static func encoded(_ record: Record, in session: UniqueID) -> [UInt8] {
    let text = TextBuffer()
    encode(record, record.payload.rawSpan, in: session, text)
    return text.array
  }

  /// The same with the fields `payload`, in place of what `text` was before.
  static func encode(
    _ record: borrowing Record, _ payload: RawSpan, in session: UniqueID, _ text: TextBuffer
  ) {
    text.removeAll()
    text.append(#"{"v":1,"kind":"record","payload":{"seq":"#)
    text.append(record.sequence)
    text.append(#","t":"#)
    text.append(record.time)
    text.append(#","level":"#)
    text.append(quoted: record.level.name)
    if !record.level.isStandard {
      text.append(#","severity":"#)
      text.append(Int64(record.level.severity))
    }
    text.append(#","event":"#)
    text.append(quoted: record.event)
    if record.version != 1 {
      text.append(#","version":"#)
      text.append(record.version)
    }
    text.append(#","message":"#)
    text.append(quoted: record.message)
    text.append(#","scopes":["#)
    for index in record.scopes.indices {
      if index > 0 { text.append(",") }
      text.append(quoted: record.scopes[index])
    }
    text.append("]")
    if !record.tags.isEmpty { encode(record.tags, text) }
    if payload.byteCount > 0 {
      text.append(#","payload":"#)
      text.append(payload)
    }
    if record.session != session { encode(record.session, #","session":""#, text) }
    if record.id != UniqueID(session: record.session, sequence: record.sequence) {
      encode(record.id, #","id":""#, text)
    }
    if let span = record.span { encode(span, #","span":""#, text) }
    encode(record.exit, #","exit":"#, text)
    encode(record.exitReason, #","reason":"#, text)
    if let duration = record.duration {
      text.append(#","duration":"#)
      text.append(duration)
    }
    encode(record.function, #","function":"#, text)
    encode(record.file, #","file":"#, text)
    if let line = record.line {
      text.append(#","line":"#)
      text.append(line)
    }
    encode(record.externalID, #","extid":"#, text)
    if !record.attachments.isEmpty {
      text.append(#","attachments":"#)
      text.append(record.attachments.rawSpan)
    }
    text.append("}}")
  }

  private static func encode(_ value: String?, _ key: StaticString, _ text: TextBuffer) {
    guard let value else { return }
    text.append(key)
    text.append(quoted: value)
  }

  /// `key` ends with the quote before the value.
  private static func encode(_ id: UniqueID, _ key: StaticString, _ text: TextBuffer) {
    text.append(key)
    text.append(id.description)
    text.append("\"")
  }

  /// Values that JSON has stand as themselves; the others are objects with one member that names the
  /// type, so that every tag comes back exactly as it was.
  private static func encode(_ tags: [LogTag], _ text: TextBuffer) {
    text.append(#","tags":{"#)
    for index in tags.indices {
      if index > 0 { text.append(",") }
      text.append(quoted: tags[index].key)
      text.append(":")
      switch tags[index].value {
      case .string(let value): text.append(quoted: value)
      case .int(let value): text.append(value)
      case .bool(let value): text.append(value ? "true" : "false")
      case .double(let value) where value.isFinite: text.append(value.description)
      case .double(let value):
        text.append(#"{"double":""#)
        text.append(String(value.bitPattern, radix: 16))
        text.append(#""}"#)
      case .json(let value):
        text.append(#"{"json":"#)
        text.append(quoted: value)
        text.append("}")
      }
    }
    text.append("}")
  }
}

extension LogLevel {
  /// Whether the level is one of the six that everybody knows.
  fileprivate var isStandard: Bool {
    switch severity {
    case 100: name == "debug"
    case 200: name == "info"
    case 300: name == "notice"
    case 400: name == "warning"
    case 500: name == "error"
    case 600: name == "fault"
    default: false
    }
  }
}
