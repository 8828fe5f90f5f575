/// The fields of a record that have a name of their own. One table serves the binder, the executor, help
/// and completion.
package enum Field: String, Sendable, CaseIterable {
  case id, time, sequence, level, event, version, message, scope, session, span, exit, reason
  case duration, function, file, line, extid, attachments, payload
  case sessionID = "session.id"
  case sessionApp = "session.app"
  case sessionOS = "session.os"
  case sessionDevice = "session.device"
  case sessionStart = "session.start"

  /// What the field holds.
  package var type: ValueType {
    switch self {
    case .id, .session, .sessionID, .span: .uuid
    case .time, .sessionStart: .time
    case .level: .level
    case .sequence, .version, .line, .attachments: .int
    case .duration: .duration
    case .payload: .any
    case .event, .message, .scope, .exit, .reason, .function, .file, .extid, .sessionApp,
      .sessionOS, .sessionDevice:
      .string
    }
  }

  /// What help says about the field.
  package var summary: String {
    switch self {
    case .id: "identifies the record; a prefix finds it: id = 3f2a9c10-*"
    case .time: "when it was logged"
    case .sequence: "its place in its session's order"
    case .level: "debug info notice warning error fault, or a level of the program's own"
    case .event: "the event's stable name, such as photo.imported"
    case .version: "the version of the event's payload"
    case .message: "what a person reads; lone words search it"
    case .scope: "its scopes, such as App/Photos; a test asks whether one of them passes"
    case .session, .sessionID: "the run of the program; also current and previous"
    case .span: "the span that it begins, ends or belongs to"
    case .exit: "how its span ended: success, failure, ..."
    case .reason: "why its span ended so"
    case .duration: "how long its span took"
    case .function: "the function that logged"
    case .file: "the source file that logged"
    case .line: "the line in the file"
    case .extid: "the program's own identity for the event"
    case .attachments: "how many attachments it has; missing when there are none"
    case .payload: "the event's JSON; payload.items[0].sku is a place in it"
    case .sessionApp: "the program and its version"
    case .sessionOS: "the operating system and its version"
    case .sessionDevice: "the machine"
    case .sessionStart: "when the run began"
    }
  }
}

/// What the binder knows of an expression's values before it has seen any.
package enum ValueType: String, Sendable {
  case bool, int, double, string, duration, size, time, level, uuid
  /// It differs from row to row: tags, places in JSON, and what is computed from them.
  case any

  /// How a message calls one such value.
  var phrase: String {
    switch self {
    case .bool: "a truth value"
    case .int: "a whole number"
    case .double: "a number"
    case .string: "a text"
    case .duration: "a duration"
    case .size: "a size"
    case .time: "a time"
    case .level: "a level"
    case .uuid: "an identity"
    case .any: "a value"
    }
  }

  /// Whether arithmetic on it gives a number.
  var isNumber: Bool { self == .int || self == .double || self == .size }
}

/// Something that can be read from a record. Names are equal when their UTF-8 is.
package enum FieldReference: Sendable {
  case field(Field)
  /// A tag, by its whole key: the names of the path joined by dots.
  case tag(String)
  /// A place in the payload's JSON.
  case payload([Path.Segment])

  var type: ValueType {
    if case .field(let field) = self { field.type } else { .any }
  }

  /// The name as a query writes it.
  package var name: String {
    switch self {
    case .field(let field): field.rawValue
    case .tag(let key): "tag." + (isPlainTag(key) ? key : quoted(key))
    case .payload(let segments): Printer.text(Path([.name("payload")] + segments, 0..<0))
    }
  }

  private func isPlainTag(_ key: String) -> Bool {
    key.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isPlainSegment)
  }
}

extension FieldReference: Hashable {
  package static func == (left: FieldReference, right: FieldReference) -> Bool {
    switch (left, right) {
    case (.field(let left), .field(let right)): left == right
    case (.tag(let left), .tag(let right)): left.isSameText(as: right)
    case (.payload(let left), .payload(let right)): left == right
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .field(let field): hasher.combine(field)
    case .tag(let key): hasher.combine(text: key)
    case .payload(let path): hasher.combine(path)
    }
  }
}
