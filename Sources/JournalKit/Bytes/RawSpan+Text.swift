extension RawSpan {
  /// These bytes as text. Sequences that are not valid UTF-8 become U+FFFD, so text is never lost as
  /// a whole over one bad byte.
  package func repairedString() -> String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// These bytes as text; nil when they are not valid UTF-8.
  @inlinable
  package func validString() -> String? {
    unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
  }

  /// Whether these bytes are the UTF-8 of `text`.
  package func equals(_ text: String) -> Bool {
    guard text.utf8.count == byteCount else { return false }
    var position = 0
    for byte in text.utf8 {
      guard self[position] == byte else { return false }
      position += 1
    }
    return true
  }
}
