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
  /// Where the last query went on, when there were more rows.
  private var next: (query: Query, text: String, cursor: QueryCursor)?
  /// A page that was shown.
  package struct ShownPage {
    /// Where the next one begins; nil when this was the last.
    package let next: QueryCursor?
  }

  /// What `runPage` has shown the last time; nil when it could not.
  package private(set) var shownPage: ShownPage?
  /// Waits a little between two looks at what is followed; false to end it.
  let pause: () -> Bool
  /// What `--strict` and `--exit-match` ask for.
  let isStrict: Bool
  let exitsByMatch: Bool

  /// A runner as the options ask for it. Without a mode, a terminal gets log lines, anything else
  /// NDJSON; without a limit, a terminal gets 50 rows, anything else all.
  package init(
    _ options: Options, source: QuerySource, output: Output, errors: Output,
    zone: TimeZoneRules, environment: (String) -> String?, clock: @escaping () -> Int64,
    pause: @escaping () -> Bool = { false }
  ) {
    self.source = source
    self.output = output
    self.errors = errors
    self.zone = zone
    self.clock = clock
    self.pause = pause
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
  package mutating func run(_ text: String) -> ExitCode {
    next = nil
    return reporting(text) { runner in
      let query = try Query(text)
      return try runner.show(query, text, after: nil)
    }
  }

  /// Shows the rows after those of the last query.
  package mutating func showMore() -> ExitCode {
    guard let (query, text, cursor) = next else {
      errors.line("there are no more rows")
      return .done
    }
    next = nil
    return reporting(text) { try $0.show(query, text, after: cursor) }
  }

  /// Answers one page of a query; a query whose rows have no pages is refused.
  package mutating func runPage(_ text: String, after cursor: QueryCursor?) -> ExitCode {
    shownPage = nil
    return reporting(text) { runner in
      let query = try Query(text)
      let start = runner.clock()
      guard let rowLimit = runner.rowLimit, let page = runner.source.page else { return .usage }
      let result = try page(query, cursor, rowLimit)
      runner.write(result, of: query)
      runner.showFooter(
        result.summary, rowCount: result.rowCount, hasMore: result.summary.cursor != nil,
        elapsed: runner.clock() - start)
      runner.shownPage = ShownPage(next: result.summary.cursor)
      return runner.exitCode(result.summary, rowCount: result.rowCount)
    }
  }

  /// Tells how a query is answered.
  package mutating func explain(_ text: String) -> ExitCode {
    reporting(text) { runner in
      let explanation = try runner.source.explain(try Query(text))
      for line in explanation.split(separator: "\n") { runner.output.line("\(line)".terminalSafe) }
      runner.output.flush()
      return .done
    }
  }

  /// Shows what is new to a query, until it is interrupted.
  package mutating func follow(_ text: String) -> ExitCode {
    reporting(text) { runner in
      let query = try Query(text)
      let change = try runner.source.follow(query)
      var isFirst = true
      repeat {
        guard let change = try change() else { continue }
        if case .replaced = change, !isFirst { runner.output.line() }
        isFirst = false
        runner.write(change.result, of: query)
        runner.showRemarks(change.result.summary)
      } while runner.pause()
      return .done
    }
  }

  /// Runs `body`, and says why it fails.
  private mutating func reporting(
    _ text: String, _ body: (inout QueryRunner) throws -> ExitCode
  ) -> ExitCode {
    do {
      return try body(&self)
    } catch let diagnostics as Diagnostics {
      errors.line(diagnostics.rendered(query: text))
      return diagnostics.exitCode
    } catch {
      errors.line("pql-repl: \("\(error)".terminalSafe)")
      return .unavailable
    }
  }

  private mutating func show(
    _ query: Query, _ text: String, after cursor: QueryCursor?
  ) throws -> ExitCode {
    let start = clock()
    if let (summary, count) = try streamed(query) {
      next = nil
      output.flush()
      showFooter(summary, rowCount: count, hasMore: false, elapsed: clock() - start)
      return exitCode(summary, rowCount: count)
    }
    let (result, hasMore) = try page(of: query, after: cursor) ?? answer(query)
    next = result.summary.cursor.map { (query, text, $0) }
    write(result, of: query)
    showFooter(
      result.summary, rowCount: result.rowCount, hasMore: hasMore, elapsed: clock() - start)
    return exitCode(result.summary, rowCount: result.rowCount)
  }

  private func exitCode(_ summary: QuerySummary, rowCount: Int) -> ExitCode {
    if summary.isCut { return .limit }
    if isStrict, !summary.isComplete { return .incomplete }
    return exitsByMatch && rowCount == 0 ? .noMatch : .done
  }

  /// Writes the records of an answer without a limit as they are found, where the mode shows each by itself; nil, and
  /// nothing is written, when the answer has to be had as a whole.
  private func streamed(_ query: Query) throws -> (QuerySummary, rowCount: Int)? {
    guard rowLimit == nil, mode == .ndjson || mode == .log else { return nil }
    let renderer = ResultRenderer(mode: mode, zone: zone, style: outputStyle)
    var count = 0
    let summary = try source.stream(query) { records in
      count += records.count
      renderer.write(records, to: output)
    }
    return summary.map { ($0, count) }
  }

  private func write(_ result: QueryResult, of query: Query) {
    let isTimeline =
      if case .timeline = query.tree.stages.last?.kind { true } else { false }
    ResultRenderer(mode: mode, zone: zone, style: outputStyle, hasBars: isTimeline)
      .write(result, to: output)
    output.flush()
  }

  /// The first rows, or those after the cursor; nil when the query's rows have no pages.
  private func page(
    of query: Query, after cursor: QueryCursor?
  ) throws -> (QueryResult, hasMore: Bool)? {
    guard let rowLimit, let page = source.page else { return nil }
    do {
      let result = try page(query, cursor, rowLimit)
      return (result, result.summary.cursor != nil)
    } catch let diagnostics as Diagnostics
      where diagnostics.all[0].code == .wrongCursor && cursor == nil
    {
      return nil
    }
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
      rows = .table(columns: columns, rows: table.prefix(rowLimit))
    default:
      return false
    }
    return true
  }

  /// Says how much was shown and what is missing. Counts are for people at a terminal; what is
  /// missing is for everyone.
  private func showFooter(
    _ summary: QuerySummary, rowCount: Int, hasMore: Bool, elapsed: Int64
  ) {
    if errors.isTerminal {
      var parts = ["\(grouped(rowCount)) \(rowCount == 1 ? "row" : "rows")"]
      if hasMore { parts[0] += ", and there are more" }
      if next != nil { parts[0] += ": .more" }
      if summary.segmentCount > 0 {
        let read = summary.segmentCount - summary.skippedSegmentCount
        parts.append("\(read) of \(summary.segmentCount) segments")
      }
      if summary.granuleCount > 0 {
        parts.append(
          "\(grouped(summary.scannedGranuleCount)) of \(grouped(summary.granuleCount)) granules")
      }
      if showsTime { parts.append(durationText(elapsed)) }
      errors.line(errorStyle(parts.joined(separator: " · "), .dim))
    }
    showRemarks(summary)
  }

  private func showRemarks(_ summary: QuerySummary) {
    for note in summary.notes { errors.line("note: \(note.terminalSafe)") }
    for gap in summary.gaps.prefix(10) { errors.line("gap: \(text(gap))") }
    if summary.gaps.count > 10 { errors.line("gap: and \(summary.gaps.count - 10) more") }
    if !summary.gaps.isEmpty {
      errors.line("note: counts are lower bounds, because data is missing")
    }
  }

  func text(_ gap: QuerySummary.Gap) -> String {
    var text = "\(gap.segment.terminalSafe): \(gap.cause.terminalSafe)"
    if let range = gap.timeRange {
      text += ", \(timeText(range.lowerBound, in: zone)) to \(timeText(range.upperBound, in: zone))"
    }
    if let count = gap.estimatedCount { text += ", about \(grouped(count)) records" }
    return text
  }
}

extension Diagnostics {
  /// How a program ends that was refused so.
  fileprivate var exitCode: ExitCode {
    switch all[0].code {
    case .outOfTime, .outOfMemory: .limit
    case .cancelled: .interrupted
    default: .usage
    }
  }
}
