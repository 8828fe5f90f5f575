import PeriscopeCore

/// A column of records where records are rows. They are the members of NDJSON, in its order.
struct RecordColumn: Sendable {
  let name: String
  let value: @Sendable (Record) -> Value?

  private init(_ name: String, _ value: @escaping @Sendable (Record) -> Value?) {
    self.name = name
    self.value = value
  }

  /// The few that a terminal has room for, in the order of log lines.
  static let inTables = ["time", "level", "scope", "event", "message"].compactMap { name in
    all.first { $0.name == name }
  }

  static let all: [RecordColumn] = [
    RecordColumn("id") { .uuid($0.id) },
    RecordColumn("time") { .time($0.time) },
    // Values have a sign, a sequence has none.
    RecordColumn("sequence") { .json(String($0.sequence)) },
    RecordColumn("level") { .level($0.level) },
    RecordColumn("severity") { record in
      // As in NDJSON: the standard ones are known by their names.
      LogLevel.standard.contains(record.level) ? nil : .int(Int64(record.level.severity))
    },
    RecordColumn("event") { .string($0.event) },
    RecordColumn("version") { .int($0.version) },
    RecordColumn("message") { .string($0.message) },
    RecordColumn("scope") {
      $0.scopes.isEmpty ? nil : .list($0.scopes.map(Value.string))
    },
    RecordColumn("session") { .uuid($0.session) },
    RecordColumn("span") { $0.span.map(Value.uuid) },
    RecordColumn("exit") { $0.exit.map(Value.string) },
    RecordColumn("reason") { $0.exitReason.map(Value.string) },
    RecordColumn("duration") { $0.duration.map(Value.duration) },
    RecordColumn("function") { $0.function.map(Value.string) },
    RecordColumn("file") { $0.file.map(Value.string) },
    RecordColumn("line") { $0.line.map(Value.int) },
    RecordColumn("extid") { $0.externalID.map(Value.string) },
    RecordColumn("tags") { record in
      guard !record.tags.isEmpty else { return nil }
      var json = JSONWriter()
      json.value(record.tags)
      return .json(String(decoding: json.bytes, as: UTF8.self))
    },
    RecordColumn("payload") { record in
      record.payload.isEmpty ? nil : .json(String(decoding: record.payload, as: UTF8.self))
    },
  ]
}
