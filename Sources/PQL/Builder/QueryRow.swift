public import SegmentIndex

/// One row of an answer, a record or a row of a table, whose values are read by name or by typed field.
public struct QueryRow: Sendable {
  private enum Content: Sendable {
    case record(RecordRow)
    case row([String], [Value?])
  }

  private let content: Content

  fileprivate init(_ record: Record) {
    content = .record(RecordRow(record: record, sessions: SessionTable([])))
  }

  fileprivate init(_ columns: [String], _ values: [Value?]) {
    content = .row(columns, values)
  }

  /// The record; nil when the query made rows of the records.
  public var record: Record? {
    if case .record(let row) = content { row.record } else { nil }
  }

  /// The value of the column of this name, or of a record's field as a query writes it: `level`,
  /// `tag.user`, `payload.items[0].sku`. Nil when it is missing. What is known of sessions beyond their
  /// identity is not part of a record.
  public subscript(name: String) -> Value? {
    switch content {
    case .row(let columns, let values):
      return columns.firstIndex { $0.isSameText(as: name) }.flatMap { values[$0] }
    case .record(let row):
      return FieldReference(name: name).flatMap(row.value)
    }
  }

  /// The value of the field or column; nil when it is missing or of another type.
  public subscript<Content>(field: QueryField<Content>) -> Content? {
    self[Printer.expression(field.expression)].flatMap(Content.init(queryValue:))
  }

  /// The names of the columns; of a record none, because it has as many as its tags and payload.
  public var columns: [String] {
    if case .row(let columns, _) = content { columns } else { [] }
  }
}

extension QueryResult {
  /// The rows, in the query's order, to be read value by value.
  public var typedRows: [QueryRow] {
    switch rows {
    case .records(let records): records.map { QueryRow($0) }
    case .table(let columns, let rows): rows.map { QueryRow(columns, $0) }
    }
  }
}

extension FieldReference {
  /// The field of a record that a query writes like this; nil when there is none.
  fileprivate init?(name: String) {
    if let field = Field(rawValue: name) {
      self = .field(field)
      return
    }
    guard let path = Parser.path(name), case .name(let first) = path.segments[0] else { return nil }
    let rest = Array(path.segments.dropFirst())
    switch first {
    case "tag":
      let names = rest.compactMap { if case .name(let name) = $0 { name } else { nil } }
      guard !names.isEmpty, names.count == rest.count else { return nil }
      self = .tag(names.joined(separator: "."))
    case "payload" where !rest.isEmpty: self = .payload(rest)
    default: return nil
    }
  }
}
