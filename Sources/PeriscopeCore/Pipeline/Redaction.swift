import JournalKit
public import SegmentIndex

/// Keeps what must not be logged out of every record, before anybody gets it: the journal, sinks and live streams only see
/// what this returns.
///
/// ```swift
/// let redaction = Redaction { record in
///   var record = record
///   record.message.replace("4111", with: "****")
///   record.payload = []
///   record.attachments = []
///   return record
/// }
/// ```
///
/// Values of a program can be in `message`, `payload`, `tags`, `scopes`, `externalID`, `exitReason` and `attachments`: a
/// function that looks at some of them lets the others through. What is attached comes as a list in JSON, which
/// `AttachmentList` reads and writes. The session's description, with the names of the program and of the machine, is no
/// record, and does not come here.
///
/// It fails closed: when the function returns nil or throws, the record is not logged. Of a record that begins or ends a
/// span, which must not vanish alone, there remain its time, its level and which span it was.
///
/// The function runs on the thread that logs, so it should be quick. It may be called by several threads at once. What it
/// logs itself is not logged, since nobody could redact that.
public struct Redaction: Sendable {
  private let transform: @Sendable (Record) throws -> Record?

  /// A redaction by `transform`, which gets each record without its place (`id`, `sequence`), and returns what to log.
  /// The payload that it returns must be JSON. When, of which type and of which span a record is cannot be changed. A span
  /// that outlives its process is found again by its scope, its name and `externalID`: without them nobody can end it.
  public init(_ transform: @escaping @Sendable (Record) throws -> Record?) {
    self.transform = transform
  }

  /// What remains of `record`; nil when nothing does.
  func apply(to record: Record) -> Record? {
    guard var result = try? transform(record) else { return nil }
    // What a record is stays.
    result.id = record.id
    result.sequence = record.sequence
    result.session = record.session
    result.time = record.time
    result.event = record.event
    result.version = record.version
    result.span = record.span
    result.exit = record.exit
    result.duration = record.duration
    if result.payload != record.payload, !Self.isJSON(result.payload) { result.payload = [] }
    return result
  }

  private static func isJSON(_ bytes: [UInt8]) -> Bool {
    guard !bytes.isEmpty else { return true }
    do throws(JSONError) {
      var json = JSONScanner(bytes.rawSpan)
      _ = try json.skipValue()
      try json.finish()
      return true
    } catch {
      return false
    }
  }
}

extension Record {
  /// What cannot be left out of a record of a span.
  var strippedToSpan: Record {
    var stripped = Record(
      id: id, time: time, sequence: sequence, session: session, level: level, event: event,
      message: "<redacted>")
    stripped.version = version
    stripped.span = span
    stripped.exit = exit
    stripped.duration = duration
    return stripped
  }
}
