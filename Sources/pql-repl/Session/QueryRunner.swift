package import PeriscopeCore

/// Runs queries and shows their answers: rows on the output, and everything about them on the
/// errors.
package struct QueryRunner {
  let source: QuerySource
  let output: Output
  let errors: Output
  let zone: TimeZoneRules
  /// Styles of the two streams.
  let outputStyle: Style
  let errorStyle: Style
  /// Nanoseconds from some beginning, for showing how long a query took.
  let clock: () -> Int64

  var mode: Options.Mode
  /// The most rows that are shown; nil for all.
  var rowLimit: Int?
  /// Whether the footer says how long it took.
  var showsTime = true
  /// What `--strict` and `--exit-match` ask for.
  let isStrict: Bool
  let exitsByMatch: Bool

  /// A runner as the options ask for it. Without a mode, a terminal gets log lines, anything else
  /// NDJSON; without a limit, a terminal gets 50 rows, anything else all.
  package init(
    _ options: Options, source: QuerySource, output: Output, errors: Output,
    zone: TimeZoneRules, environment: (String) -> String?, clock: @escaping () -> Int64
  ) {
    self.source = source
    self.output = output
    self.errors = errors
    self.zone = zone
    self.clock = clock
    outputStyle = Style(
      options.color, isTerminal: output.isTerminal, environment: environment)
    errorStyle = Style(options.color, isTerminal: errors.isTerminal, environment: environment)
    mode = options.mode ?? (output.isTerminal ? .log : .ndjson)
    rowLimit = options.rowLimit ?? (output.isTerminal ? 50 : 0)
    if rowLimit == 0 { rowLimit = nil }
    isStrict = options.isStrict
    exitsByMatch = options.exitsByMatch
  }

  /// Answers one query.
  package func run(_ text: String) -> ExitCode {
    let start = clock()
    let result: QueryResult
    let hasMore: Bool
    var isTimeline = false
    do {
      let query = try Query(text)
      if case .timeline = query.tree.stages.last?.kind { isTimeline = true }
      (result, hasMore) = try answer(query)
    } catch let diagnostics as Diagnostics {
      errors.line(diagnostics.rendered(query: text))
      return .usage
    } catch {
      errors.line("pql-repl: \("\(error)".terminalSafe)")
      return .unavailable
    }
    ResultRenderer(mode: mode, zone: zone, style: outputStyle, hasBars: isTimeline)
      .write(result, to: output)
    output.flush()
    showFooter(result, hasMore: hasMore, elapsed: clock() - start)
    if result.summary.isCut { return .limit }
    if isStrict, !result.summary.isComplete { return .incomplete }
    return exitsByMatch && result.rowCount == 0 ? .noMatch : .done
  }

  /// The rows to show, and whether there are more: the query is asked to stop one row later.
  private func answer(_ query: Query) throws -> (QueryResult, hasMore: Bool) {
    // Nothing has more rows than the largest number.
    guard let rowLimit, rowLimit < .max, query.tree.stages.count < SyntaxLimits.standard.stageCount
    else {
      var result = try source.answer(query)
      let hasMore = cut(&result.rows)
      return (result, hasMore)
    }
    var result = try source.answer(limited(query, to: rowLimit + 1))
    let hasMore = cut(&result.rows)
    if hasMore, !result.summary.notes.isEmpty {
      // The notes speak of the row that is not shown, too.
      result = try source.answer(limited(query, to: rowLimit))
    }
    return (result, hasMore)
  }

  private func limited(_ query: Query, to count: Int) -> Query {
    let limit = Stage(.limit(Int64(count)), 0..<0)
    return Query(tree: QueryTree(filter: query.tree.filter, stages: query.tree.stages + [limit]))
  }

  /// Drops the rows beyond the limit; true if there were any.
  private func cut(_ rows: inout QueryResult.Rows) -> Bool {
    guard let rowLimit else { return false }
    switch rows {
    case .records(let records) where records.count > rowLimit:
      rows = .records(Array(records.prefix(rowLimit)))
    case .table(let columns, let table) where table.count > rowLimit:
      rows = .table(columns: columns, rows: Array(table.prefix(rowLimit)))
    default:
      return false
    }
    return true
  }

  /// Says how much was shown and what is missing. Counts are for people at a terminal; what is
  /// missing is for everyone.
  private func showFooter(_ result: QueryResult, hasMore: Bool, elapsed: Int64) {
    let summary = result.summary
    if errors.isTerminal {
      var parts = ["\(grouped(result.rowCount)) \(result.rowCount == 1 ? "row" : "rows")"]
      if hasMore { parts[0] += ", and there are more" }
      if summary.segmentCount > 0 {
        let read = summary.segmentCount - summary.skippedSegmentCount
        parts.append("\(read) of \(summary.segmentCount) segments")
      }
      if showsTime { parts.append(durationText(elapsed)) }
      errors.line(errorStyle(parts.joined(separator: " · "), .dim))
    }
    for note in summary.notes { errors.line("note: \(note.terminalSafe)") }
    for gap in summary.gaps.prefix(10) { errors.line("gap: \(text(gap))") }
    if summary.gaps.count > 10 { errors.line("gap: and \(summary.gaps.count - 10) more") }
    if !summary.gaps.isEmpty {
      errors.line("note: counts are lower bounds, because data is missing")
    }
  }

  private func text(_ gap: QuerySummary.Gap) -> String {
    var text = "\(gap.segment.terminalSafe): \(gap.cause.terminalSafe)"
    if let range = gap.timeRange {
      text += ", \(timeText(range.lowerBound, in: zone)) to \(timeText(range.upperBound, in: zone))"
    }
    if let count = gap.estimatedCount { text += ", about \(grouped(count)) records" }
    return text
  }
}
