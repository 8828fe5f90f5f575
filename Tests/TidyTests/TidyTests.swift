import Foundation
import Testing

/// The form of the tree: layers, file lengths, links, leftovers. A tidy tree is a tested property.
@Suite struct TidyTests {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Text files below `folder`, as paths from the root, with their lines.
  static func files(
    in folder: String, suffix: String
  ) throws -> [(path: String, lines: [Substring])] {
    let base = root.appending(path: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
    return try names.filter { $0.hasSuffix(suffix) && !$0.contains(".build/") }.sorted().map {
      let text = try String(contentsOf: base.appending(path: $0), encoding: .utf8)
      return ("\(folder)/\($0)", text.split(separator: "\n", omittingEmptySubsequences: false))
    }
  }

  /// What each module may import; `Platform/` may also import the C library.
  static let allowedImports: [String: Set<String>] = [
    "JournalKit": ["Synchronization"],
    "SegmentIndex": ["JournalKit", "Synchronization"],
    "PQL": ["SegmentIndex", "Synchronization"],
    "PeriscopeCore": [
      "JournalKit", "SegmentIndex", "PQL", "FoundationEssentials", "Foundation", "Synchronization",
      "os",
    ],
    "pql-repl": ["PeriscopeCore", "PQL", "Glibc", "Darwin", "Musl", "Synchronization"],
  ]

  @Test(arguments: allowedImports.keys.sorted())
  func modulesImportOnlyWhatTheirLayerMay(module: String) throws {
    let files = try Self.files(in: "Sources/\(module)", suffix: ".swift")
    #expect(!files.isEmpty)
    for (path, lines) in files {
      var allowed = Self.allowedImports[module] ?? []
      // The sink for the log of Apple's systems, which is not there elsewhere.
      if path.hasSuffix("/OSLogSink.swift") { allowed.insert("os") }
      if path.contains("JournalKit/Platform/") { allowed.formUnion(["Glibc", "Darwin", "Musl"]) }
      for line in lines {
        let words = line.split(separator: " ")
        guard let index = words.firstIndex(of: "import"),
          words[..<index].allSatisfy({
            ["@_exported", "public", "package", "internal", "private", "fileprivate"].contains($0)
          })
        else { continue }
        #expect(allowed.contains(String(words[index + 1])), "\(path): \(line)")
      }
    }
  }

  @Test func foundationProperIsOnlyTheFallbackForItsEssentials() throws {
    for (path, lines) in try Self.files(in: "Sources/PeriscopeCore", suffix: ".swift") {
      for (index, line) in lines.enumerated() where line.hasSuffix("import Foundation") {
        #expect(index > 0 && lines[index - 1] == "#else", "\(path):\(index + 1)")
      }
    }
  }

  @Test func sourcesAreFinishedAndShort() throws {
    let leftovers = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"]
    for folder in ["Sources", "Tests", "Examples", "Fuzz"] {
      for (path, lines) in try Self.files(in: folder, suffix: ".swift") {
        #expect(lines.count <= 600, "\(path) has \(lines.count) lines")
        for (index, line) in lines.enumerated() {
          let words = line.split { !$0.isLetter }
          #expect(
            !words.contains { leftovers.contains(String($0)) }, "\(path):\(index + 1): \(line)")
        }
      }
    }
  }

  /// A library with unsafe flags cannot be depended on by version. How the tool is linked concerns nobody else.
  @Test func manifestHasNoDependenciesAndNoUnsafeFlagsButTheTools() throws {
    let manifest = try String(
      contentsOf: Self.root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(!manifest.contains(".package("))
    let parts = manifest.components(separatedBy: "unsafeFlags")
    try #require(parts.count == 2)
    let target = try #require(parts[0].components(separatedBy: "arget(").last)
    #expect(target.contains("\"pql-repl\"") && target.contains("linkerSettings"))
  }

  @Test func linksInDocumentsLeadSomewhere() throws {
    var documents = try Self.files(in: "docs", suffix: ".md")
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
      let text = try String(contentsOf: Self.root.appending(path: name), encoding: .utf8)
      documents.append((name, text.split(separator: "\n")))
    }
    for (path, lines) in documents {
      let folder = Self.root.appending(path: path).deletingLastPathComponent()
      for line in lines {
        for match in line.matches(of: /\]\((?<target>[^)#:]+)(#[^)]*)?\)/) {
          let target = folder.appending(path: String(match.output.target))
          #expect(
            FileManager.default.fileExists(atPath: target.path), "\(path): \(match.output.target)")
        }
      }
    }
  }
}
