public import SegmentIndex

/// A field of records, or a column of rows, whose values are of the type `Content`.
///
/// The type decides what the field can be compared with: `.duration > .seconds(2)` compiles, `.duration > 2`
/// does not.
public struct QueryField<Content: QueryContent>: Sendable {
  let expression: Expression

  init(_ expression: Expression) {
    self.expression = expression
  }

  init(_ field: Field) {
    let names = field.rawValue.split(separator: ".").map { Path.Segment.name(String($0)) }
    self.init(path: names)
  }

  init(path segments: [Path.Segment]) {
    self.init(Expression(.path(Path(segments, 0..<0)), 0..<0))
  }

  /// The column of this name, which a stage has made.
  ///
  /// - Precondition: the name is an ASCII letter or `_`, then letters, digits and `_`.
  public static func column(_ name: String) -> QueryField {
    precondition(isColumnName(name), "`\(name)` cannot name a column")
    return QueryField(path: [.name(name)])
  }
}

extension QueryField where Content == Variant {
  /// The tag of this key, which can be any text. What it holds differs from record to record.
  public static func tag(_ key: String) -> QueryField {
    QueryField(path: [.name("tag"), .name(key)])
  }

  /// A place in the payload: names of members, and indices of elements.
  public static func payload(_ path: PayloadStep...) -> QueryField {
    QueryField(path: [.name("payload")] + path.map(\.segment))
  }
}

/// One step into a payload's JSON: a member's name or an element's index.
public struct PayloadStep: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  let segment: Path.Segment

  /// The member of this name.
  public init(_ name: String) {
    segment = .name(name)
  }

  /// The element at this index, which counts from 0.
  public init(_ index: Int) {
    precondition(index >= 0, "elements count from 0")
    segment = .index(index)
  }

  /// The member of this name.
  public init(stringLiteral name: String) {
    self.init(name)
  }

  /// The element at this index.
  public init(integerLiteral index: Int) {
    self.init(index)
  }
}

// MARK: The fields of records

extension QueryField where Content == UniqueID {
  /// Identifies the record.
  public static var id: QueryField { QueryField(.id) }
  /// The run of the program that logged it.
  public static var session: QueryField { QueryField(.session) }
  /// The span that it begins, ends or belongs to.
  public static var span: QueryField { QueryField(.span) }
}

extension QueryField where Content == QueryTime {
  /// When the record was logged.
  public static var time: QueryField { QueryField(.time) }
  /// When the record's session began.
  public static var sessionStart: QueryField { QueryField(.sessionStart) }

  /// The beginning of the bin of this width that the time is in; days are calendar days.
  public func bin(_ width: Duration) -> QueryField {
    QueryField(
      Expression(.call("bin", [expression, width.queryLiteral]), 0..<0))
  }
}

extension QueryField where Content == LogLevel {
  /// How serious the record is.
  public static var level: QueryField { QueryField(.level) }
}

extension QueryField where Content == Duration {
  /// How long the span took that the record ends.
  public static var duration: QueryField { QueryField(.duration) }
}

extension QueryField where Content == Int64 {
  /// The record's place in its session's order.
  public static var sequence: QueryField { QueryField(.sequence) }
  /// The version of the event's payload.
  public static var version: QueryField { QueryField(.version) }
  /// The line that logged.
  public static var line: QueryField { QueryField(.line) }
  /// How many attachments the record has; missing when there are none.
  public static var attachments: QueryField { QueryField(.attachments) }
}

extension QueryField where Content == String {
  /// The event's stable name.
  public static var event: QueryField { QueryField(.event) }
  /// What a person reads.
  public static var message: QueryField { QueryField(.message) }
  /// The record's scopes; a test asks whether one of them passes.
  public static var scope: QueryField { QueryField(.scope) }
  /// How the span ended.
  public static var exit: QueryField { QueryField(.exit) }
  /// Why the span ended so.
  public static var reason: QueryField { QueryField(.reason) }
  /// The function that logged.
  public static var function: QueryField { QueryField(.function) }
  /// The source file that logged.
  public static var file: QueryField { QueryField(.file) }
  /// The program's own identity for the event.
  public static var externalID: QueryField { QueryField(.extid) }
  /// The program of the session and its version.
  public static var sessionApp: QueryField { QueryField(.sessionApp) }
  /// The operating system of the session and its version.
  public static var sessionOS: QueryField { QueryField(.sessionOS) }
  /// The machine of the session.
  public static var sessionDevice: QueryField { QueryField(.sessionDevice) }
}
