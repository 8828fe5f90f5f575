internal import SegmentIndex

/// The value at a place in JSON text; nil when there is none or the text is not JSON up to there. Of a
/// key that stands twice the first counts. Objects, arrays and null are JSON; the others are values.
func jsonValue(at path: [Path.Segment], in text: Span<UInt8>) -> Value? {
  guard !text.isEmpty else { return nil }
  // The conversion is marked unsafe because types with padding have bytes that are not initialized;
  // UInt8 has none.
  var scanner = unsafe JSONScanner(text.bytes, depthLimit: 512)
  do throws(JSONError) {
    for segment in path {
      guard try scanner.descend(to: segment) else { return nil }
    }
    switch try scanner.peek() {
    case .string: return .string(try scanner.readString())
    case .bool: return .bool(try scanner.readBool())
    case .number:
      switch try scanner.readNumber() {
      case .int(let value): return .int(value)
      case .double(let value): return .double(value)
      }
    case .object, .array, .null:
      let range = try scanner.skipValue()
      return .json(String(decoding: range.map { text[$0] }, as: UTF8.self))
    case .end: return nil
    }
  } catch {
    return nil
  }
}

extension JSONScanner {
  /// Moves to the member or element; false when there is none.
  mutating func descend(to segment: Path.Segment) throws(JSONError) -> Bool {
    switch (segment, try peek()) {
    case (.name(let name), .object):
      try enterObject()
      while let key = try nextKeyRange() {
        if self.key(key, is: name) { return true }
        try skipValue()
      }
      return false
    case (.index(let index), .array):
      try enterArray()
      for _ in 0..<index {
        guard try nextElement() else { return false }
        try skipValue()
      }
      return try nextElement()
    default: return false
    }
  }
}

/// Whether the text is one JSON value in UTF-8 and without line feeds.
func isOneLineOfJSON(_ text: Span<UInt8>) -> Bool {
  var bytes: [UInt8] = []
  for index in text.indices { bytes.append(text[index]) }
  guard !bytes.contains(UInt8(ascii: "\n")), String(validating: bytes, as: UTF8.self) != nil
  else { return false }
  var scanner = unsafe JSONScanner(text.bytes, depthLimit: 512)
  do throws(JSONError) {
    try scanner.skipValue()
    try scanner.finish()
    return true
  } catch {
    return false
  }
}

extension AttachmentList {
  /// Where a record's attachments are counted.
  static let countPath: [Path.Segment] = [.name("count")]
}
