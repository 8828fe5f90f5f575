internal import JournalKit
package import SegmentIndex

/// Turns the lines of a log, each one JSON object, into records, whoever wrote them.
///
/// The convention is told from every line by itself and never asked for, so that a file may mix
/// several. A line that Periscope wrote becomes the record that it was; for any other, the names of
/// its keys say what they mean, and what has no meaning is kept as tags and payload.
/// `docs/import.md` has the rules.
package struct LineImporter: Sendable {
  /// What lines depend on that came before them.
  package struct Context: Equatable, Sendable {
    /// The sequence of the last record.
    package var lastSequence: UInt64
    /// The time of the last record, in nanoseconds since 1970; nil while it is not known.
    package var lastTime: Int64?

    /// After `lastSequence` records; without a time for lines that have none unless `lastTime` is one.
    package init(lastSequence: UInt64 = 0, lastTime: Int64? = nil) {
      self.lastSequence = lastSequence
      self.lastTime = lastTime
    }
  }

  /// The session of lines that do not name one.
  package let session: UniqueID
  /// How many records had no time of their own and got the one of the line before.
  package private(set) var undatedCount = 0
  /// Whether a record needed the time of the line before when that was not known: it got 1970.
  package private(set) var missedTime = false
  /// What the next line depends on.
  package private(set) var context: Context
  private var meanings = KeyMeanings()
  private var habits = NativeLine.Habits()
  /// Whether all lines are known to be ASCII.
  private let isASCII: Bool

  /// An importer that goes on where `context` says; it begins a log with a time for lines before the first one
  /// that has one.
  package init(session: UniqueID, context: Context, isASCII: Bool = false) {
    self.isASCII = isASCII
    self.session = session
    self.context = context
  }

  /// Adds the record of a line, with or without the bytes that end it, to `batch`, unless it is blank.
  ///
  /// - Parameter lineNumber: the line's place in its source, from 1; only for errors.
  package mutating func read(
    _ line: RawSpan, lineNumber: Int, into batch: inout RecordBatch
  ) throws(ImportError) {
    guard line.byteCount <= LineBlock.lineLengthLimit else {
      throw ImportError(
        line: lineNumber, offset: LineBlock.lineLengthLimit,
        reason: "the line is longer than \(LineBlock.lineLengthLimit) bytes")
    }
    let start = line.byteOrderMarkLength
    let text = line.extracting(start..<line.byteCount)
    guard !text.isBlank else { return }
    do throws(JSONError) {
      if isASCII || text.isASCII {
        try read(text, into: &batch)
      } else {
        // A payload is kept as it is written, so what is not UTF-8 must be repaired before.
        try read(Array(text.repairedString().utf8).rawSpan, into: &batch)
      }
    } catch {
      throw ImportError(line: lineNumber, offset: start + error.offset, reason: error.reason)
    }
  }

  private mutating func read(_ text: RawSpan, into batch: inout RecordBatch) throws(JSONError) {
    let sequence = context.lastSequence + 1
    if try !NativeLine.read(text, sequence: sequence, &habits, into: &batch) {
      batch.append(try foreignRecord(text, sequence: sequence))
    }
    context.lastSequence = sequence
    context.lastTime = batch.last?.time
  }

  private mutating func foreignRecord(
    _ text: RawSpan, sequence: UInt64
  ) throws(JSONError) -> Record {
    var line = try ForeignLine(text, meanings: &meanings)
    let parts = line.takeParts()
    if parts.time == nil {
      undatedCount += 1
      if context.lastTime == nil { missedTime = true }
    }
    var record = Record(
      id: UniqueID(session: session, sequence: sequence),
      time: parts.time?.nanoseconds ?? context.lastTime ?? 0, sequence: sequence, session: session,
      level: parts.level ?? .info, event: parts.event ?? "imported", message: parts.message ?? "")
    record.scopes = parts.scope.map { [$0] } ?? []
    record.tags = parts.tags
    record.payload = parts.payload
    record.function = parts.function
    record.file = parts.file
    record.line = parts.line
    record.externalID = parts.externalID
    return record
  }
}

extension RawSpan {
  /// The length of the UTF-8 byte order mark that the bytes begin with; 0 when they do not.
  fileprivate var byteOrderMarkLength: Int {
    byteCount >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf ? 3 : 0
  }

  /// Whether no byte has its highest bit set; eight bytes are looked at together.
  fileprivate var isASCII: Bool {
    var at = 0
    while at <= byteCount - 8 {
      if littleEndian(UInt64.self, at: at) & 0x8080_8080_8080_8080 != 0 { return false }
      at += 8
    }
    while at < byteCount {
      if self[at] >= 0x80 { return false }
      at += 1
    }
    return true
  }

  /// Whether there is nothing but white space.
  fileprivate var isBlank: Bool {
    for index in 0..<byteCount {
      switch self[index] {
      case 0x20, 0x09, 0x0a, 0x0d: continue
      default: return false
      }
    }
    return true
  }
}
