/// Bytes to be found inside others, exactly or whatever the case of ASCII letters.
package struct ByteSearch: Sendable, Hashable {
  /// The bytes, in lower case when case does not matter.
  package let needle: [UInt8]
  /// Whether the case of ASCII letters does not matter.
  package let ignoresCase: Bool

  /// A search for `bytes`.
  package init(_ bytes: [UInt8], ignoringCase: Bool = false) {
    needle = ignoringCase ? bytes.map(\.lowercasedASCII) : bytes
    ignoresCase = ignoringCase
  }

  /// Whether the bytes are in `text`. Allocates nothing.
  package func isFound(in text: Span<UInt8>) -> Bool {
    guard let first = needle.first else { return true }
    guard text.count >= needle.count else { return false }
    let other = ignoresCase && first.isLowercaseASCII ? first & ~0x20 : first
    let needle = needle.span
    for start in 0...text.count - needle.count {
      let byte = text[start]
      guard byte == first || byte == other else { continue }
      var matched = 1
      while matched < needle.count {
        let byte = ignoresCase ? text[start + matched].lowercasedASCII : text[start + matched]
        guard byte == needle[matched] else { break }
        matched += 1
      }
      if matched == needle.count { return true }
    }
    return false
  }
}

extension UInt8 {
  /// The byte, or the lower-case letter when it is an upper-case one of ASCII.
  var lowercasedASCII: UInt8 {
    UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
  }

  var isLowercaseASCII: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
}
