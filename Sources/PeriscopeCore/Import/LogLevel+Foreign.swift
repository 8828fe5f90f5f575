internal import SegmentIndex

// The levels of other loggers. What has a standard counterpart becomes it; what lies outside the
// six keeps a name of its own, so that nothing becomes more or less serious on the way in.

extension LogLevel {
  /// Finer than `debug`. Severity 50.
  static let trace = LogLevel("trace", severity: 50)
  /// Someone must act at once. Severity 650.
  static let alert = LogLevel("alert", severity: 650)
  /// The system is unusable. Severity 700.
  static let emergency = LogLevel("emergency", severity: 700)

  /// The scale on which a number says how serious a line is.
  enum Scale {
    /// 0 (emergency) to 7 (debug).
    case syslog
    /// 1 (trace) to 24 (fatal), four steps a level.
    case openTelemetry
    /// Python's: 10 (debug) to 50 (critical).
    case python
    /// Told by the number: 0 to 7 is syslog, 10 to 60 is pino and bunyan, from 100 on it is a
    /// severity of Periscope.
    case any
  }

  /// The level that a logger calls `name`, in any case; nil when it is empty or no name at all. A
  /// name that nobody knows is a level of its own, as serious as `info`.
  init?(foreignName name: String) {
    guard (1...32).contains(name.utf8.count), !name.utf8.contains(where: { $0 <= 0x20 })
    else { return nil }
    let name = name.lowercased()
    self = LogLevel.foreignNames[name] ?? LogLevel(name, severity: LogLevel.info.severity)
  }

  /// The level of a `number` on a scale; nil when it is not on it.
  init?(number: Int64, scale: Scale) {
    let level: LogLevel? =
      switch scale {
      case .syslog: LogLevel.syslog(number)
      case .openTelemetry: LogLevel.openTelemetry(number)
      case .python: LogLevel.interpolated(number, LogLevel.pythonSteps)
      case .any:
        switch number {
        case 0...7: LogLevel.syslog(number)
        case 10...60: LogLevel.interpolated(number, LogLevel.pinoSteps)
        case 100...1_000: LogLevel.named(severity: Int32(number))
        default: nil
        }
      }
    guard let level else { return nil }
    self = level
  }

  private static func syslog(_ number: Int64) -> LogLevel? {
    let levels: [LogLevel] = [.emergency, .alert, .fault, .error, .warning, .notice, .info, .debug]
    return (0...7).contains(number) ? levels[Int(number)] : nil
  }

  private static func openTelemetry(_ number: Int64) -> LogLevel? {
    let levels: [LogLevel] = [.trace, .debug, .info, .warning, .error, .fault]
    return (1...24).contains(number) ? levels[Int(number - 1) / 4] : nil
  }

  private static let pinoSteps: [(Int64, LogLevel)] = [
    (10, .trace), (20, .debug), (30, .info), (40, .warning), (50, .error), (60, .fault),
  ]
  private static let pythonSteps: [(Int64, LogLevel)] = [
    (5, .trace), (10, .debug), (20, .info), (30, .warning), (40, .error), (50, .fault),
  ]

  /// The level at `number`, or one in proportion between its two neighbours: pino's custom level 35
  /// becomes `level35` with severity 300.
  private static func interpolated(_ number: Int64, _ steps: [(Int64, LogLevel)]) -> LogLevel? {
    for (lower, upper) in zip(steps, steps.dropFirst()) where number <= upper.0 {
      guard number > lower.0 else { return number == lower.0 ? lower.1 : nil }
      guard number < upper.0 else { return upper.1 }
      let span = Int64(upper.1.severity - lower.1.severity)
      let severity = Int64(lower.1.severity) + span * (number - lower.0) / (upper.0 - lower.0)
      return LogLevel("level\(number)", severity: Int32(severity))
    }
    return nil
  }

  /// The standard level of this severity, or an unnamed one.
  private static func named(severity: Int32) -> LogLevel {
    standard.first { $0.severity == severity } ?? LogLevel("level\(severity)", severity: severity)
  }

  private static let foreignNames: [String: LogLevel] = {
    let names: [(LogLevel, String)] = [
      (.trace, "trace trc verbose finer finest silly all"),
      (.debug, "debug dbg dbug fine d"),
      (.info, "info information informational inf config log i"),
      (.notice, "notice n"),
      (.warning, "warning warn wrn w"),
      (.error, "error err eror severe e"),
      (.fault, "fault critical crit fatal ftl panic dpanic f c"),
      (.alert, "alert"),
      (.emergency, "emergency emerg"),
    ]
    var levels: [String: LogLevel] = [:]
    for (level, list) in names {
      for name in list.split(separator: " ") { levels[String(name)] = level }
    }
    return levels
  }()
}
