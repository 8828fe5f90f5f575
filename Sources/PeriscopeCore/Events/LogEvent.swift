public import SegmentIndex

/// Something that a program logs: typed fields, and how they read.
///
/// ```swift
/// struct PhotoImported: LogEvent {
///   static let eventName = "photo.imported"
///   var album: String
///   var count: Int
///   var message: String { "imported \(count) photos into \(album)" }
/// }
/// ```
///
/// The fields are stored as JSON and can be queried as `payload.album`; the name and version survive
/// renames of the Swift type.
public protocol LogEvent: Codable, Sendable {
  /// The names of the spans that logs of this event measure: an enumeration of strings, or any text unless given.
  associatedtype SpanName: RawRepresentable<String> & Sendable = LogSpanName
  /// The name that the store keeps, such as `photo.imported`. Never change it once it has shipped.
  static var eventName: String { get }
  /// Counts incompatible changes of the fields; 1 unless given.
  static var eventVersion: Int { get }
  /// The name of the scope that `log(Event.self)` derives; the type's own name unless given.
  static var scopeName: String { get }
  /// Whether a sink that falls behind gets this event even when others are dropped; false unless given. Of such events,
  /// sixteen times as many wait for a sink as of others; only then are they dropped as well, and counted.
  static var isProtectedFromDropping: Bool { get }
  /// How serious this event is; `.info` unless given.
  var level: LogLevel { get }
  /// What a person reads.
  var message: String { get }
  /// The caller's own identity for the event, found by `extid = ...`; nil unless given.
  var externalID: String? { get }
}

extension LogEvent {
  /// The first version.
  public static var eventVersion: Int { 1 }
  /// The type's own name.
  public static var scopeName: String { String(describing: Self.self) }
  /// Sinks may lose ordinary events; the store does not.
  public static var isProtectedFromDropping: Bool { false }
  /// Ordinary events inform.
  public var level: LogLevel { .info }
  /// None.
  public var externalID: String? { nil }
}
