/// A conversation: lines in, answers out.
package struct Session {
  var runner: QueryRunner
  /// The next line; nil at the end of the input.
  private let readLine: () -> String?
  /// Whether a person types, and gets a prompt.
  private let isInteractive: Bool
  var isOver = false
  private var status = ExitCode.done
  /// How the command ended that is being run.
  private var commandStatus = ExitCode.done
  /// Called before each line: an interrupt meant for the last one must not end this.
  private let prepare: () -> Void

  package init(
    _ runner: QueryRunner, isInteractive: Bool, prepare: @escaping () -> Void = {},
    readLine: @escaping () -> String?
  ) {
    self.prepare = prepare
    self.runner = runner
    self.isInteractive = isInteractive
    self.readLine = readLine
  }

  /// Runs until the input ends or `.quit`. A person who mistypes goes on; a script's first error is
  /// its exit status, and its last words.
  package mutating func run() -> ExitCode {
    if isInteractive { runner.errors.line("Type a query, or .help; .quit or Ctrl-D leaves.") }
    while !isOver, let line = nextInput() {
      prepare()
      let result = perform(line)
      if result != .done, status == .done { status = result }
      if !isInteractive, result == .usage || result == .unavailable { break }
    }
    return isInteractive ? .done : status
  }

  /// A whole command or query. One that ends in `|` goes on in the next line.
  private func nextInput() -> String? {
    prompt("pql> ")
    guard var input = readLine() else {
      if isInteractive { runner.errors.line() }
      return nil
    }
    while input.last(where: { !$0.isWhitespace }) == "|" {
      prompt("...> ")
      guard let more = readLine() else { break }
      input += "\n" + more
    }
    return input
  }

  private func prompt(_ text: String) {
    guard isInteractive else { return }
    runner.errors.write(runner.errorStyle(text, .bold))
  }

  /// Runs one line: a command if it begins with a dot and a letter, else a query.
  package mutating func perform(_ line: String) -> ExitCode {
    let words = line.split(whereSeparator: \.isWhitespace)
    // A line of comment is no query; to the language it would be one for everything.
    guard let first = words.first, first.first != "#" else { return .done }
    guard first.first == ".", first.dropFirst().first?.isLetter == true else {
      return runner.run(line)
    }
    commandStatus = .done
    guard let command = DotCommand.all.first(where: { $0.name == first }) else {
      runner.errors.line("there is no \(first.terminalSafe); .help lists what there is")
      return .usage
    }
    do throws(UsageError) {
      // A query keeps its spaces.
      let rest = line.drop(while: \.isWhitespace).dropFirst(command.name.count)
      try command.run(&self, String(rest.drop(while: \.isWhitespace)))
      return commandStatus
    } catch {
      runner.errors.line("\(command.name): \(error.message)")
      return .usage
    }
  }

  /// Notes how the command that is being run ends.
  mutating func note(_ status: ExitCode) {
    commandStatus = status
  }
}
