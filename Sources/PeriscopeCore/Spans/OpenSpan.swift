public import SegmentIndex

/// A span that has begun and not ended.
public struct OpenSpan: Sendable, Equatable {
  /// The span's identity: `span` of its records.
  public let id: UniqueID
  /// What it is called.
  public let name: String
  /// The thing that it was begun for; nil for one that is measured.
  public let entity: String?
  /// The scopes where it began; the first is the primary one.
  public let scopes: [ScopeID]
  /// The span around it.
  public let parent: UniqueID?
  /// When it began, in nanoseconds since 1970.
  public let start: Int64
  /// How long it has lasted.
  public let elapsed: Duration
}
