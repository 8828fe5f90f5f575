public import SegmentIndex

// Text messages at the standard levels. The text is not made when the level is below the floor.
//
// The numbers of the levels stand here once more, so that a call below the floor need not even look for the level: it costs
// a load and a compare.
extension Log {
  /// Logs a text at `level`.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: level.severity) else { return }
    periscope.emit(level, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs details that only help while developing.
  public func debug(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 100) else { return }
    periscope.emit(.debug, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs the ordinary course of events.
  public func info(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 200) else { return }
    periscope.emit(.info, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs what is ordinary, but worth noticing.
  public func notice(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 300) else { return }
    periscope.emit(.notice, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs what was unexpected, and handled.
  public func warning(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 400) else { return }
    periscope.emit(.warning, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs an operation that failed.
  public func error(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 500) else { return }
    periscope.emit(.error, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs that the program itself is wrong. The record also survives power loss.
  public func fault(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(severity: 600) else { return }
    periscope.emit(.fault, place, CallSite(function: function, file: file, line: line), message)
  }
}
