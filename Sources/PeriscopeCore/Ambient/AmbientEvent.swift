import SegmentIndex

/// What happens to a program from outside: memory gets scarce, the network goes, somebody asks it to end.
///
/// An event that tells a state says what holds from now on. The newest state of each kind is put on every record as
/// the tag `ambient.<kind>`, so that `tag.ambient.memory = critical level >= error` finds what failed for want of memory.
///
/// ```swift
/// struct DoorChanged: AmbientEvent {
///   static let eventName = "door.changed"
///   static let ambientKind = "door"
///   var isOpen: Bool
///   var message: String { "the door is \(isOpen ? "open" : "closed")" }
///   var ambientState: String? { isOpen ? "open" : "closed" }
/// }
/// ```
public protocol AmbientEvent: LogEvent {
  /// What it is about, such as `memory`. One kind has one state at a time.
  static var ambientKind: String { get }
  /// What holds from now on, in a word; nil, unless given, for what merely happened.
  var ambientState: String? { get }
}

extension AmbientEvent {
  /// It happened, and nothing follows.
  public var ambientState: String? { nil }
}

/// How scarce something is.
public enum AmbientPressure: String, Codable, Sendable, Comparable {
  /// There is enough.
  case normal
  /// It gets scarce.
  case warning
  /// What needs more of it is about to fail.
  case critical

  /// Less pressure comes first.
  public static func < (left: AmbientPressure, right: AmbientPressure) -> Bool {
    left.rank < right.rank
  }

  private var rank: Int {
    switch self {
    case .normal: 0
    case .warning: 1
    case .critical: 2
    }
  }

  /// The level of an event that tells of it.
  var level: LogLevel {
    switch self {
    case .normal: .info
    case .warning: .warning
    case .critical: .error
    }
  }
}
