internal import JournalKit
internal import SegmentIndex

/// Reads a line that Periscope wrote (`QueryResult.ndjson`) straight into a record, in any order of its
/// keys.
///
/// Such a line has time, level, event, message and session, and no key or type that is not Periscope's
/// own; reading stops at the first thing that is strange, or too much.
struct NativeLine: ~Escapable {
  private enum Field: UInt32 {
    case id, time, sequence, level, severity, event, version, message, scopes, session, tags
    case payload, span, exit, reason, duration, function, file, line, externalID

    var bit: UInt32 { 1 << rawValue }
  }

  /// The keys, about in the order in which they are written, and three that mean the same as the ones
  /// before them.
  private static let keys: [(name: String, field: Field)] = [
    ("id", .id), ("time", .time), ("t", .time), ("sequence", .sequence), ("level", .level),
    ("severity", .severity), ("event", .event), ("version", .version), ("message", .message),
    ("scope", .scopes), ("scopes", .scopes), ("session", .session), ("tags", .tags),
    ("payload", .payload), ("span", .span), ("exit", .exit), ("reason", .reason),
    ("duration", .duration), ("duration_ns", .duration), ("function", .function), ("file", .file),
    ("line", .line), ("extid", .externalID),
  ]

  private let bytes: RawSpan
  private var scanner: JSONScanner
  private var record: Record
  private var hasID = false
  private var levelName = ""
  private var severity: Int64?
  /// A bit for each field found.
  private var found: UInt32 = 0

  /// The record that Periscope wrote as `line`; nil when the line is someone else's.
  ///
  /// - Parameter sequence: for a line that has none.
  static func record(_ line: RawSpan, sequence: UInt64) throws(JSONError) -> Record? {
    var line = NativeLine(line, sequence: sequence)
    return try line.read() ? line.record : nil
  }

  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan, sequence: UInt64) {
    self.bytes = bytes
    scanner = JSONScanner(bytes)
    let none = UniqueID(bits: 0)
    record = Record(
      id: none, time: 0, sequence: sequence, session: none, level: .info, event: "", message: "")
  }

  private mutating func read() throws(JSONError) -> Bool {
    try scanner.enterObject()
    var last = -1
    while let key = try scanner.nextKeyRange() {
      guard let field = field(key, after: &last), found & field.bit == 0 else { return false }
      if try scanner.peek() == .null {
        try scanner.readNull()
      } else {
        guard try read(field) else { return false }
        found |= field.bit
      }
    }
    try scanner.finish()
    return complete()
  }

  /// The field whose key this is. Lines of one writer have their keys in one order, so the search
  /// begins after the field that was found `last`, and goes around.
  private func field(_ key: Range<Int>, after last: inout Int) -> Field? {
    let keys = Self.keys
    for step in 1...keys.count {
      let index = (last + step) % keys.count
      guard scanner.key(key, is: keys[index].name) else { continue }
      last = index
      return keys[index].field
    }
    return nil
  }

  /// Checks that the line is a whole one, and gives the record what needs several fields.
  private mutating func complete() -> Bool {
    let required: [Field] = [.time, .level, .event, .message, .session]
    guard required.allSatisfy({ found & $0.bit != 0 }) else { return false }
    guard let level = level() else { return false }
    record.level = level
    if !hasID { record.id = UniqueID(session: record.session, sequence: record.sequence) }
    return true
  }

  private func level() -> LogLevel? {
    guard let severity else { return LogLevel(foreignName: levelName) }
    return Int32(exactly: severity).map { LogLevel(levelName, severity: $0) }
  }
}

// MARK: - Fields

extension NativeLine {
  /// Reads the value of a field; false when it has another type than Periscope writes.
  private mutating func read(_ field: Field) throws(JSONError) -> Bool {
    switch field {
    case .id:
      hasID = true
      return assign(try identity(), to: &record.id)
    case .session: return assign(try identity(), to: &record.session)
    case .span: return assign(try identity(), toOptional: &record.span)
    case .time: return assign(try time(), to: &record.time)
    case .level: return assign(try string(), to: &levelName)
    case .event: return assign(try string(), to: &record.event)
    case .message: return assign(try string(), to: &record.message)
    case .exit: return assign(try string(), toOptional: &record.exit)
    case .reason: return assign(try string(), toOptional: &record.exitReason)
    case .function: return assign(try string(), toOptional: &record.function)
    case .file: return assign(try string(), toOptional: &record.file)
    case .externalID: return assign(try string(), toOptional: &record.externalID)
    case .version: return assign(try integer(), to: &record.version)
    case .duration: return assign(try integer(), toOptional: &record.duration)
    case .line: return assign(try integer(), toOptional: &record.line)
    case .severity: return assign(try integer(), toOptional: &severity)
    case .sequence: return assign(try sequence(), to: &record.sequence)
    case .scopes: return try readScopes()
    case .tags: return try readTags()
    case .payload:
      record.payload = bytes.extracting(try scanner.skipValue()).toArray()
      return true
    }
  }

  private mutating func string() throws(JSONError) -> String? {
    try scanner.peek() == .string ? try scanner.readString() : nil
  }

  private mutating func integer() throws(JSONError) -> Int64? {
    guard try scanner.peek() == .number, case .int(let value) = try scanner.readNumber()
    else { return nil }
    return value
  }

  private mutating func sequence() throws(JSONError) -> UInt64? {
    UInt64(bytes.extracting(try scanner.skipValue()).repairedString())
  }

  private mutating func identity() throws(JSONError) -> UniqueID? {
    guard try scanner.peek() == .string else { return nil }
    let range = try scanner.skipValue()
    return UniqueID(utf8: bytes.extracting(range.lowerBound + 1..<range.upperBound - 1))
  }

  private mutating func time() throws(JSONError) -> Int64? {
    let kind = try scanner.peek()
    let range = try scanner.skipValue()
    let inner = kind == .string ? range.lowerBound + 1..<range.upperBound - 1 : range
    return Timestamp(text: bytes.extracting(inner))?.nanoseconds
  }

  private mutating func readScopes() throws(JSONError) -> Bool {
    guard try scanner.peek() == .array else { return false }
    try scanner.enterArray()
    while try scanner.nextElement() {
      guard let scope = try string() else { return false }
      record.scopes.append(scope)
    }
    return true
  }

  private mutating func readTags() throws(JSONError) -> Bool {
    guard try scanner.peek() == .object else { return false }
    try scanner.enterObject()
    while let key = try scanner.nextKey() {
      record.tags.set(LogTag(key, try tagValue()))
      // Foreign rules know what to do with the rest.
      guard record.tags.count <= ForeignLine.maximumTagCount else { return false }
    }
    return true
  }

  private mutating func tagValue() throws(JSONError) -> LogTagValue {
    switch try scanner.peek() {
    case .string: .string(try scanner.readString())
    case .bool: .bool(try scanner.readBool())
    case .number: LogTagValue(number: bytes.extracting(try scanner.skipValue()))
    default: .json(bytes.extracting(try scanner.skipValue()).repairedString())
    }
  }
}

private func assign<Value>(_ value: Value?, to target: inout Value) -> Bool {
  guard let value else { return false }
  target = value
  return true
}

private func assign<Value>(_ value: Value?, toOptional target: inout Value?) -> Bool {
  target = value
  return value != nil
}
