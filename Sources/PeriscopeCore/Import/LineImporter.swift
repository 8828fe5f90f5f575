internal import JournalKit
package import SegmentIndex

/// Turns the lines of a log, each one JSON object, into records, whoever wrote them.
///
/// The convention is told from every line by itself and never asked for, so that a file may mix
/// several. A line that Periscope wrote becomes the record that it was; for any other, the names of
/// its keys say what they mean, and what has no meaning is kept as tags and payload.
/// `docs/import.md` has the rules.
package struct LineImporter: Sendable {
  /// The session of lines that do not name one.
  package let session: UniqueID
  /// How many records had no time of their own and got the one of the line before.
  package private(set) var undatedCount = 0
  private var lastSequence: UInt64 = 0
  private var lastTime: Int64
  private var meanings = KeyMeanings()

  /// An importer that begins a log.
  ///
  /// - Parameter defaultTime: nanoseconds since 1970, for lines before the first one with a time.
  package init(session: UniqueID, defaultTime: Int64) {
    self.session = session
    lastTime = defaultTime
  }

  /// The record of a line, with or without the bytes that end it; nil when it is blank.
  ///
  /// - Parameter lineNumber: the line's place in its source, from 1; only for errors.
  package mutating func record(
    fromLine line: RawSpan, lineNumber: Int
  ) throws(ImportError) -> Record? {
    let start = line.byteOrderMarkLength
    let text = line.extracting(start..<line.byteCount)
    guard !text.isBlank else { return nil }
    do throws(JSONError) {
      if text.isASCII { return try record(text) }
      // A payload is kept as it is written, so what is not UTF-8 must be repaired before.
      return try record(Array(text.repairedString().utf8).rawSpan)
    } catch {
      throw ImportError(line: lineNumber, offset: start + error.offset, reason: error.reason)
    }
  }

  private mutating func record(_ text: RawSpan) throws(JSONError) -> Record {
    let sequence = lastSequence + 1
    let native = try NativeLine.record(text, sequence: sequence)
    let record = if let native { native } else { try foreignRecord(text, sequence: sequence) }
    lastSequence = sequence
    lastTime = record.time
    return record
  }

  private mutating func foreignRecord(
    _ text: RawSpan, sequence: UInt64
  ) throws(JSONError) -> Record {
    var line = try ForeignLine(text, meanings: &meanings)
    let parts = line.takeParts()
    if parts.time == nil { undatedCount += 1 }
    var record = Record(
      id: UniqueID(session: session, sequence: sequence),
      time: parts.time?.nanoseconds ?? lastTime, sequence: sequence, session: session,
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
    for index in 0..<byteCount where !([0x20, 0x09, 0x0a, 0x0d] as [UInt8]).contains(self[index]) {
      return false
    }
    return true
  }
}
