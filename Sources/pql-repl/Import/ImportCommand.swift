import PeriscopeCore

/// `import FILE... --into STORE`: reads files one after another, and says how far it is.
struct ImportCommand {
  private let files: [String]
  private let errors: Output
  /// The size of all files together; nil when one of them has none, as a pipe.
  private let totalByteCount: Int?

  /// Opens every file once, so that one which cannot be stops the import before it begins.
  init(files: [String], errors: Output) throws(CommandFailure) {
    self.files = files
    self.errors = errors
    var lengths: [Int?] = []
    for path in files { lengths.append(try InputFile(path: path).length) }
    // Only a progress line counts on it, so an overflow does no harm.
    totalByteCount = lengths.contains(nil) ? nil : lengths.compactMap(\.self).reduce(0, &+)
  }

  /// Reads all files, and hands their records to `add`.
  func run(
    _ reader: LogReader, _ add: (borrowing RecordBatch) throws -> Void
  ) throws -> ImportRun {
    let clock = ContinuousClock()
    let start = clock.now
    var run = ImportRun(reader) { report in
      errors.line((errors.isTerminal ? "\r\u{1b}[K" : "") + report.terminalSafe)
    }
    var progress = ProgressLine(totalByteCount: totalByteCount)
    for path in files {
      let file = try InputFile(path: path)
      run.begin(path == "-" ? "standard input" : path)
      let failure = try file.forEachChunk { chunk in
        try run.append(chunk, add)
        guard errors.isTerminal,
          let text = progress.text(
            records: run.recordCount, bytes: run.byteCount, elapsed: clock.now - start)
        else { return }
        // To the beginning of the line, which is cleared first.
        errors.write("\r\u{1b}[K\(text)")
      }
      run.end()
      if let failure { throw failure }
    }
    try run.finish(add)
    if errors.isTerminal { errors.write("\r\u{1b}[K") }
    return run
  }
}

/// What an import did, in a sentence or three.
func importSummary(_ run: ImportRun, elapsed: Duration) -> [String] {
  var lines = [
    "imported \(grouped(run.recordCount)) records from \(grouped(run.lineCount)) lines, "
      + "\(megabytes(run.byteCount)), at \(grouped(perSecond(run.recordCount, elapsed))) records/s"
  ]
  if run.undatedCount > 0 {
    lines.append(
      "\(grouped(run.undatedCount)) had no time of their own, and have that of the line before")
  }
  if run.badLineCount > 0 {
    lines.append("\(grouped(run.badLineCount)) lines are not JSON objects, and were skipped")
  }
  return lines
}
