/// A text to be found inside others whatever the case: the operator `:`, and the lone words of a filter.
///
/// Texts are compared in normal form C with case folded scalar by scalar (Unicode's simple case folding),
/// without a locale: é is found however it is spelled, and e is not found in it; the Turkish dotless ı is
/// not an i, and ß is not ss.
package struct TextSearch: Sendable, Hashable {
  /// The text as written.
  package let text: String
  /// The text as it is compared.
  let search: ByteSearch
  private let isASCII: Bool
  /// Scalars that are not ASCII, and yet letters of the needle once they are folded: K (Kelvin) is a k.
  private let strangers: [ByteSearch]
  /// The needle between two `*`, when wildcards were asked for.
  let glob: Glob?
  /// What of the needle must stand in a literal of patterns, mostly; nil when that is nothing, or not to be told.
  let core: NeedleCore?

  /// A search for `text`; in a pattern `*` and `?` are wildcards.
  package init(_ text: String, isPattern: Bool = false) {
    self.text = text
    let needle = foldedText(Array(text.utf8).span)
    search = ByteSearch(needle, ignoringCase: true)
    isASCII = needle.span.isASCII
    strangers = isASCII ? Self.strangers(to: needle) : []
    glob = isPattern ? Glob("*" + String(decoding: needle, as: UTF8.self) + "*") : nil
    core = isASCII && !isPattern ? NeedleCore(needle) : nil
  }

  /// All scalars that are not ASCII and are, in normal form and folded, one that is: long s, the Greek question mark,
  /// the Greek grave accent, and the Kelvin sign.
  private static let foreignASCII: [(scalar: Unicode.Scalar, folded: UInt8)] = [
    ("\u{17f}", UInt8(ascii: "s")), ("\u{37e}", UInt8(ascii: ";")),
    ("\u{1fef}", UInt8(ascii: "`")), ("\u{212a}", UInt8(ascii: "k")),
  ]

  private static func strangers(to needle: [UInt8]) -> [ByteSearch] {
    foreignASCII.filter { needle.contains($0.folded) }
      .map { ByteSearch(Array(String($0.scalar).utf8)) }
  }

  /// Whether the text is in `other`.
  package func isFound(in other: String) -> Bool {
    isFound(in: Array(other.utf8).span)
  }

  /// Whether the text is in the UTF-8 `other`. Allocates only for wildcards and where scalars of `other`
  /// that are not ASCII can matter.
  package func isFound(in other: Span<UInt8>) -> Bool {
    if let glob { return glob.matches(foldedText(other).span) }
    guard isASCII else { return !other.isASCII && isFoundFolded(in: other) }
    if let index = search.firstIndex(in: other) {
      return isWhole(other, endingAt: index + search.needle.count) || isFoundFolded(in: other)
    }
    guard !strangers.isEmpty, !other.isASCII else { return false }
    return strangers.contains { $0.isFound(in: other) } && isFoundFolded(in: other)
  }

  private func isFoundFolded(in other: Span<UInt8>) -> Bool {
    search.isFound(in: foldedText(other).span)
  }

  /// Whether the letter before `end` is one by itself: no mark follows that could be part of it.
  private func isWhole(_ other: Span<UInt8>, endingAt end: Int) -> Bool {
    // The marks begin at U+0300, which begins with this byte.
    guard end > 0, end < other.count, other[end] >= 0xcc else { return true }
    guard let (scalar, _) = other.scalar(at: end) else { return true }
    return CanonicalForm.shared.isInert(scalar.value)
  }
}
