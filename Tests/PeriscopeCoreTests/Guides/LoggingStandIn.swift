// What the listing of `docs/guides/swift-log.md` needs of swift-log 1.15, which this package does not depend on: the same
// names with the same types, and nothing behind them.

protocol LogHandler: Sendable {
  var metadataProvider: Logger.MetadataProvider? { get set }
  var metadata: Logger.Metadata { get set }
  var logLevel: Logger.Level { get set }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? { get set }
  func log(event: Logging.LogEvent)
}

/// The module's name, by which its `LogEvent` is told from Periscope's.
enum Logging {
  struct LogEvent: Sendable {
    var level: Logger.Level
    var message: Logger.Message
    var error: (any Error)?
    var metadata: Logger.Metadata?
    var source: String
    var file: String
    var function: String
    var line: UInt
  }
}

struct Logger {
  enum Level: CaseIterable, Sendable {
    case trace, debug, info, notice, warning, error, critical
  }

  struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Sendable {
    let description: String

    init(stringLiteral text: String) {
      description = text
    }
  }

  typealias Metadata = [String: MetadataValue]

  enum MetadataValue: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    case string(String)
    case stringConvertible(any CustomStringConvertible & Sendable)
    case dictionary(Metadata)
    case array([MetadataValue])

    init(stringLiteral text: String) {
      self = .string(text)
    }

    var description: String {
      switch self {
      case .string(let text): text
      case .stringConvertible(let value): value.description
      case .dictionary(let values): "\(values.mapValues(\.description))"
      case .array(let values): "\(values.map(\.description))"
      }
    }
  }

  struct MetadataProvider: Sendable {
    private let provide: @Sendable () -> Metadata

    init(_ provide: @escaping @Sendable () -> Metadata) {
      self.provide = provide
    }

    func get() -> Metadata { provide() }
  }
}
