package import PQL
package import SegmentIndex

extension JSONWriter {
  /// Writes a value of a query's result for programs: times in ISO 8601, UTC; durations as
  /// nanoseconds and sizes as bytes; levels and identities as text.
  package mutating func value(_ value: Value) {
    switch value {
    case .bool(let value): self.value(value)
    case .int(let value), .duration(let value), .size(let value): self.value(value)
    case .double(let value): self.value(value)
    case .string(let value): self.value(value)
    case .time(let value): self.value(Timestamp(nanoseconds: value).iso8601)
    case .level(let value): self.value(value.name)
    case .uuid(let value): self.value(value.description)
    case .json(let text): raw(Array(text.utf8))
    case .list(let values):
      beginArray()
      for value in values { self.value(value) }
      endArray()
    }
  }
}

/// A row of a query's result as one JSON object; what is missing is left out.
package func jsonObject(columns: [String], row: [Value?]) -> [UInt8] {
  var json = JSONWriter()
  json.beginObject()
  for (column, value) in zip(columns, row) {
    guard let value else { continue }
    json.key(column)
    json.value(value)
  }
  json.endObject()
  return json.bytes
}
