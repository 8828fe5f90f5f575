import PeriscopeCore
import Synchronization

// The commands that open stores.

/// The stores that have been opened. They are never closed: the process ends soon, and then that costs nothing.
private let openReaders = Mutex<[StoreReader]>([])

extension Program {
  /// The store in `directory` as something that answers queries.
  func open(_ directory: String) throws -> QuerySource {
    var parameters: [String: Value] = [:]
    for parameter in options.parameters {
      parameters[parameter.name] = try parameter.value(in: zone)
    }
    let reader = try StoreReader(directory: directory)
    openReaders.withLock { $0.append(reader) }
    for problem in reader.problems { errors.line("problem: \("\(problem)".terminalSafe)") }
    let (values, zone) = (parameters, zone)
    // A person can stop a tool that takes too much; an answer that is cut short helps nobody.
    var limits = QueryLimits.unlimited
    limits.duration = options.timeout.map { .nanoseconds($0) }
    return QuerySource(
      answer: { [limits] in
        try reader.run(
          $0, parameters: values, zone: zone, limits: limits, cancellation: interruption)
      },
      stream: { [limits] query, body in
        try reader.stream(
          query, parameters: values, zone: zone, limits: limits, cancellation: interruption, body)
      },
      sessions: { try reader.sessions() },
      summary: { try summary(of: reader, in: directory, zone: zone) },
      page: { [limits] in
        try reader.page(
          of: $0, after: $1, limit: $2, parameters: values, zone: zone, limits: limits,
          cancellation: interruption)
      },
      explain: { [limits] in
        try reader.explain($0, parameters: values, zone: zone, limits: limits).description
      },
      follow: { [limits] in
        var changes = try reader.changes(of: $0, parameters: values, zone: zone, limits: limits)
        return { try changes.poll() }
      })
  }

  /// `import FILE... --into STORE`
  func importFiles(into directory: String) throws -> ExitCode {
    let clock = ContinuousClock()
    let start = clock.now
    let names = options.operands.prefix(3).joined(separator: ", ")
    let rest = options.operands.count > 3 ? ", ..." : ""
    let session = SessionInfo(
      id: UniqueID(), start: currentTime(), app: "import of \(names)\(rest)")
    let command = try ImportCommand(files: options.operands, errors: errors)
    let importer = try LogImporter(into: directory, session: session)
    let run = try command.run(importer.reader(now: session.start)) { try importer.add($0) }
    try importer.finish()
    for line in importSummary(run, elapsed: clock.now - start) { errors.line(line) }
    return options.isStrict && run.badLineCount > 0 ? .incomplete : .done
  }

  /// `compact STORE`
  func compact(_ directory: String) throws -> ExitCode {
    let recovery = try PeriscopeStore.recover(
      directory: directory, retention: options.retention)
    for line in recoveryLines(recovery) { errors.line(line) }
    return recovery.problems.isEmpty ? .done : .incomplete
  }
}

/// Lines about a store, for `.info`.
private func summary(
  of reader: StoreReader, in directory: String, zone: TimeZoneRules
) throws -> [String] {
  let counts = try reader.run(
    Query("| stats n = count(), oldest = min(time), newest = max(time)"), zone: zone)
  var lines = ["store     \(directory.terminalSafe)"]
  if case .table(_, let rows) = counts.rows, let row = rows.first {
    lines.append("records   \(row[0]?.text(in: zone) ?? "0")")
    if let first = row[1], let last = row[2] {
      lines.append("from      \(first.text(in: zone))")
      lines.append("to        \(last.text(in: zone))")
    }
  }
  lines.append("segments  \(counts.summary.segmentCount), with those of the journals")
  lines.append("sessions  \(try reader.sessions().count)")
  lines.append("gaps      \(counts.summary.gaps.count)")
  return lines
}

/// What recovering journals brought to light.
func recoveryLines(_ recovery: RecoverySummary) -> [String] {
  var lines: [String] = []
  for journal in recovery.journals {
    let app = journal.session.map { $0.app.isEmpty ? "\($0.id)" : $0.app } ?? "an unknown session"
    var line = "\(grouped(journal.recordCount)) records of \(app.terminalSafe)"
    line += journal.wasClosed ? ", which closed its store" : ", which died"
    if journal.foundTornEntry { line += " in the middle of a log call" }
    lines.append(line)
    for gap in journal.gaps {
      let count = gap.missing.map { "\($0) records" } ?? "an unknown number of records"
      lines.append("  missing: \(count) of \(gap.file.terminalSafe)")
    }
  }
  if lines.isEmpty { lines.append("there was nothing to fold") }
  return lines + recovery.problems.map { "problem: \("\($0)".terminalSafe)" }
}

extension Program {
  /// `verify STORE`
  func verify(_ directory: String) throws -> ExitCode {
    let report = try PeriscopeStore.verify(directory: directory)
    for problem in report.problems { output.line("\(problem)".terminalSafe) }
    for gap in report.gaps {
      let count = gap.missing.map { grouped(Int(clamping: $0)) } ?? "an unknown number of"
      output.line("known to be missing: \(count) records of \(gap.file.terminalSafe)")
    }
    output.line(
      "checked \(grouped(report.recordCount)) records in \(grouped(report.segmentCount)) segments "
        + "(\(megabytes(Int(clamping: report.byteCount)))), and \(grouped(report.entryCount)) entries "
        + "in \(grouped(report.journalCount)) journals")
    if report.quarantinedCount > 0 {
      output.line("\(grouped(report.quarantinedCount)) damaged files are kept in the quarantine")
    }
    let isSound = report.problems.isEmpty
    output.line(isSound ? "every byte is as it was written" : "the store is damaged")
    return isSound ? .done : .incomplete
  }
}
