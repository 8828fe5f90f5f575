/// A text with wildcards, matched against a whole value: `*` is any run of characters, `?` exactly one.
/// Case matters.
package struct Glob: Sendable, Hashable {
  /// The pattern as written.
  package let pattern: String
  private let parts: [UInt8]

  /// A glob of this pattern. There is no escape: quoted text is literal and never becomes a glob.
  package init(_ pattern: String) {
    self.pattern = pattern
    parts = Array(pattern.utf8)
  }

  /// Whether all of `text` matches.
  package func matches(_ text: String) -> Bool {
    matches(Array(text.utf8).span)
  }

  /// Whether all of the UTF-8 `text` matches, in time proportional to the product of the lengths at
  /// worst: on a mismatch only the last `*` can take more, so one place to return to is enough.
  package func matches(_ text: Span<UInt8>) -> Bool {
    var (at, part) = (0, 0)
    var retry: (part: Int, at: Int)?
    while at < text.count {
      if part < parts.count, parts[part] == UInt8(ascii: "*") {
        part += 1
        retry = (part, at)
      } else if part < parts.count, parts[part] == UInt8(ascii: "?") {
        part += 1
        at = text.nextScalar(after: at)
      } else if part < parts.count, parts[part] == text[at] {
        part += 1
        at += 1
      } else if let (afterStar, start) = retry {
        part = afterStar
        at = text.nextScalar(after: start)
        retry = (afterStar, at)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
