internal import JournalKit
package import SegmentIndex

extension Record {
  /// The record as one JSON object, which an import makes the same record of again.
  ///
  /// What the record lacks is left out, as is version 1. Two things read back differently: a tag
  /// that is NaN or an infinity, which JSON can only write as text, and JSON text in a tag that a
  /// simpler tag holds as well.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.bytes.reserveCapacity(256 + message.utf8.count + payload.count)
    json.beginObject()
    json.member(.id, id.description)
    json.member(.time, Timestamp(nanoseconds: time).iso8601)
    json.key(.sequence)
    json.value(sequence)
    json.member(.level, level.name)
    json.member(.severity, Int64(level.severity))
    json.member(.event, event)
    json.member(.version, version == 1 ? nil : version)
    json.member(.message, message)
    writeScopes(to: &json)
    json.member(.session, session.description)
    writeTags(to: &json)
    if !payload.isEmpty {
      json.key(.payload)
      json.raw(payload)
    }
    json.member(.span, span?.description)
    json.member(.exit, exit)
    json.member(.exitReason, exitReason)
    json.member(.duration, duration)
    json.member(.function, function)
    json.member(.file, file)
    json.member(.line, line)
    json.member(.externalID, externalID)
    json.endObject()
    return json.bytes
  }

  private func writeScopes(to json: inout JSONWriter) {
    guard !scopes.isEmpty else { return }
    json.key(.scopes)
    json.beginArray()
    for scope in scopes { json.value(scope) }
    json.endArray()
  }

  /// The tags as one JSON object.
  package var tagsJSON: [UInt8] {
    var json = JSONWriter()
    writeTagObject(to: &json)
    return json.bytes
  }

  private func writeTags(to json: inout JSONWriter) {
    guard !tags.isEmpty else { return }
    json.key(.tags)
    writeTagObject(to: &json)
  }

  private func writeTagObject(to json: inout JSONWriter) {
    json.beginObject()
    for tag in tags {
      json.key(tag.key)
      switch tag.value {
      case .string(let value): json.value(value)
      case .int(let value): json.value(value)
      case .double(let value): json.value(value)
      case .bool(let value): json.value(value)
      case .json(let text): json.raw(Array(text.utf8))
      }
    }
    json.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func key(_ field: NativeLine.Field) {
    key(field.name)
  }

  /// Writes a member unless it has no value.
  fileprivate mutating func member(_ field: NativeLine.Field, _ value: String?) {
    guard let value else { return }
    key(field)
    self.value(value)
  }

  fileprivate mutating func member(_ field: NativeLine.Field, _ value: Int64?) {
    guard let value else { return }
    key(field)
    self.value(value)
  }
}
