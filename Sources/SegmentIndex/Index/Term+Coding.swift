internal import JournalKit

// A term's bytes: one byte of kind, then the value so that comparing bytes compares terms. A term has
// only one encoding, so equal bytes are equal terms.
//
//     1 bool      u8 0 or 1
//     2 int       u64, big-endian, the sign bit inverted
//     3 double    u64, big-endian: the bits, all inverted if negative, else the sign bit inverted
//     4 string    UTF-8
//     5 json      UTF-8
//     6 level     severity: u32, big-endian, the sign bit inverted; then the name's UTF-8
//     7 identity  u128, big-endian
//     8 list      for each element its UTF-8, in which 00 becomes 00 ff, then 00

/// The first byte of a term.
enum TermKind: UInt8 {
  case bool = 1
  case int, double, string, json, level, identity, list
}

extension Term {
  /// Reads a term; nil when the bytes are not one.
  package init?(encoded bytes: RawSpan) {
    guard bytes.byteCount > 0, let kind = TermKind(rawValue: bytes[0]) else { return nil }
    let value = bytes.extracting(1..<bytes.byteCount)
    switch kind {
    case .bool:
      guard value.byteCount == 1, value[0] <= 1 else { return nil }
      self = .bool(value[0] == 1)
    case .int:
      guard value.byteCount == 8 else { return nil }
      self = .int(Int64(bitPattern: value.bigEndian(UInt64.self) ^ 1 << 63))
    case .double:
      guard value.byteCount == 8 else { return nil }
      let bits = value.bigEndian(UInt64.self)
      self = .double(Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits))
    case .string:
      guard let text = value.text() else { return nil }
      self = .string(text)
    case .json:
      guard let text = value.text() else { return nil }
      self = .json(text)
    case .level:
      guard value.byteCount >= 4, let name = value.extracting(4..<value.byteCount).text()
      else { return nil }
      let severity = Int32(bitPattern: value.bigEndian(UInt32.self) ^ 1 << 31)
      self = .level(LogLevel(name, severity: severity))
    case .identity:
      guard value.byteCount == 16 else { return nil }
      self = .identity(UniqueID(bits: value.bigEndian(UInt128.self)))
    case .list:
      guard let elements = value.list() else { return nil }
      self = .list(elements)
    }
  }

  /// The term's bytes.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .bool(let value): writer.term(value)
    case .int(let value): writer.term(value)
    case .double(let value): writer.term(value)
    case .string(let value): writer.term(value, .string)
    case .json(let value): writer.term(value, .json)
    case .level(let value): writer.term(value)
    case .identity(let value): writer.term(value)
    case .list(let values): writer.term(values)
    }
    return writer.bytes
  }
}

extension ByteWriter {
  mutating func term(_ value: Bool) {
    byte(TermKind.bool.rawValue)
    byte(value ? 1 : 0)
  }

  mutating func term(_ value: Int64) {
    byte(TermKind.int.rawValue)
    integer((UInt64(bitPattern: value) ^ 1 << 63).byteSwapped)
  }

  mutating func term(_ value: Double) {
    byte(TermKind.double.rawValue)
    let bits = value.bitPattern
    integer((bits >> 63 == 1 ? ~bits : bits ^ 1 << 63).byteSwapped)
  }

  mutating func term(_ value: String, _ kind: TermKind) {
    byte(kind.rawValue)
    bytes.append(contentsOf: value.utf8)
  }

  /// A level without its name, which follows.
  mutating func levelTerm(severity: Int32) {
    byte(TermKind.level.rawValue)
    integer((UInt32(bitPattern: severity) ^ 1 << 31).byteSwapped)
  }

  mutating func term(_ value: LogLevel) {
    levelTerm(severity: value.severity)
    bytes.append(contentsOf: value.name.utf8)
  }

  mutating func term(_ value: UniqueID) {
    byte(TermKind.identity.rawValue)
    integer(value.bits.byteSwapped)
  }

  mutating func term(_ values: [String]) {
    byte(TermKind.list.rawValue)
    for value in values {
      let start = bytes.count
      bytes.append(contentsOf: value.utf8)
      endListElement(from: start)
    }
  }

  /// Ends an element of a list, whose UTF-8 began at offset `start`.
  mutating func endListElement(from start: Int) {
    if bytes.rawSpan.firstIndex(of: 0, from: start) != nil {
      let element = Array(bytes[start...])
      bytes.removeLast(element.count)
      for byte in element {
        self.byte(byte)
        if byte == 0 { self.byte(0xff) }
      }
    }
    byte(0)
  }

  mutating func term(_ value: LogTagValue) {
    switch value {
    case .string(let value): term(value, .string)
    case .int(let value): term(value)
    case .double(let value): term(value)
    case .bool(let value): term(value)
    case .json(let value): term(value, .json)
    }
  }
}

extension RawSpan {
  /// The big-endian integer at the beginning.
  fileprivate func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> T {
    littleEndian(type, at: 0).byteSwapped
  }

  /// All bytes as text; nil when they are not UTF-8.
  fileprivate func text() -> String? {
    var reader = ByteReader(self)
    return reader.string(byteCount)
  }

  /// The elements of an encoded list; nil when the bytes are not one.
  fileprivate func list() -> [String]? {
    var elements: [String] = []
    var element: [UInt8] = []
    var at = 0
    while at < byteCount {
      let byte = self[at]
      at += 1
      if byte != 0 {
        element.append(byte)
      } else if at < byteCount, self[at] == 0xff {
        element.append(0)
        at += 1
      } else {
        guard let text = String(validating: element, as: UTF8.self) else { return nil }
        elements.append(text)
        element.removeAll(keepingCapacity: true)
      }
    }
    return element.isEmpty ? elements : nil
  }
}
