#if canImport(os)
  import os
  public import SegmentIndex
  import Synchronization

  /// Passes records on to the system's log, under a category for each scope.
  public final class OSLogSink: LogSink {
    private let subsystem: String
    private let loggers = Mutex<[String: Logger]>([:])
    private static let loggerLimit = 256

    /// A sink for the subsystem, such as `org.example.shop`.
    public init(subsystem: String) {
      self.subsystem = subsystem
    }

    /// Logs the records. Their private values are gone already, so all of a text is public.
    public func receive(_ records: [Record]) {
      for record in records {
        let logger = logger(record.scopes.first ?? "")
        logger.log(level: Self.type(of: record.level), "\(record.message, privacy: .public)")
      }
    }

    private func logger(_ category: String) -> Logger {
      loggers.withLock { loggers in
        if let known = loggers[category] { return known }
        if loggers.count >= Self.loggerLimit { loggers = [:] }
        let logger = Logger(subsystem: subsystem, category: category)
        loggers[category] = logger
        return logger
      }
    }

    private static func type(of level: LogLevel) -> OSLogType {
      switch level.severity {
      case ..<LogLevel.info.severity: .debug
      case ..<LogLevel.notice.severity: .info
      case ..<LogLevel.error.severity: .default
      case ..<LogLevel.fault.severity: .error
      default: .fault
      }
    }
  }
#endif
