internal import SegmentIndex

/// What a key of a foreign line means, told by its name alone.
///
/// Names are compared by their letters, digits and dots, without case: `severity_text`,
/// `severityText` and `SeverityText` are one. A nested member is looked up under its path joined
/// with dots, without a leading `attributes.` or `resource.`, so that `{"log":{"level":"warn"}}`
/// and `{"log.level":"warn"}` are one as well.
struct ForeignKey {
  /// The part of a record that the value becomes.
  enum Role: Equatable {
    case time(Timestamp.Unit?)
    case level(LogLevel.Scale)
    case message
    case event
    /// A logger's name, which becomes the scope.
    case logger
    case file
    case line
    case function
    case externalID
  }

  let role: Role
  /// Of several keys with one role the lowest rank is used.
  let rank: Int

  /// The meaning of the key at this path, its names joined with dots; nil when it has none.
  init?(path: String) {
    var name = ""
    for scalar in path.lowercased().unicodeScalars
    where ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "." {
      name.unicodeScalars.append(scalar)
    }
    for prefix in ["attributes.", "resource."] where name.hasPrefix(prefix) {
      name.removeFirst(prefix.count)
    }
    guard let key = ForeignKey.table[name] else { return nil }
    self = key
  }

  private init(role: Role, rank: Int) {
    self.role = role
    self.rank = rank
  }

  /// Every known name; within a role the better ones first, also across the role's rows.
  private static let names: [(Role, String)] = [
    (.time(nil), "time timestamp ts t date datetime eventtime asctime"),
    (.time(.nanoseconds), "timeunixnano"),
    (.time(.microseconds), "realtimetimestamp"),
    (.time(.nanoseconds), "observedtimeunixnano"),

    (.level(.any), "level lvl l log.level loglevel levelname severitytext severity"),
    (.level(.openTelemetry), "severitynumber"),
    (.level(.syslog), "priority syslog.severity"),
    (.level(.python), "levelno"),

    (.message, "message msg m body body.stringvalue shortmessage textpayload log text mt"),
    (.event, "event eventname event.name"),
    (
      .logger,
      """
      logger loggername logger.name log.logger name component syslogidentifier code.namespace \
      scope.name sourcecontext target module channel
      """
    ),
    (
      .file,
      "caller file filename source.file codefile code.file.path code.filepath log.origin.file.name"
    ),
    (.line, "line lineno source.line codeline code.line.number code.lineno log.origin.file.line"),
    (
      .function,
      "func function funcname source.function codefunc code.function.name code.function"
    ),
    (.externalID, "extid externalid"),
  ]

  private static let table: [String: ForeignKey] = {
    var table: [String: ForeignKey] = [:]
    for (role, list) in names {
      for name in list.split(separator: " ") {
        table[String(name)] = ForeignKey(role: role, rank: table.count)
      }
    }
    return table
  }()
}
