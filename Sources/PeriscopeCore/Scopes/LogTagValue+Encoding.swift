import JournalKit
import SegmentIndex

extension LogTagValue {
  /// What `value` is as JSON: a lone text, number or truth value as such, anything else as JSON.
  init(encoding value: some Encodable) {
    let encoder = PayloadEncoder()
    do {
      try encoder.encode(value)
      self = try Self(json: encoder.array)
    } catch {
      self = .string("<\(error)>")
    }
  }

  private init(json bytes: [UInt8]) throws(JSONError) {
    var json = JSONScanner(bytes.rawSpan)
    switch try json.peek() {
    case .string: self = .string(try json.readString())
    case .bool: self = .bool(try json.readBool())
    case .number:
      switch try json.readNumber() {
      case .int(let value): self = .int(value)
      case .double(let value): self = .double(value)
      }
    default: self = .json(String(decoding: bytes, as: UTF8.self))
    }
  }
}
