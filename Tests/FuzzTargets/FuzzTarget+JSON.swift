import JournalKit
import SegmentIndex

extension FuzzTarget {
  /// A document is read and passed over alike, and one that is read survives being written.
  @Sendable static func json(_ input: [UInt8]) throws {
    let value = Result { () throws(JSONError) in
      var scanner = JSONScanner(input.rawSpan)
      let value = try scanner.readValue()
      try scanner.finish()
      return value
    }
    let range = Result { () throws(JSONError) in
      var scanner = JSONScanner(input.rawSpan)
      let range = try scanner.skipValue()
      try scanner.finish()
      return range
    }
    switch (value, range) {
    case (.failure(let left), .failure(let right)):
      try require(left == right, "read says \(left), skip \(right)")
      try require((0...input.count).contains(left.offset), "no such offset: \(left)")
    case (.success(let value), .success(let range)):
      try require(range.upperBound <= input.count, "no such range: \(range)")
      var writer = JSONWriter()
      writer.value(value)
      var scanner = JSONScanner(writer.bytes.rawSpan)
      let again = try scanner.readValue()
      try scanner.finish()
      var second = JSONWriter()
      second.value(again)
      // Written again, not compared: a text may equal another that is spelled differently.
      try require(second.bytes == writer.bytes, "\(value) became \(again)")
    default: throw FuzzFailure("read says \(value), skip \(range)")
    }
  }
}
