/// The number of a field in a segment's directory; numbers are never reused.
enum FieldNumber: UInt8 {
  case id = 1
  case time, sequence, session, level, event, version, message, scopes, payload, span, exit
  case exitReason, duration, function, file, line, externalID, attachments
  /// For each row, the list of its tag keys: there only when some row's tags are not in column order.
  case tagOrder = 31
  /// A tag; its key follows.
  case tag

  init(_ field: SegmentField) {
    switch field {
    case .id: self = .id
    case .time: self = .time
    case .sequence: self = .sequence
    case .session: self = .session
    case .level: self = .level
    case .event: self = .event
    case .version: self = .version
    case .message: self = .message
    case .scopes: self = .scopes
    case .payload: self = .payload
    case .span: self = .span
    case .exit: self = .exit
    case .exitReason: self = .exitReason
    case .duration: self = .duration
    case .function: self = .function
    case .file: self = .file
    case .line: self = .line
    case .externalID: self = .externalID
    case .attachments: self = .attachments
    case .tag: self = .tag
    }
  }

  var kind: ColumnKind {
    switch self {
    case .id: .identities
    case .time, .sequence, .duration, .line: .integers
    case .message, .payload, .attachments: .texts
    default: .terms
    }
  }
}
