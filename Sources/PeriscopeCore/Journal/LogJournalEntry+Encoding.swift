import JournalKit
package import SegmentIndex

extension LogJournalEntry {
  package static func encoded(_ session: SessionInfo) -> [UInt8] {
    let text = TextBuffer()
    text.append(#"{"v":1,"kind":"session","payload":{"id":""#)
    text.append(raw: session.id.description)
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
    begin(record.sequence, record.time, record.level, text)
    encode(record.event, record.version, record.message, record.scopes, record.tags, text)
    encode(payload, text)
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

  /// A record that was not made: to the byte what would be written of it.
  static func encode(
    _ draft: borrowing RecordDraft, _ place: LogPlace, _ site: CallSite, _ payload: TextBuffer?,
    sequence: UInt64, _ text: TextBuffer
  ) {
    begin(sequence, draft.time, draft.level, text)
    encode(draft.event, draft.version, draft.message, place.paths, draft.tags, text)
    if let payload { encode(payload.bytes, text) }
    if let span = draft.span { encode(span, #","span":""#, text) }
    text.append(#","function":"#)
    text.append(quoted: site.function)
    text.append(#","file":"#)
    text.append(quoted: site.file)
    text.append(#","line":"#)
    text.append(Int64(site.line))
    encode(draft.externalID, #","extid":"#, text)
    text.append("}}")
  }

  @inline(__always)
  private static func begin(
    _ sequence: UInt64, _ time: Int64, _ level: LogLevel, _ text: TextBuffer
  ) {
    text.removeAll()
    text.append(#"{"v":1,"kind":"record","payload":{"seq":"#)
    text.append(sequence)
    text.append(#","t":"#)
    text.append(time)
    text.append(#","level":"#)
    text.append(quoted: level.name)
    if !level.isStandard {
      text.append(#","severity":"#)
      text.append(Int64(level.severity))
    }
  }

  @inline(__always)
  private static func encode(
    _ event: String, _ version: Int64, _ message: String, _ scopes: [String], _ tags: [LogTag],
    _ text: TextBuffer
  ) {
    text.append(#","event":"#)
    text.append(quoted: event)
    if version != 1 {
      text.append(#","version":"#)
      text.append(version)
    }
    text.append(#","message":"#)
    text.append(quoted: message)
    text.append(#","scopes":["#)
    for index in scopes.indices {
      if index > 0 { text.append(",") }
      text.append(quoted: scopes[index])
    }
    text.append("]")
    if !tags.isEmpty { encode(tags, text) }
  }

  @inline(__always)
  private static func encode(_ payload: RawSpan, _ text: TextBuffer) {
    guard payload.byteCount > 0 else { return }
    text.append(#","payload":"#)
    text.append(payload)
  }

  private static func encode(_ value: String?, _ key: StaticString, _ text: TextBuffer) {
    guard let value else { return }
    text.append(key)
    text.append(quoted: value)
  }

  /// `key` ends with the quote before the value.
  private static func encode(_ id: UniqueID, _ key: StaticString, _ text: TextBuffer) {
    text.append(key)
    text.append(raw: id.description)
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
      case .bool(let value): text.append(value)
      case .double(let value) where value.isFinite: text.append(value)
      case .double(let value):
        text.append(#"{"double":""#)
        text.append(raw: String(value.bitPattern, radix: 16))
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
