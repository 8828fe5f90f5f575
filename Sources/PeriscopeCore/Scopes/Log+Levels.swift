public import SegmentIndex

// Text messages at the standard levels. The text is not made when the level is below the floor.
extension Log {
  /// Logs a text at `level`.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.mayAccept(level) else { return }
    periscope.emit(level, place, CallSite(function: function, file: file, line: line), message)
  }

  /// Logs details that only help while developing.
  public func debug(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.debug, message(), function: function, file: file, line: line)
  }

  /// Logs the ordinary course of events.
  public func info(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.info, message(), function: function, file: file, line: line)
  }

  /// Logs what is ordinary, but worth noticing.
  public func notice(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.notice, message(), function: function, file: file, line: line)
  }

  /// Logs what was unexpected, and handled.
  public func warning(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.warning, message(), function: function, file: file, line: line)
  }

  /// Logs an operation that failed.
  public func error(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.error, message(), function: function, file: file, line: line)
  }

  /// Logs that the program itself is wrong. The record also survives power loss.
  public func fault(
    _ message: @autoclosure () -> LogMessage,
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.fault, message(), function: function, file: file, line: line)
  }
}
