import Foundation

/// A golden file: blocks of an input and the exact text that must come of it.
///
/// A block is lines that begin with `> ` (the input; several are joined by line feeds), then the expected
/// lines, then an empty line. In a line that begins with `>\ ` the sequence `\xNN` stands for a byte.
/// With `PERISCOPE_UPDATE_GOLDEN=1` in the environment the expectations are written instead of compared:
/// review the difference before committing it.
struct GoldenFile {
  struct Case {
    var inputLines: [String]
    var expected: String

    /// The input's bytes.
    var input: [UInt8] {
      Array(inputLines.map(GoldenFile.decoded).joined(separator: [0x0a]))
    }
  }

  let url: URL
  private(set) var cases: [Case] = []
  /// Comment lines at the top, which begin with `#`.
  private var header: [String] = []

  /// The file at `path` below `Tests/Golden`.
  init(_ path: String) throws {
    url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Golden").appending(path: path)
    let lines = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n")
    for line in lines {
      if line.hasPrefix("#"), cases.isEmpty {
        header.append(line)
      } else if line.hasPrefix(">") {
        if cases.last.map({ !$0.expected.isEmpty }) ?? true {
          cases.append(Case(inputLines: [], expected: ""))
        }
        cases[cases.count - 1].inputLines.append(line)
      } else if !line.isEmpty, !cases.isEmpty {
        cases[cases.count - 1].expected += line + "\n"
      }
    }
  }

  static var isUpdating: Bool {
    ProcessInfo.processInfo.environment["PERISCOPE_UPDATE_GOLDEN"] == "1"
  }

  /// Writes the file with these expectations.
  func write(_ outputs: [String]) throws {
    let blocks = zip(cases, outputs).map { ($0.inputLines + [$1]).joined(separator: "\n") + "\n" }
    let text = (header.isEmpty ? "" : header.joined(separator: "\n") + "\n\n")
    try (text + blocks.joined(separator: "\n")).write(to: url, atomically: true, encoding: .utf8)
  }

  static func decoded(_ line: String) -> [UInt8] {
    guard line.hasPrefix(">\\ ") else { return Array(line.dropFirst(2).utf8) }
    var bytes: [UInt8] = []
    var rest = Array(line.utf8.dropFirst(3))[...]
    while let byte = rest.first {
      if rest.starts(with: "\\x".utf8),
        let value = UInt8(String(decoding: rest.dropFirst(2).prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest.removeFirst(4)
      } else {
        bytes.append(byte)
        rest.removeFirst()
      }
    }
    return bytes
  }
}
