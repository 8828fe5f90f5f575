package import PeriscopeCore

/// Reads logs into a store, and keeps count.
package struct ImportRun {
  /// Bad lines that are reported one by one; further ones are only counted.
  package static let reportLimit = LineBatch.problemLimit

  package private(set) var recordCount = 0
  package private(set) var lineCount = 0
  package private(set) var byteCount = 0
  package private(set) var badLineCount = 0
  /// Records that had no time of their own.
  package private(set) var undatedCount = 0

  private var reader: LogReader
  private let report: (String) -> Void

  /// - Parameter report: shows a line of text about a bad line.
  package init(_ reader: LogReader, report: @escaping (String) -> Void) {
    self.reader = reader
    self.report = report
  }

  /// Begins another file.
  package mutating func begin(_ name: String) {
    reader.begin(name)
  }

  /// Takes the next piece of the file, and hands records to `add`, in order; those of this piece may come later.
  package mutating func append<E>(
    _ chunk: RawSpan, _ add: (borrowing RecordBatch) throws(E) -> Void
  ) throws(E) {
    if let batch = reader.append(chunk) { try take(batch, add) }
  }

  /// Ends the file.
  package mutating func end() {
    reader.end()
  }

  /// Hands what has not come yet to `add`.
  package mutating func finish<E>(
    _ add: (borrowing RecordBatch) throws(E) -> Void
  ) throws(E) {
    while let batch = reader.next() { try take(batch, add) }
  }

  private mutating func take<E>(
    _ batch: LineBatch, _ add: (borrowing RecordBatch) throws(E) -> Void
  ) throws(E) {
    lineCount += batch.lineCount
    byteCount += batch.byteCount
    recordCount += batch.records.count
    undatedCount += batch.undatedCount
    for problem in batch.problems.prefix(max(0, Self.reportLimit - badLineCount)) {
      report("\(batch.source):\(problem)")
    }
    if badLineCount < Self.reportLimit, badLineCount + batch.badLineCount >= Self.reportLimit {
      report("further bad lines are only counted")
    }
    badLineCount += batch.badLineCount
    try add(batch.records)
  }
}
