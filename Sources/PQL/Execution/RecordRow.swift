internal import SegmentIndex
internal import Synchronization

/// A record, read field by field, with the columns that stages have added to it.
struct RecordRow: RowValues {
  let record: Record
  let sessions: SessionTable
  /// The values of the columns that `trace` or `context` made.
  var made: [Value?] = []

  func column(_ index: Int) -> Value? { made[index] }

  func value(of field: FieldReference) -> Value? {
    switch field {
    case .field(let field): value(of: field)
    case .tag(let key):
      record.tags.first { $0.key.utf8.elementsEqual(key.utf8) }.map { Value($0.value) }
    case .payload(let path): jsonValue(at: path, in: record.payload.span)
    }
  }

  private func value(of field: Field) -> Value? {
    switch field {
    case .id: .uuid(record.id)
    case .time: .time(record.time)
    case .sequence: .int(Int64(bitPattern: record.sequence))
    case .level: .level(record.level)
    case .event: .string(record.event)
    case .version: .int(record.version)
    case .message: .string(record.message)
    case .scope: record.scopes.isEmpty ? nil : .list(record.scopes.map(Value.string))
    case .session, .sessionID: .uuid(record.session)
    case .span: record.span.map(Value.uuid)
    case .exit: record.exit.map(Value.string)
    case .reason: record.exitReason.map(Value.string)
    case .duration: record.duration.map(Value.duration)
    case .function: record.function.map(Value.string)
    case .file: record.file.map(Value.string)
    case .line: record.line.map(Value.int)
    case .extid: record.externalID.map(Value.string)
    case .attachments: jsonValue(at: AttachmentList.countPath, in: record.attachments.span)
    case .payload: jsonValue(at: [], in: record.payload.span)
    case .sessionApp, .sessionOS, .sessionDevice, .sessionStart:
      sessions.value(of: field, session: record.session)
    }
  }
}

/// What is known of the sessions, by identity. Few queries ask, so the table is made only then.
final class SessionTable: Sendable {
  private let others: [SessionInfo]
  private let segments: [Segment]
  private let sessions = Mutex<SessionDescriptions?>(nil)

  init(_ sessions: [SessionInfo], _ segments: [Segment] = []) {
    others = sessions
    self.segments = segments
  }

  private func info(_ session: UniqueID) -> SessionInfo? {
    sessions.withLock { sessions in
      if let sessions { return sessions[session] }
      let made = SessionDescriptions(others + segments.flatMap(\.sessions))
      sessions = made
      return made[session]
    }
  }

  /// The value of one of the `session.` fields; nil when nothing is known.
  func value(of field: Field, session: UniqueID) -> Value? {
    guard let info = info(session) else { return nil }
    switch field {
    case .sessionApp: return text(info.app)
    case .sessionOS: return text(info.os)
    case .sessionDevice: return text(info.device)
    case .sessionStart: return .time(info.start)
    default: return nil
    }
  }

  private func text(_ text: String) -> Value? {
    text.isEmpty ? nil : .string(text)
  }
}

extension Value {
  /// A tag's value.
  init(_ value: LogTagValue) {
    switch value {
    case .string(let text): self = .string(text)
    case .int(let value): self = .int(value)
    case .double(let value): self = .double(value)
    case .bool(let value): self = .bool(value)
    case .json(let text): self = .json(text)
    }
  }
}
