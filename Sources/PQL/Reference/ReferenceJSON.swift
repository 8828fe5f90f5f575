internal import SegmentIndex

/// Reads JSON byte by byte, without looking at anything behind the value that is asked for.
///
/// Each function reads what stands at `at` and moves behind it; nil and false mean that it is not JSON.
struct ReferenceJSON {
  private let bytes: [UInt8]
  /// How deep objects and arrays may nest.
  private static let depthLimit = 512

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The value at a place; nil when there is none. Of a key that stands twice the first counts.
  func value(at path: [Path.Segment]) -> Value? {
    var at = 0
    guard path.count <= Self.depthLimit else { return nil }
    for segment in path {
      switch segment {
      case .name(let name): guard enter(member: name, &at) else { return nil }
      case .index(let index): guard enter(element: index, &at) else { return nil }
      }
    }
    skipSpace(&at)
    let start = at
    switch next(at) {
    case UInt8(ascii: "\""): return string(&at).map(Value.string)
    case UInt8(ascii: "t"): return word("true", &at) ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false", &at) ? .bool(false) : nil
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"):
      guard skip(&at, depth: path.count) else { return nil }
      return .json(String(decoding: bytes[start..<at], as: UTF8.self))
    default:
      guard skipNumber(&at) else { return nil }
      let text = String(decoding: bytes[start..<at], as: UTF8.self)
      let isWhole = !text.contains { ".eE".contains($0) }
      if isWhole, let number = Int64(text) { return .int(number) }
      return Double(text).map(Value.double)
    }
  }

  private func next(_ at: Int) -> UInt8? { at < bytes.count ? bytes[at] : nil }

  private func take(_ sign: Character, _ at: inout Int) -> Bool {
    guard next(at) == sign.asciiValue else { return false }
    at += 1
    return true
  }

  private func word(_ word: String, _ at: inout Int) -> Bool {
    for sign in word { guard take(sign, &at) else { return false } }
    return true
  }

  private func skipSpace(_ at: inout Int) {
    while let byte = next(at), [0x20, 0x09, 0x0a, 0x0d].contains(byte) { at += 1 }
  }

  // MARK: Containers

  private func enter(member name: String, _ at: inout Int) -> Bool {
    skipSpace(&at)
    guard take("{", &at) else { return false }
    skipSpace(&at)
    while next(at) == UInt8(ascii: "\"") {
      guard let key = string(&at) else { return false }
      skipSpace(&at)
      guard take(":", &at) else { return false }
      if Array(key.utf8) == Array(name.utf8) { return true }
      guard skip(&at, depth: 0) else { return false }
      skipSpace(&at)
      guard take(",", &at) else { return false }
      skipSpace(&at)
    }
    return false
  }

  private func enter(element index: Int, _ at: inout Int) -> Bool {
    skipSpace(&at)
    guard take("[", &at) else { return false }
    for _ in 0..<index {
      guard skip(&at, depth: 0) else { return false }
      skipSpace(&at)
      guard take(",", &at) else { return false }
    }
    skipSpace(&at)
    return next(at) != UInt8(ascii: "]")
  }

  private func skip(_ at: inout Int, depth: Int) -> Bool {
    skipSpace(&at)
    switch next(at) {
    case UInt8(ascii: "\""): return string(&at) != nil
    case UInt8(ascii: "t"): return word("true", &at)
    case UInt8(ascii: "f"): return word("false", &at)
    case UInt8(ascii: "n"): return word("null", &at)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < Self.depthLimit else { return false }
      let isObject = take("{", &at)
      if !isObject { at += 1 }
      let end: Character = isObject ? "}" : "]"
      skipSpace(&at)
      if take(end, &at) { return true }
      repeat {
        skipSpace(&at)
        if isObject {
          guard next(at) == UInt8(ascii: "\""), string(&at) != nil else { return false }
          skipSpace(&at)
          guard take(":", &at) else { return false }
        }
        guard skip(&at, depth: depth + 1) else { return false }
        skipSpace(&at)
      } while take(",", &at)
      return take(end, &at)
    default: return skipNumber(&at)
    }
  }

  // MARK: Scalars

  private func skipDigits(_ at: inout Int) -> Bool {
    let start = at
    while let byte = next(at), UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { at += 1 }
    return at > start
  }

  private func skipNumber(_ at: inout Int) -> Bool {
    _ = take("-", &at)
    let isZero = next(at) == UInt8(ascii: "0")
    let start = at
    guard skipDigits(&at), !isZero || at == start + 1 else { return false }
    if take(".", &at), !skipDigits(&at) { return false }
    if take("e", &at) || take("E", &at) {
      if !take("-", &at) { _ = take("+", &at) }
      return skipDigits(&at)
    }
    return true
  }

  /// A string. What is not UTF-8, and half a surrogate pair, is U+FFFD.
  private func string(_ at: inout Int) -> String? {
    guard take("\"", &at) else { return nil }
    var text: [UInt8] = []
    while let byte = next(at) {
      at += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case ..<0x20: return nil
      case UInt8(ascii: "\\"):
        guard let scalar = escape(&at) else { return nil }
        text += Array(String(scalar).utf8)
      default: text.append(byte)
      }
    }
    return nil
  }

  /// What stands behind a backslash.
  private func escape(_ at: inout Int) -> Unicode.Scalar? {
    guard let byte = next(at) else { return nil }
    at += 1
    let simple: [Character: Unicode.Scalar] = [
      "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
    ]
    if let scalar = simple[Character(Unicode.Scalar(byte))] { return scalar }
    guard byte == UInt8(ascii: "u"), let high = digits(at) else { return nil }
    at += 4
    if 0xd800..<0xdc00 ~= high, next(at) == UInt8(ascii: "\\"), next(at + 1) == UInt8(ascii: "u"),
      let low = digits(at + 2), 0xdc00..<0xe000 ~= low
    {
      at += 6
      return Unicode.Scalar(0x1_0000 + (high - 0xd800) * 0x400 + (low - 0xdc00))
    }
    return Unicode.Scalar(high) ?? "\u{fffd}"
  }

  private func digits(_ at: Int) -> UInt32? {
    guard at + 4 <= bytes.count else { return nil }
    let text = String(decoding: bytes[at..<at + 4], as: UTF8.self)
    return text.allSatisfy(\.isHexDigit) && text.utf8.count == 4 ? UInt32(text, radix: 16) : nil
  }
}
