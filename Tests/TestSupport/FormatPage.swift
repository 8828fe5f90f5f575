import JournalKit

/// A page of `docs/format`, and the worked example in it.
package struct FormatPage {
  /// The whole page.
  package let text: String
  private let lines: [Substring]

  /// Reads `docs/format/<name>` of this repository.
  package init(_ name: String) throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let bytes = try POSIXFileSystem().contents(of: "/\(root)/docs/format/\(name)", limit: 1 << 20)
    text = String(decoding: bytes, as: UTF8.self)
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The bytes of the blocks marked `hex`, one after the other. Each line is an offset, bytes, and after a
  /// `|` what they mean; nil when an offset is not where its line stands.
  package var example: [UInt8]? {
    var bytes: [UInt8] = []
    var isInside = false
    for line in lines {
      if line.hasPrefix("```") {
        isInside = line == "```hex"
      } else if isInside {
        let words = line.prefix { $0 != "|" }.split(separator: " ")
        guard let first = words.first, Int(first, radix: 16) == bytes.count else { return nil }
        for word in words.dropFirst() {
          guard word.count == 2, let byte = UInt8(word, radix: 16) else { return nil }
          bytes.append(byte)
        }
      }
    }
    return bytes
  }
}
