internal import JournalKit
internal import SegmentIndex

/// Reads a line that Periscope wrote (`QueryResult.ndjson`) straight into a batch of records, in any order
/// of its keys.
///
/// Such a line has time, level, event, message and session, and no key or type that is not Periscope's
/// own; reading stops at the first thing that is strange, or too much.
struct NativeLine: ~Escapable {
  private enum Field: UInt32 {
    case id, time, sequence, level, severity, event, version, message, scopes, session, tags
    case payload, span, exit, reason, duration, function, file, line, externalID
    case attachmentCount, attachments

    var bit: UInt32 { 1 << rawValue }
  }

  /// The keys, about in the order in which they are written, and three that mean the same as the ones
  /// before them.
  private static let names: [(name: String, field: Field)] = [
    ("id", .id), ("time", .time), ("t", .time), ("sequence", .sequence), ("level", .level),
    ("severity", .severity), ("event", .event), ("version", .version), ("message", .message),
    ("scope", .scopes), ("scopes", .scopes), ("session", .session), ("tags", .tags),
    ("payload", .payload), ("span", .span), ("exit", .exit), ("reason", .reason),
    ("duration", .duration), ("duration_ns", .duration), ("function", .function), ("file", .file),
    ("line", .line), ("extid", .externalID),
    ("attachments", .attachmentCount), ("attached", .attachments),
  ]
  private static let required = ([.time, .level, .event, .message, .session] as [Field])
    .reduce(0) { $0 | $1.bit }
  private static let fields = names.map(\.field)
  private static let keys = JSONKeys(names.map(\.name))

  /// What lines of one writer have in common: the order of their keys, and how their payloads are put together.
  struct Habits: Sendable {
    fileprivate var keys = NativeLine.keys
    fileprivate var payload = JSONShape()
  }

  private let bytes: RawSpan
  private var scanner: JSONScanner
  private var id: UniqueID?
  private var session = UniqueID(bits: 0)
  private var time: Int64 = 0
  private var number: UInt64
  /// Where the level's name is, between its quotes.
  private var level = 0..<0
  private var severity: Int64?
  /// A bit for each field found.
  private var found: UInt32 = 0

  /// Adds the record that Periscope wrote as `line` to `batch`; false, and nothing is added, when the line is
  /// someone else's.
  ///
  /// - Parameters:
  ///   - sequence: for a line that has none.
  ///   - habits: learns what the writer's lines are like.
  static func read(
    _ line: RawSpan, sequence: UInt64, _ habits: inout Habits, into batch: inout RecordBatch
  ) throws(JSONError) -> Bool {
    var line = NativeLine(line, sequence: sequence)
    do throws(JSONError) {
      if try line.read(&habits, into: &batch) { return true }
    } catch {
      batch.dropRecord()
      throw error
    }
    batch.dropRecord()
    return false
  }

  @_lifetime(copy bytes)
  private init(_ bytes: RawSpan, sequence: UInt64) {
    self.bytes = bytes
    scanner = JSONScanner(bytes)
    number = sequence
  }

  private mutating func read(
    _ habits: inout Habits, into batch: inout RecordBatch
  ) throws(JSONError) -> Bool {
    try scanner.enterObject()
    let fields = Self.fields
    var last = -1
    while let member = try scanner.nextKey(among: &habits.keys, after: last) {
      guard case .known(let number) = member else { return false }
      last = number
      let field = fields[number]
      guard found & field.bit == 0 else { return false }
      if try scanner.skipNull() { continue }
      guard try read(field, &habits, into: &batch) else { return false }
      found |= field.bit
    }
    try scanner.finish()
    return complete(&batch)
  }

  /// Checks that the line is a whole one, and adds what needs several fields.
  private mutating func complete(_ batch: inout RecordBatch) -> Bool {
    guard found & Self.required == Self.required else { return false }
    if let severity {
      guard let severity = Int32(exactly: severity) else { return false }
      batch.beginLevel(severity: severity)
      scanner.append(stringIn: level, to: &batch.writer)
      batch.end()
    } else {
      guard let level = LogLevel(foreignName: scanner.string(in: level)) else { return false }
      batch.add(level)
    }
    if found & Field.version.bit == 0 { batch.add(1, .version) }
    batch.endRecord(
      id: id ?? UniqueID(session: session, sequence: number), session: session, time: time,
      sequence: number)
    return true
  }
}

// MARK: - Fields

