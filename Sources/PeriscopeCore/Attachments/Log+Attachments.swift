public import SegmentIndex

// Texts and events with attachments. These are not made when the level is below the floor.
extension Log {
  /// Logs a text at `level`, with attachments.
  public func log(
    _ level: LogLevel, _ message: @autoclosure () -> LogMessage,
    attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.floors.accepts(level, at: place.paths) else { return }
    let site = CallSite(function: function, file: file, line: line)
    periscope.emit(level, place.attaching(attachments()), site, message)
  }

  /// Logs an event with attachments.
  public func callAsFunction(
    _ event: Event, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    guard periscope.floors.accepts(event.level, at: place.paths) else { return }
    let site = CallSite(function: function, file: file, line: line)
    periscope.emit(place.attaching(attachments()), site) { event }
  }

  /// Logs details that only help while developing, with attachments.
  public func debug(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(
      .debug, message(), attachments: attachments(), function: function, file: file, line: line)
  }

  /// Logs the ordinary course of events, with attachments.
  public func info(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.info, message(), attachments: attachments(), function: function, file: file, line: line)
  }

  /// Logs what is ordinary, but worth noticing, with attachments.
  public func notice(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(
      .notice, message(), attachments: attachments(), function: function, file: file, line: line)
  }

  /// Logs what was unexpected, and handled, with attachments.
  public func warning(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(
      .warning, message(), attachments: attachments(), function: function, file: file, line: line)
  }

  /// Logs an operation that failed, with attachments.
  public func error(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.error, message(), attachments: attachments(), function: function, file: file, line: line)
  }

  /// Logs that the program itself is wrong, with attachments. All of it also survives power loss.
  public func fault(
    _ message: @autoclosure () -> LogMessage, attachments: @autoclosure () -> [LogAttachment],
    function: String = #function, file: String = #fileID, line: Int = #line
  ) {
    log(.fault, message(), attachments: attachments(), function: function, file: file, line: line)
  }
}

extension LogPlace {
  /// The same place for one event with attachments.
  fileprivate func attaching(_ attachments: [LogAttachment]) -> LogPlace {
    var place = self
    place.attachments = AttachmentList(attachments.map(\.item)).json
    return place
  }
}
