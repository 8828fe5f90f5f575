package import PeriscopeCore

/// Reads logs into a store, line by line, and keeps count.
package struct ImportRun {
  /// Bad lines that are reported one by one; further ones are only counted.
  package static let reportLimit = 10

  package private(set) var recordCount = 0
  package private(set) var lineCount = 0
  package private(set) var byteCount = 0
  package private(set) var badLineCount = 0
  /// Records that had no time of their own.
  package var undatedCount: Int { importer.undatedCount }

  private var importer: LineImporter
  private var splitter = LineSplitter()
  /// What the file being read is called.
  private var name = ""
  private let report: (String) -> Void

  /// - Parameters:
  ///   - session: of lines that name none.
  ///   - now: nanoseconds since 1970, for lines before the first one with a time.
  ///   - report: shows a line of text about a bad line.
  package init(session: UniqueID, now: Int64, report: @escaping (String) -> Void) {
    importer = LineImporter(session: session, defaultTime: now)
    self.report = report
  }

  /// Begins another file.
  package mutating func begin(_ name: String) {
    self.name = name
    splitter = LineSplitter()
  }

  /// Takes the next piece of the file, and hands every record in it to `add`.
  package mutating func append<E>(
    _ chunk: RawSpan, _ add: (Record) throws(E) -> Void
  ) throws(E) {
    byteCount += chunk.byteCount
    var splitter = takeSplitter()
    defer { self.splitter = splitter }
    try splitter.append(chunk) { line, number throws(E) in
      try self.add(line, number, add)
    }
  }

  /// Ends the file.
  package mutating func end<E>(_ add: (Record) throws(E) -> Void) throws(E) {
    var splitter = takeSplitter()
    try splitter.finish { line, number throws(E) in
      try self.add(line, number, add)
    }
  }

  /// The splitter, which leaves `self` while it runs: its lines change the rest of `self`.
  private mutating func takeSplitter() -> LineSplitter {
    var taken = LineSplitter()
    swap(&taken, &splitter)
    return taken
  }

  private mutating func add<E>(
    _ line: RawSpan?, _ number: Int, _ add: (Record) throws(E) -> Void
  ) throws(E) {
    lineCount += 1
    guard let line else {
      reject("\(name):\(number): the line is longer than \(splitter.lengthLimit) bytes")
      return
    }
    let record: Record?
    do throws(ImportError) {
      record = try importer.record(fromLine: line, lineNumber: number)
    } catch {
      reject("\(name):\(error)")
      return
    }
    guard let record else { return }
    recordCount += 1
    try add(record)
  }

  private mutating func reject(_ message: String) {
    badLineCount += 1
    if badLineCount <= Self.reportLimit { report(message) }
    if badLineCount == Self.reportLimit { report("further bad lines are only counted") }
  }
}
