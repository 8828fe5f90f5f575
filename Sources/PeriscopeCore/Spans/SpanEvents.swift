import SegmentIndex

/// What the records of a span tell of it. They are named by their events: `SpanBegan`, `SpanResumed`, `SpanOverdue`,
/// `SpanEnded`; their `span` is its identity, and all but the last of a span have no `exit`.
struct SpanFields: Codable, Sendable {
  var name: String
  var entity: String?
  /// The span around it.
  var parent: UniqueID?
  /// How long it may last, in nanoseconds.
  var bound: Int64?
  /// Whether it outlives its process.
  var survives: Bool?
  /// When it began, in nanoseconds since 1970, where that is not the record's own time.
  var began: Int64?
  /// How long it should have taken, in nanoseconds.
  var budget: Int64?

  private enum Key: String, CodingKey {
    case name, entity, parent, bound, survives, began, budget
  }

  init(_ span: SpanRegistry.Entry) {
    name = span.name
    entity = span.entity
    parent = span.parent
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    name = try values.decode(String.self, forKey: .name)
    entity = try values.decodeIfPresent(String.self, forKey: .entity)
    parent = try values.decodeIfPresent(String.self, forKey: .parent).flatMap { UniqueID($0) }
    bound = try values.decodeIfPresent(Int64.self, forKey: .bound)
    survives = try values.decodeIfPresent(Bool.self, forKey: .survives)
    began = try values.decodeIfPresent(Int64.self, forKey: .began)
    budget = try values.decodeIfPresent(Int64.self, forKey: .budget)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(entity, forKey: .entity)
    try values.encodeIfPresent(parent?.description, forKey: .parent)
    try values.encodeIfPresent(bound, forKey: .bound)
    try values.encodeIfPresent(survives, forKey: .survives)
    try values.encodeIfPresent(began, forKey: .began)
    try values.encodeIfPresent(budget, forKey: .budget)
  }
}

/// The events of spans.
enum SpanEvent {
  static let began = "SpanBegan"
  /// A span that outlived its process is this one's now.
  static let resumed = "SpanResumed"
  static let overdue = "SpanOverdue"
  static let ended = "SpanEnded"
  /// Those that begin a span in a session, and the one that ends it, as a list in PQL.
  static let all = "\(began), \(resumed), \(ended)"
}
