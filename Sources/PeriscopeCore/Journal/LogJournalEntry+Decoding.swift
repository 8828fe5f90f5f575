import JournalKit
package import SegmentIndex

extension LogJournalEntry {
  /// A payload that an importer or encoder accepted, at up to 64 levels, must also be read back inside
  /// its envelope.
  private static let depthLimit = 96

  /// Reads an entry of a journal that belongs to `session`; nil for a version or kind that this build does
  /// not know, which a newer one wrote. Unknown keys are ignored for the same reason.
  package init?(decoding bytes: RawSpan, in session: UniqueID) throws(JSONError) {
    var json = JSONScanner(bytes, depthLimit: Self.depthLimit)
    var version: Int64?
    var kind: String?
    var payload: Range<Int>?
    try json.enterObject()
    while let key = try json.nextKey() {
      switch key {
      case "v": version = try json.readInt()
      case "kind": kind = try json.readString()
      case "payload": payload = try json.skipValue()
      default: _ = try json.skipValue()
      }
    }
    try json.finish()
    guard let version, let kind, let payload else {
      throw JSONError(offset: 0, reason: "not a journal entry: `v`, `kind` or `payload` is missing")
    }
    guard version == Self.version else { return nil }
    do throws(JSONError) {
      let fields = bytes.extracting(payload)
      var body = JSONScanner(fields, depthLimit: Self.depthLimit)
      switch kind {
      case "session": self = .session(try Self.session(&body))
      case "record": self = .record(try Self.record(&body, of: fields, in: session))
      default: return nil
      }
    } catch {
      throw JSONError(offset: payload.lowerBound + error.offset, reason: error.reason)
    }
  }

  private static func session(_ json: inout JSONScanner) throws(JSONError) -> SessionInfo {
    var info = SessionInfo(id: UniqueID(bits: 0), start: 0)
    try json.enterObject()
    while let key = try json.nextKey() {
      switch key {
      case "id": info.id = try identity(&json)
      case "start": info.start = try json.readInt()
      case "app": info.app = try json.readString()
      case "os": info.os = try json.readString()
      case "device": info.device = try json.readString()
      default: _ = try json.skipValue()
      }
    }
    return info
  }

  private static func record(
    _ json: inout JSONScanner, of fields: RawSpan, in session: UniqueID
  ) throws(JSONError) -> Record {
    var record = Record(
      id: UniqueID(bits: 0), time: 0, sequence: 0, session: session, level: .info, event: "",
      message: "")
    var level = "info"
    var severity: Int32?
    var id: UniqueID?
    try json.enterObject()
    while let key = try json.nextKey() {
      switch key {
      case "seq": record.sequence = try sequence(&json, of: fields)
      case "t": record.time = try json.readInt()
      case "level": level = try json.readString()
      case "severity": severity = Int32(truncatingIfNeeded: try json.readInt())
      case "event": record.event = try json.readString()
      case "version": record.version = try json.readInt()
      case "message": record.message = try json.readString()
      case "scopes": record.scopes = try strings(&json)
      case "tags": record.tags = try tags(&json)
      case "payload": record.payload = fields.extracting(try json.skipValue()).toArray()
      case "session": record.session = try identity(&json)
      case "id": id = try identity(&json)
      case "span": record.span = try identity(&json)
      case "exit": record.exit = try json.readString()
      case "reason": record.exitReason = try json.readString()
      case "duration": record.duration = try json.readInt()
      case "function": record.function = try json.readString()
      case "file": record.file = try json.readString()
      case "line": record.line = try json.readInt()
      case "extid": record.externalID = try json.readString()
      case "attachments":
        record.attachments = fields.extracting(try json.skipValue()).toArray()
      default: _ = try json.skipValue()
      }
    }
    let known = LogLevel.standard.first { $0.name == level }
    record.level =
      severity.map { LogLevel(level, severity: $0) } ?? known ?? LogLevel(level, severity: 200)
    record.id = id ?? UniqueID(session: record.session, sequence: record.sequence)
    return record
  }

  /// A sequence has 64 bits and no sign, which is more than the numbers of a scanner have.
  private static func sequence(
    _ json: inout JSONScanner, of fields: RawSpan
  ) throws(JSONError) -> UInt64 {
    let range = try json.skipValue()
    guard let sequence = UInt64(fields.extracting(range).repairedString()) else {
      throw JSONError(offset: range.lowerBound, reason: "not a sequence")
    }
    return sequence
  }

  private static func strings(_ json: inout JSONScanner) throws(JSONError) -> [String] {
    var strings: [String] = []
    try json.enterArray()
    while try json.nextElement() { strings.append(try json.readString()) }
    return strings
  }

  private static func tags(_ json: inout JSONScanner) throws(JSONError) -> [LogTag] {
    var tags: [LogTag] = []
    try json.enterObject()
    while let key = try json.nextKey() {
      tags.append(LogTag(key, try tagValue(&json)))
    }
    return tags
  }

  private static func tagValue(_ json: inout JSONScanner) throws(JSONError) -> LogTagValue {
    switch try json.peek() {
    case .string: return .string(try json.readString())
    case .bool: return .bool(try json.readBool())
    case .number:
      switch try json.readNumber() {
      case .int(let value): return .int(value)
      case .double(let value): return .double(value)
      }
    default: break
    }
    let start = json.offset
    var value: LogTagValue?
    try json.enterObject()
    while let type = try json.nextKey() {
      switch type {
      case "double":
        value = UInt64(try json.readString(), radix: 16).map { .double(Double(bitPattern: $0)) }
      case "json": value = .json(try json.readString())
      default: _ = try json.skipValue()
      }
    }
    guard let value else { throw JSONError(offset: start, reason: "a tag of an unknown type") }
    return value
  }

  private static func identity(_ json: inout JSONScanner) throws(JSONError) -> UniqueID {
    let start = json.offset
    guard let id = UniqueID(try json.readString()) else {
      throw JSONError(offset: start, reason: "not a UUID")
    }
    return id
  }
}
