/// Bytes as text (RFC 4648, the standard alphabet, with padding).
package enum Base64 {
  private static let alphabet: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// By character, its six bits; 255 for what is none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: .max, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of `bytes`.
  package static func encode(_ bytes: [UInt8]) -> String {
    let alphabet = alphabet
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var group = UInt32(bytes[start]) << 16
      if count > 1 { group |= UInt32(bytes[start + 1]) << 8 }
      if count > 2 { group |= UInt32(bytes[start + 2]) }
      for position in 0..<4 {
        let value = Int(group >> UInt32(18 - 6 * position) & 63)
        text.append(position <= count ? alphabet[value] : UInt8(ascii: "="))
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of `text`; nil when it is anything else than what `encode` makes.
  package static func decode(_ text: String) -> [UInt8]? {
    let text = Array(text.utf8)
    guard text.count.isMultiple(of: 4) else { return nil }
    let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
    let values = values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    for start in stride(from: 0, to: text.count, by: 4) {
      let missing = start + 4 == text.count ? padding : 0
      var group: UInt32 = 0
      for position in 0..<4 {
        let value = position < 4 - missing ? values[Int(text[start + position])] : 0
        guard value < 64 else { return nil }
        group = group << 6 | UInt32(value)
      }
      // The bits that no byte has are zero.
      guard missing == 0 || group & (missing == 1 ? 0xff : 0xffff) == 0 else { return nil }
      for position in 0..<3 - missing {
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * position)))
      }
    }
    return bytes
  }
}
