import PeriscopeCore

/// Logs what comes through swift-log into a Periscope store.
struct PeriscopeLogHandler: LogHandler {
  private let log: Log<Message>
  var metadata: Logger.Metadata = [:]
  var metadataProvider: Logger.MetadataProvider?
  var logLevel: Logger.Level = .info

  /// A handler for `Logger(label:)`: a label such as `org.example.shop` is the scope of that name.
  init(_ store: PeriscopeStore, label: String, metadataProvider: Logger.MetadataProvider? = nil) {
    log = store.log(label)
    self.metadataProvider = metadataProvider
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: Logging.LogEvent) {
    var all = metadata
    all.merge(metadataProvider?.get() ?? [:]) { $1 }
    all.merge(event.metadata ?? [:]) { $1 }
    var log = log.tagged("source", event.source)
    if let error = event.error {
      log = log.tagged("error", "\(error)").tagged("error_type", "\(type(of: error))")
    }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) {
      if case .stringConvertible(let number as any LogTagConvertible) = value {
        log = log.tagged(LogTagKey(key), number)
      } else {
        log = log.tagged(LogTagKey(key), value.description)
      }
    }
    log.log(
      Self.level(event.level), LogMessage(event.message.description), function: event.function,
      file: event.file, line: Int(event.line))
  }

  private static func level(_ level: Logger.Level) -> LogLevel {
    switch level {
    case .trace: LogLevel("trace", severity: 50)
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    case .critical: .fault
    }
  }
}
