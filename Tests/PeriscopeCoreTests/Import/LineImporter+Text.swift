import JournalKit
import PQL
import PeriscopeCore
import SegmentIndex

extension LineImporter {
  static let testSession = UniqueID(bits: 0x5e55)
  static let testTime: Int64 = 1_700_000_000_000_000_000

  init() {
    self.init(session: Self.testSession, context: Context(lastTime: Self.testTime))
  }

  /// The record of a line, as it comes out of a segment; nil when the line is blank.
  mutating func record(
    fromLine line: RawSpan, lineNumber: Int
  ) throws -> Record? {
    var batch = RecordBatch()
    try read(line, lineNumber: lineNumber, into: &batch)
    guard batch.count > 0 else { return nil }
    var builder = SegmentBuilder()
    builder.append(batch, rows: 0..<batch.count)
    return try Segment(bytes: builder.finish(), name: "test").record(at: 0)
  }

  /// The record of a line given as text.
  mutating func record(_ line: String, lineNumber: Int = 1) throws -> Record? {
    try record(fromLine: Array(line.utf8).rawSpan, lineNumber: lineNumber)
  }

  /// The record of a single line; a blank one is an error here.
  static func record(_ line: String) throws -> Record {
    var importer = LineImporter()
    guard let record = try importer.record(line)
    else { throw ImportError(line: 1, offset: 0, reason: "blank") }
    return record
  }
}

extension Record {
  /// The record as a line that Periscope prints.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.value(self)
    return writer.bytes
  }

  /// The value of a tag.
  func tag(_ key: String) -> LogTagValue? {
    tags.first { $0.key == key }?.value
  }

  var payloadText: String { String(decoding: payload, as: UTF8.self) }
}
