/// How serious a record is: a name and a number that orders it among the others.
///
/// The six standard levels leave room between them, so a program can define its own, such as
/// `LogLevel("trace", severity: 50)`. Code that reads levels compares severities and never switches
/// over "all levels".
public struct LogLevel: Hashable, Sendable, Comparable {
  /// Lower-case by convention; two levels are the same when name and severity are.
  public let name: String
  /// Orders levels; the standard ones are 100 to 600.
  public let severity: Int32

  /// A level.
  public init(_ name: String, severity: Int32) {
    self.name = name
    self.severity = severity
  }

  /// Details that only help while developing. Severity 100.
  public static var debug: LogLevel { LogLevel("debug", severity: 100) }
  /// The ordinary course of events. Severity 200.
  public static var info: LogLevel { LogLevel("info", severity: 200) }
  /// Ordinary, but worth noticing. Severity 300.
  public static var notice: LogLevel { LogLevel("notice", severity: 300) }
  /// Unexpected, and handled. Severity 400.
  public static var warning: LogLevel { LogLevel("warning", severity: 400) }
  /// An operation failed. Severity 500.
  public static var error: LogLevel { LogLevel("error", severity: 500) }
  /// The program itself is wrong. Severity 600.
  public static var fault: LogLevel { LogLevel("fault", severity: 600) }

  /// The six standard levels, mildest first.
  public static let standard: [LogLevel] = [.debug, .info, .notice, .warning, .error, .fault]

  /// Orders by severity, then by name, so that the order is total.
  public static func < (left: LogLevel, right: LogLevel) -> Bool {
    (left.severity, left.name) < (right.severity, right.name)
  }
}
