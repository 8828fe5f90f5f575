internal import JournalKit
package import SegmentIndex

/// What came of some lines of a log.
package struct LineBatch: Sendable {
  /// Problems that are kept; further ones are only counted.
  package static let problemLimit = 10

  /// What the log is called.
  package let source: String
  /// The records, in order.
  package private(set) var records = RecordBatch()
  /// Lines, of which some may be blank.
  package let lineCount: Int
  package let byteCount: Int
  /// Records that had no time of their own.
  package let undatedCount: Int
  package private(set) var badLineCount = 0
  /// What is wrong with bad lines: each begins with the line's number and a colon.
  package private(set) var problems: [String] = []
  /// What the lines that follow depend on.
  let context: LineImporter.Context
  /// Whether a line needed the time of the one before when that was not known.
  let missedTime: Bool

  /// Reads the lines of `block`, the first of which is the one after so many others of its source.
  init(
    _ block: LineBlock, of source: String, after lineNumber: Int, session: UniqueID,
    context: LineImporter.Context
  ) {
    self.source = source
    lineCount = block.count
    byteCount = block.bytes.count
    var importer = LineImporter(
      session: session, context: context, isASCII: block.isASCII)
    var records = RecordBatch()
    records.reserveCapacity(byteCount: block.bytes.count, count: block.count)
    var problems: [String] = []
    var badLineCount = 0
    var number = lineNumber
    block.forEachLine { line in
      number += 1
      do throws(ImportError) {
        try importer.read(line, lineNumber: number, into: &records)
        return
      } catch {
        badLineCount += 1
        if problems.count < Self.problemLimit { problems.append("\(error)") }
      }
    }
    self.records = records
    self.problems = problems
    self.badLineCount = badLineCount
    undatedCount = importer.undatedCount
    missedTime = importer.missedTime
    self.context = importer.context
  }
}
