// Swift compares strings by canonical equivalence. To the language texts and names are their UTF-8.

extension String {
  /// Whether both are the same bytes.
  func isSameText(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }
}

extension Hasher {
  /// Feeds the bytes of a text, for equality by `isSameText`.
  mutating func combine(text: String) {
    for byte in text.utf8 { combine(byte) }
    combine(0xff as UInt8)
  }
}
