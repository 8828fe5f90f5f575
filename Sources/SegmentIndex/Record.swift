/// One logged event as the store keeps it.
///
/// Every way into the store (a journal, an import) ends in a `Record`, and every whole-record answer is
/// made of them.
public struct Record: Sendable, Equatable {
  /// Identifies the record; by default derived from session and sequence.
  public var id: UniqueID
  /// Nanoseconds since 1970-01-01T00:00:00Z, without leap seconds.
  public var time: Int64
  /// The record's place in its session's order. Records sort by (time, session, sequence).
  public var sequence: UInt64
  /// The run of the program that logged it.
  public var session: UniqueID
  /// How serious it is.
  public var level: LogLevel
  /// The event's stable name, such as `photo.imported`.
  public var event: String
  /// The version of the event's payload.
  public var version: Int64 = 1
  /// What a person reads.
  public var message: String
  /// Paths in the scope tree, such as `App/Photos`; the first is the primary one.
  public var scopes: [String] = []
  /// Named values, in the order given; keys are unique.
  public var tags: [LogTag] = []
  /// The event's fields: one JSON value, kept to the byte as it was logged; empty when there is none.
  public var payload: [UInt8] = []
  /// The span that this record begins, ends or belongs to.
  public var span: UniqueID?
  /// How the span ended (`success`, `failure`, ...), on the record that ends it.
  public var exit: String?
  /// Why it ended so.
  public var exitReason: String?
  /// How long the span took, in nanoseconds, on the record that ends it.
  public var duration: Int64?
  /// The function that logged.
  public var function: String?
  /// The source file that logged.
  public var file: String?
  /// The line in `file`.
  public var line: Int64?
  /// The caller's own identity for the event.
  public var externalID: String?
  /// What is attached to it, as `AttachmentList` writes it; empty when nothing is.
  public var attachments: [UInt8] = []

  /// A record with these fields; the others are set afterwards.
  public init(
    id: UniqueID, time: Int64, sequence: UInt64, session: UniqueID, level: LogLevel, event: String,
    message: String
  ) {
    self.id = id
    self.time = time
    self.sequence = sequence
    self.session = session
    self.level = level
    self.event = event
    self.message = message
  }
}

/// A named value on a record.
public struct LogTag: Sendable, Equatable {
  /// Any text, unique within a record.
  public var key: String
  /// The value.
  public var value: LogTagValue

  /// A tag.
  public init(_ key: String, _ value: LogTagValue) {
    self.key = key
    self.value = value
  }
}

/// What a tag can hold.
public enum LogTagValue: Sendable, Hashable {
  /// Text.
  case string(String)
  /// A whole number.
  case int(Int64)
  /// Any other number. NaN and infinities are legal here; JSON has no way to write them.
  case double(Double)
  /// A truth value.
  case bool(Bool)
  /// Anything else, as JSON text.
  case json(String)
}
