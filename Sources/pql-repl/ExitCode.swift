/// How the program ends, as its exit code.
package enum ExitCode: Int32 {
  case done = 0
  /// `--exit-match`, and no row matched.
  case noMatch = 1
  /// The command line or a query is wrong.
  case usage = 2
  /// `--strict`, and the answer does not cover all data; or a verification found damage, or an
  /// import skipped lines.
  case incomplete = 3
  /// A store or a file cannot be opened, read or written, or the output cannot be written.
  case unavailable = 4
  /// A limit or the time ran out.
  case limit = 5
  /// Interrupted: what a shell makes of the signal.
  case interrupted = 130
}

/// Why a command line means nothing.
package struct UsageError: Error, Equatable {
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}

/// Why a command had to stop, for the person who gave it.
package struct CommandFailure: Error, Equatable {
  package let message: String
  package let status: ExitCode

  package init(_ message: String, _ status: ExitCode) {
    self.message = message
    self.status = status
  }
}