extension NativeLine {
  /// Reads the value of a field; false when it has another type than Periscope writes.
  private mutating func read(
    _ field: Field, _ habits: inout Habits, into batch: inout RecordBatch
  ) throws(JSONError) -> Bool {
    switch field {
    case .id:
      id = try identity()
      return id != nil
    case .session: return assign(try identity(), to: &session)
    case .span:
      guard let span = try identity() else { return false }
      batch.add(span: span)
      return true
    case .time: return assign(try timestamp(), to: &time)
    case .level:
      guard try scanner.peek() == .string else { return false }
      let range = try scanner.skipValue()
      level = range.lowerBound + 1..<range.upperBound - 1
      return true
    case .event: return try readText(.event, into: &batch)
    case .message: return try readText(.message, into: &batch)
    case .exit: return try readText(.exit, into: &batch)
    case .reason: return try readText(.exitReason, into: &batch)
    case .function: return try readText(.function, into: &batch)
    case .file: return try readText(.file, into: &batch)
    case .externalID: return try readText(.externalID, into: &batch)
    case .version: return try readInteger(.version, into: &batch)
    case .duration: return try readInteger(.duration, into: &batch)
    case .line: return try readInteger(.line, into: &batch)
    case .severity:
      severity = try integer()
      return severity != nil
    case .sequence: return assign(try sequence(), to: &number)
    case .scopes: return try readScopes(into: &batch)
    case .tags: return try readTags(into: &batch)
    case .payload:
      let range = try scanner.skipValue(&habits.payload)
      batch.begin(.payload)
      batch.writer.append(bytes.extracting(range))
      batch.end()
      return true
    case .attachmentCount:
      // It follows from the list.
      return try integer() != nil
    case .attachments:
      let list = bytes.extracting(try scanner.skipValue())
      guard (try? AttachmentList(json: list.toArray())) != nil else { return false }
      batch.begin(.attachments)
      batch.writer.append(list)
      batch.end()
      return true
    }
  }

  private mutating func readText(
    _ field: SegmentField, into batch: inout RecordBatch
  ) throws(JSONError) -> Bool {
    batch.begin(field)
    guard try scanner.readString(into: &batch.writer) else { return false }
    batch.end()
    return true
  }

  private mutating func readInteger(
    _ field: SegmentField, into batch: inout RecordBatch
  ) throws(JSONError) -> Bool {
    guard let value = try integer() else { return false }
    batch.add(value, field)
    return true
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
    if let id = scanner.readUniqueID() { return id }
    guard try scanner.peek() == .string else { return nil }
    let range = try scanner.skipValue()
    return UniqueID(utf8: bytes.extracting(range.lowerBound + 1..<range.upperBound - 1))
  }

  private mutating func timestamp() throws(JSONError) -> Int64? {
    switch try scanner.peek() {
    case .number:
      let start = scanner.offset
      // The usual case: nothing else has so many digits.
      if case .int(let value) = try scanner.readNumber(), value >= Timestamp.leastNanoseconds {
        return value
      }
      return Timestamp(text: bytes.extracting(start..<scanner.offset))?.nanoseconds
    case .string:
      let range = try scanner.skipValue()
      let inner = range.lowerBound + 1..<range.upperBound - 1
      return Timestamp(text: bytes.extracting(inner))?.nanoseconds
    default:
      try scanner.skipValue()
      return nil
    }
  }

  private mutating func readScopes(into batch: inout RecordBatch) throws(JSONError) -> Bool {
    guard try scanner.peek() == .array else { return false }
    try scanner.enterArray()
    batch.begin(.scopes)
    var isEmpty = true
    while try scanner.nextElement() {
      let start = batch.writer.count
      guard try scanner.readString(into: &batch.writer) else { return false }
      batch.endScope(from: start)
      isEmpty = false
    }
    if !isEmpty { batch.end() }
    return true
  }

  private mutating func readTags(into batch: inout RecordBatch) throws(JSONError) -> Bool {
    guard try scanner.peek() == .object else { return false }
    try scanner.enterObject()
    while true {
      batch.beginTag()
      guard try scanner.nextKey(into: &batch.writer) else { return true }
      try readTagValue(into: &batch)
      // Foreign rules know what to do with the rest.
      guard batch.tagCount <= ForeignLine.maximumTagCount else { return false }
    }
  }

  private mutating func readTagValue(into batch: inout RecordBatch) throws(JSONError) {
    switch try scanner.peek() {
    case .string:
      batch.beginTagText()
      _ = try scanner.readString(into: &batch.writer)
      batch.endTag()
    case .bool: batch.endTag(.bool(try scanner.readBool()))
    case .number:
      let start = scanner.offset
      let number = try scanner.readNumber()
      let text = bytes.extracting(start..<scanner.offset)
      batch.endTag(LogTagValue(number, writtenAs: text))
    default:
      batch.endTag(.json(bytes.extracting(try scanner.skipValue()).repairedString()))
    }
  }
}

private func assign<Value>(_ value: Value?, to target: inout Value) -> Bool {
  guard let value else { return false }
  target = value
  return true
}
