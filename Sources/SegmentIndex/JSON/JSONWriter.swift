internal import JournalKit

/// Writes JSON, as compactly as it can be written, onto the end of `bytes`.
///
/// The writer puts the commas; the caller keeps the order: `key` before each value in an object, and an
/// end for every beginning.
public struct JSONWriter: Sendable {
  /// What has been written.
  public var bytes: [UInt8] = []
  /// Whether a value precedes the next one in the innermost container.
  private var needsComma = false

  /// A writer that has written nothing.
  public init() {}

  /// Begins an object.
  public mutating func beginObject() {
    open(UInt8(ascii: "{"))
  }

  /// Ends the innermost object.
  public mutating func endObject() {
    close(UInt8(ascii: "}"))
  }

  /// Begins an array.
  public mutating func beginArray() {
    open(UInt8(ascii: "["))
  }

  /// Ends the innermost array.
  public mutating func endArray() {
    close(UInt8(ascii: "]"))
  }

  /// Writes a key, whose value must follow.
  public mutating func key(_ key: String) {
    separate()
    quote(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes text.
  public mutating func value(_ value: String) {
    separate()
    quote(value)
  }

  /// Writes an integer.
  public mutating func value(_ value: Int64) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Writes an integer.
  public mutating func value(_ value: UInt64) {
    separate()
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Writes a number with the fewest digits that read back as the same double. What JSON cannot write
  /// becomes one of the strings `NaN`, `Infinity` and `-Infinity`.
  public mutating func value(_ value: Double) {
    if value.isFinite {
      separate()
      bytes.append(contentsOf: value.description.utf8)
    } else if value.isNaN {
      self.value("NaN")
    } else {
      self.value(value < 0 ? "-Infinity" : "Infinity")
    }
  }

  /// Writes `true` or `false`.
  public mutating func value(_ value: Bool) {
    separate()
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes `null`.
  public mutating func null() {
    separate()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Writes a value that is JSON already; it is not checked.
  public mutating func raw(_ json: RawSpan) {
    raw(json.toArray())
  }

  /// Writes a value that is JSON already; it is not checked.
  public mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Writes a tree. Recursion is as deep as the tree.
  public mutating func value(_ value: JSONValue) {
    switch value {
    case .null: null()
    case .bool(let value): self.value(value)
    case .int(let value): self.value(value)
    case .double(let value): self.value(value)
    case .string(let value): self.value(value)
    case .array(let elements):
      beginArray()
      for element in elements { self.value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(member.key)
        self.value(member.value)
      }
      endObject()
    }
  }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
  }

  private mutating func close(_ byte: UInt8) {
    bytes.append(byte)
    needsComma = true
  }

  /// The comma before a value or key that is not the first.
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Appends the text as it is, then looks for bytes to escape: nearly always there are none.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let start = bytes.count
    bytes.append(contentsOf: text.utf8)
    let special = bytes.rawSpan.firstSpecialIndex(from: start)
    if special < bytes.count {
      let rest = Array(bytes[special...])
      bytes.removeSubrange(special...)
      for byte in rest { escape(byte) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0a: bytes += "\\n".utf8
    case 0x0c: bytes += "\\f".utf8
    case 0x0d: bytes += "\\r".utf8
    case 0..<0x20:
      bytes += byte < 0x10 ? "\\u000".utf8 : "\\u001".utf8
      bytes.append(contentsOf: String(byte & 0x0f, radix: 16).utf8)
    default: bytes.append(byte)
    }
  }
}
