/// A text to be found inside others whatever the case: the operator `:`, and the lone words of a filter.
///
/// Case is folded scalar by scalar (Unicode's simple case folding), without a locale: the Turkish dotless
/// ı is not an i, and ß is not ss. Canonically equivalent spellings are not unified.
package struct TextSearch: Sendable, Hashable {
  /// The text as written.
  package let text: String
  /// Folded, in UTF-8.
  let needle: [UInt8]
  /// Whether the bytes of an ASCII text say whether the needle is in any text. They do not when the
  /// needle has a letter that some other script's letter folds to: `K` (Kelvin) to k, `ſ` to s.
  let isPlain: Bool
  /// The needle between two `*`, when wildcards were asked for.
  let glob: Glob?

  /// A search for `text`; in a pattern `*` and `?` are wildcards.
  package init(_ text: String, isPattern: Bool = false) {
    self.text = text
    needle = folded(Array(text.utf8).span)
    isPlain = needle.allSatisfy {
      $0 < 0x80 && $0 != UInt8(ascii: "k") && $0 != UInt8(ascii: "s")
    }
    glob = isPattern ? Glob("*" + String(decoding: needle, as: UTF8.self) + "*") : nil
  }

  /// Whether the text is in `other`.
  package func isFound(in other: String) -> Bool {
    isFound(in: Array(other.utf8).span)
  }

  /// Whether the text is in the UTF-8 `other`. Allocates only for wildcards and for texts that are not
  /// ASCII.
  package func isFound(in other: Span<UInt8>) -> Bool {
    if let glob { return glob.matches(folded(other).span) }
    if finds(in: other, foldingCase: true) { return true }
    guard !isPlain, !other.isASCII else { return false }
    return finds(in: folded(other).span, foldingCase: false)
  }

  /// Looks for the needle's bytes, skipping to places where the first one stands.
  private func finds(in text: Span<UInt8>, foldingCase: Bool) -> Bool {
    guard let first = needle.first else { return true }
    guard text.count >= needle.count else { return false }
    let other = foldingCase && isLowercase(first) ? first & ~0x20 : first
    let needle = needle.span
    for start in 0...text.count - needle.count {
      let byte = text[start]
      guard byte == first || byte == other else { continue }
      var matched = 1
      while matched < needle.count {
        var byte = text[start + matched]
        if foldingCase, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte { byte |= 0x20 }
        guard byte == needle[matched] else { break }
        matched += 1
      }
      if matched == needle.count { return true }
    }
    return false
  }
}

private func isLowercase(_ byte: UInt8) -> Bool {
  UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
}

/// The UTF-8 text with every scalar's case folded. Bytes that are not UTF-8 stay as they are.
private func folded(_ text: Span<UInt8>) -> [UInt8] {
  var bytes = [UInt8]()
  bytes.reserveCapacity(text.count)
  for index in text.indices { bytes.append(text[index]) }
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var at = 0
  while at < bytes.count {
    guard let (scalar, length) = bytes.scalar(at: at) else {
      result.append(bytes[at])
      at += 1
      continue
    }
    result += UTF8.encode(scalar.caseFolded).map { Array($0) } ?? []
    at += length
  }
  return result
}

extension Span<UInt8> {
  fileprivate var isASCII: Bool {
    var bits: UInt8 = 0
    for index in indices { bits |= self[index] }
    return bits < 0x80
  }
}

extension Unicode.Scalar {
  /// The scalar that all its case variants share.
  ///
  /// Lower case alone would leave ς apart from σ and ſ from s; the way through upper case unites them.
  /// ı, which only Turkish would unite with i, is left alone, as are scalars whose variant is several
  /// scalars.
  var caseFolded: Unicode.Scalar {
    if isASCII { return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) | 0x20) : self }
    guard value != 0x131 else { return self }
    let upper = single(properties.uppercaseMapping) ?? self
    return upper.single(upper.properties.lowercaseMapping) ?? upper
  }

  private func single(_ mapping: String) -> Unicode.Scalar? {
    let scalars = mapping.unicodeScalars
    return scalars.count == 1 ? scalars.first : nil
  }
}
