package import JournalKit

/// The files in which an operating system tells of itself, below a root that a test may choose.
///
/// Whatever is in them is taken for untrusted text: a value that is no number, or too long, is one that is not there.
package struct SystemFiles: Sendable {
  private static let lengthLimit = 256 << 10
  private static let wordLimit = 128
  private static let nameLimit = 64

  private let root: String
  private let fileSystem: any FileSystem

  package init(root: String = "/", fileSystem: any FileSystem = POSIXFileSystem()) {
    self.root = root
    self.fileSystem = fileSystem
  }

  /// What the file system at `path`, which is not below the root, has room for.
  func space(at path: String) -> FileSystemSpace? {
    try? fileSystem.space(at: path)
  }

  /// A whole file; nil when there is none that can be read.
  func bytes(_ path: String) -> [UInt8]? {
    try? fileSystem.contents(of: FilePath.join(root, path), limit: Self.lengthLimit)
  }

  /// A file's only word.
  func word(_ path: String) -> String? {
    guard let bytes = bytes(path), bytes.count <= Self.wordLimit else { return nil }
    let words = bytes.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }
    return words.count == 1 ? String(decoding: words[0], as: UTF8.self) : nil
  }

  /// A file's only number.
  func number(_ path: String) -> Int64? {
    word(path).flatMap { Int64($0) }
  }

  /// The first names in a directory that begin with `prefix`.
  func names(_ path: String, prefix: String = "") -> [String] {
    let names = (try? fileSystem.list(FilePath.join(root, path))) ?? []
    return Array(names.lazy.filter { $0.hasPrefix(prefix) }.prefix(Self.nameLimit))
  }
}

/// Takes the tables apart that are in such files.
package enum SystemTable {
  /// The values of lines such as `MemTotal:  24684084 kB`, with or without colon and unit, in bytes if there is a unit. What
  /// is no such line is passed over; of two with the same name the first counts.
  package static func values(_ bytes: [UInt8]) -> [String: Int64] {
    var values: [String: Int64] = [:]
    for words in rows(bytes) where words.count == 2 || words.count == 3 && words[2] == "kB" {
      guard let value = Int64(words[1]) else { continue }
      let product = value.multipliedReportingOverflow(by: words.count == 3 ? 1_024 : 1)
      guard !product.overflow else { continue }
      let name = words[0].hasSuffix(":") ? String(words[0].dropLast()) : words[0]
      if values[name] == nil { values[name] = product.partialValue }
    }
    return values
  }

  /// The words of each line that has any.
  package static func rows(_ bytes: [UInt8]) -> [[String]] {
    bytes.split(separator: UInt8(ascii: "\n")).map { line in
      line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        .map { String(decoding: $0, as: UTF8.self) }
    }.filter { !$0.isEmpty }
  }
}
