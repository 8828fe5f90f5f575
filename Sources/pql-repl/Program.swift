import PeriscopeCore

/// The whole program: a command line in, an exit code out.
package struct Program {
  let options: Options
  let output: Output
  let errors: Output
  let zone: TimeZoneRules

  /// Runs a command line, given without the program's name.
  package static func run(_ arguments: [String], output: Output, errors: Output) -> ExitCode {
    let status = perform(arguments, output: output, errors: errors)
    output.flush()
    guard output.isIntact else {
      errors.line("pql-repl: the output could not be written; what there is of it is not all")
      return .unavailable
    }
    return status
  }

  private static func perform(
    _ arguments: [String], output: Output, errors: Output
  ) -> ExitCode {
    do {
      let options = try Options(arguments)
      if options.wantsHelp {
        output.write(helpText())
        return .done
      }
      if options.wantsVersion {
        output.line("pql-repl \(version)")
        return .done
      }
      // A query ends by itself, with its own message.
      if let timeout = options.timeout, options.command != .query { endAfter(nanoseconds: timeout) }
      let program = Program(
        options: options, output: output, errors: errors, zone: TimeZoneRules(options.zone))
      return try program.run()
    } catch let error as UsageError {
      errors.line("pql-repl: \(error.message.terminalSafe)")
      errors.line("Try pql-repl --help.")
      return .usage
    } catch let failure as CommandFailure {
      errors.line("pql-repl: \(failure.message.terminalSafe)")
      return failure.status
    } catch {
      errors.line("pql-repl: \("\(error)".terminalSafe)")
      return .unavailable
    }
  }

  private func run() throws -> ExitCode {
    switch options.command {
    case .query: try answer(open(options.store ?? ""), words: options.operands)
    case .import: try importFiles(into: options.target ?? "")
    case .verify: try verify(options.store ?? "")
    case .compact: try compact(options.store ?? "")
    case .demo: try demonstrate()
    }
  }

  // MARK: - Queries

  /// Answers what the options ask; without a query, what is asked at a prompt or on the input.
  func answer(_ source: QuerySource, words: [String]) throws -> ExitCode {
    let runner = runner(source)
    var queries = options.queries
    if !words.isEmpty { queries.append(words.joined(separator: " ")) }
    // At a prompt an empty line asks nothing, but here somebody has asked.
    queries = queries.map { $0.allSatisfy(\.isWhitespace) ? "*" : $0 }
    if let path = options.queryFile { queries += try lines(ofFile: path) }
    if let path = options.cursorFile {
      return try answerPage(runner, queries, CursorFile(path: path))
    }
    if options.follows {
      var follower = runner
      return follower.follow(queries.first ?? "*")
    }
    if options.explains { queries = (queries.isEmpty ? ["*"] : queries).map { ".explain " + $0 } }
    if !queries.isEmpty || options.queryFile != nil {
      var rest = queries[...]
      var session = Session(runner, isInteractive: false) { rest.popFirst() }
      return session.run()
    }
    if isTerminal(0) { catchInterrupts() }
    var session = Session(runner, isInteractive: isTerminal(0), prepare: { interruption.reset() }) {
      readLine()
    }
    return session.run()
  }

  /// Answers the page of the only query that the file says, and writes there where the next one begins.
  private func answerPage(
    _ runner: QueryRunner, _ queries: [String], _ file: CursorFile
  ) throws -> ExitCode {
    guard queries.count == 1, let query = queries.first, !options.follows, !options.explains else {
      throw UsageError("--cursor-file goes with one query, which is neither followed nor explained")
    }
    guard runner.rowLimit != nil else {
      throw UsageError("--cursor-file needs -n N, the rows of a page")
    }
    var runner = runner
    switch try file.place() {
    case .beginning: return try answer(query, after: nil)
    case .after(let cursor): return try answer(query, after: cursor)
    case .end:
      errors.line("note: there are no more rows; to begin again remove \(file.path.terminalSafe)")
      return options.exitsByMatch ? .noMatch : .done
    }

    func answer(_ query: String, after cursor: QueryCursor?) throws -> ExitCode {
      let status = runner.runPage(query, after: cursor)
      // After an error the file still says where the rows begin that nobody has seen.
      if let page = runner.shownPage { try file.write(page.next) }
      return status
    }
  }

  /// The lines of a file of queries, which end with a line feed or with a carriage return and one.
  private func lines(ofFile path: String) throws(CommandFailure) -> [String] {
    let bytes = try InputFile(path: path).contents(limit: 1 << 20)
    var lines: [String] = []
    for var line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard let text = String(validating: line, as: UTF8.self) else {
        throw CommandFailure("\(path):\(lines.count + 1): not UTF-8", .usage)
      }
      lines.append(text)
    }
    return lines
  }
}

extension Program {
  /// What runs queries as the options want it.
  func runner(_ source: QuerySource) -> QueryRunner {
    QueryRunner(
      options, source: source, output: output, errors: errors, zone: zone,
      environment: environmentVariable, clock: monotonicTime,
      pause: {
        pause(milliseconds: 200)
        return !interruption.isCancelled
      })
  }
}

/// The version of the program.
let version = "0.1.0"
