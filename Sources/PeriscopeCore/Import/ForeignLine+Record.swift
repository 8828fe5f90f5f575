internal import JournalKit
internal import SegmentIndex

extension ForeignLine {
  /// The parts of a record that the line gives; what it does not say is nil.
  struct Parts {
    var time: Timestamp?
    var level: LogLevel?
    var message: String?
    var event: String?
    var scope: String?
    var file: String?
    var line: Int64?
    var function: String?
    var externalID: String?
    var tags: [LogTag] = []
    var payload: [UInt8] = []
  }

  /// Reads the parts that have a meaning, then gives every other member a place in tags or payload.
  mutating func takeParts() -> Parts {
    var parts = Parts()
    parts.time = take(
      { if case .time = $0 { true } else { false } }, { $0.time($1) }, isSame: ==)
    parts.level = take(
      { if case .level = $0 { true } else { false } }, { $0.level($1) },
      isSame: { $0.severity == $1.severity && $0.name.isIdentical(to: $1.name) })
    parts.message = take(.message) { $0.message($1) }
    takeEvent(into: &parts)
    parts.scope = take(.logger) { line, leaf in line.name(leaf).flatMap(scopePath(ofLogger:)) }
    takeCallSite(into: &parts)
    parts.externalID = take(.externalID) { $0.name($1) }
    takeRemainder(into: &parts)
    return parts
  }

  /// structlog calls its message `event`: without another message it is both, unless it has white
  /// space, which no event's name has.
  private mutating func takeEvent(into parts: inout Parts) {
    if let name = take(.event, { $0.eventName($1) }) {
      parts.event = name
      if parts.message == nil { parts.message = name }
    } else if parts.message == nil {
      parts.message = take(.event) { $0.name($1) }
    }
  }

  /// Where the line was logged. A line number may be a part of the file, as in `main.go:12`.
  private mutating func takeCallSite(into parts: inout Parts) {
    parts.line = take(.line) { $0.integer($1) }
    parts.function = take(.function) { $0.name($1) }
    guard let file = take(.file, { $0.name($1) }) else { return }
    parts.file = file
    if parts.line == nil, let colon = file.utf8.lastIndex(of: UInt8(ascii: ":")),
      colon > file.startIndex, let line = Int64(file[file.utf8.index(after: colon)...]), line >= 0
    {
      parts.file = String(file[..<colon])
      parts.line = line
    }
  }

  /// Scalars become tags, the rest goes into the payload under the names that it had in the line.
  private func takeRemainder(into parts: inout Parts) {
    var payload = PayloadWriter()
    for leaf in leaves where !leaf.isUsed {
      if let key = leaf.key, let value = tagValue(leaf) {
        // Of one key's values the last counts, as for most readers of JSON.
        if let index = parts.tags.index(ofKey: key) {
          parts.tags[index].value = value
          continue
        }
        if parts.tags.count < Self.maximumTagCount {
          parts.tags.append(LogTag(key, value))
          continue
        }
      }
      payload.append(bytes.extracting(leaf.range), name: leaf.name, parents: leaf.parents)
    }
    parts.payload = payload.finish()
  }
}

/// Writes the members that go into a payload, in the objects that they were in.
private struct PayloadWriter {
  private var json = JSONWriter()
  /// The objects that are open below the outermost one.
  private var open: [String] = []

  mutating func append(_ value: RawSpan, name: String, parents: [String]) {
    if json.bytes.isEmpty { json.beginObject() }
    let common = zip(open, parents).prefix { $0.isIdentical(to: $1) }.count
    while open.count > common {
      json.endObject()
      open.removeLast()
    }
    for parent in parents[common...] {
      json.key(parent)
      json.beginObject()
      open.append(parent)
    }
    json.key(name)
    json.raw(value)
  }

  /// The payload; empty when nothing was appended.
  mutating func finish() -> [UInt8] {
    guard !json.bytes.isEmpty else { return [] }
    for _ in 0...open.count { json.endObject() }
    return json.bytes
  }
}
